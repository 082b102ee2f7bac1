/*
   The device code of the passes of Chebyshev iteration.
*/
#include "../../pass/step_device.cuh"
#include "fusedchebyshev_steps.hpp"

namespace heptane
{

template cudaError_t launch_step(const ChebyshevStep &, std::size_t, bool, int, bool, const FusedState &, const FusedReduction &, bool, cudaStream_t);

} // namespace heptane
