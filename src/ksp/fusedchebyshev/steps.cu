/*
   The device code of the passes of Chebyshev iteration.
*/
#include "../../pass/step_device.cuh"
#include "mixed.hpp"

namespace heptane
{

HEPTANE_DEVICE_STEP(ChebyshevStep);
HEPTANE_DEVICE_STEP(ChebyshevSingleStep);
HEPTANE_DEVICE_STEP(ChebyshevRound);
HEPTANE_DEVICE_STEP(ChebyshevFirst);

} // namespace heptane
