/*
   The device code of the passes of BiCGStab.
*/
#include "../../pass/step_device.cuh"
#include "fusedbcgs_steps.hpp"

namespace heptane
{

#define INSTANTIATE(Step) \
  template cudaError_t launch_step(const Step &, std::size_t, bool, int, bool, const FusedState &, const FusedReduction &, bool, cudaStream_t)
INSTANTIATE(BcgsStart);
INSTANTIATE(BcgsHalf);
INSTANTIATE(BcgsUpdate);

} // namespace heptane
