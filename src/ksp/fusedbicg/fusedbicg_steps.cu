/*
   The device code of the passes of BiCG.
*/
#include "../../pass/step_device.cuh"
#include "fusedbicg_steps.hpp"

namespace heptane
{

#define INSTANTIATE(Step) \
  template cudaError_t launch_step(const Step &, std::size_t, bool, int, bool, const FusedState &, const FusedReduction &, bool, cudaStream_t)
INSTANTIATE(BicgDirection);
INSTANTIATE(BicgComplete);
INSTANTIATE(BicgUpdate);
INSTANTIATE(BicgResidual);

} // namespace heptane
