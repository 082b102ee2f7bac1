/*
   The device code of the passes of BiCGStab.
*/
#include "../../pass/step_device.cuh"
#include "fusedbcgs_steps.hpp"

namespace heptane
{

HEPTANE_DEVICE_STEP(BcgsStart);
HEPTANE_DEVICE_STEP(BcgsHalf);
HEPTANE_DEVICE_REPEAT(BcgsAgain);
HEPTANE_DEVICE_STEP(BcgsUpdate);

} // namespace heptane
