/*
   The device code of the passes of BiCG.
*/
#include "../../pass/step_device.cuh"
#include "steps.hpp"

namespace heptane
{

HEPTANE_DEVICE_STEP(BicgDirection);
HEPTANE_DEVICE_STEP(BicgComplete);
HEPTANE_DEVICE_STEP(BicgUpdate);
HEPTANE_DEVICE_STEP(BicgResidual);

} // namespace heptane
