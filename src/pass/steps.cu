/*
   The device code of the passes that every method uses.
*/
#include "divisible.hpp"
#include "step_device.cuh"

namespace heptane
{

#define INSTANTIATE(Step) \
  template cudaError_t launch_step(const Step &, std::size_t, bool, int, bool, const FusedState &, const FusedReduction &, bool, cudaStream_t)
INSTANTIATE(ProductStep<1>);
INSTANTIATE(ProductStep<4>);
INSTANTIATE(CombineStep);
INSTANTIATE(DotsStep);
INSTANTIATE(ApplyPcStep);
INSTANTIATE(UnitStep);
INSTANTIATE(DivisibleStep);

} // namespace heptane
