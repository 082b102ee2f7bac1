/*
   The device code of the passes of Chebyshev iteration.
*/
#include "../../pass/step_device.cuh"
#include "fusedchebyshev_steps.hpp"

namespace heptane
{

HEPTANE_DEVICE_STEP(ChebyshevStep);

} // namespace heptane
