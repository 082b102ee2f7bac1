/*
   The device code of the passes of CG.
*/
#include "../../pass/step_device.cuh"
#include "fusedcg_fold.hpp"
#include "fusedcg_steps.hpp"

namespace heptane
{

#define INSTANTIATE(Step) \
  template cudaError_t launch_step(const Step &, std::size_t, bool, int, bool, const FusedState &, const FusedReduction &, bool, cudaStream_t)
INSTANTIATE(CgDirection);
INSTANTIATE(CgComplete);
INSTANTIATE(CgUpdate);
INSTANTIATE(CgResidual);
INSTANTIATE(CgScaledResidual);
INSTANTIATE(CgUnscale);
INSTANTIATE(CgFold);
INSTANTIATE(CgFoldedResidual);

} // namespace heptane
