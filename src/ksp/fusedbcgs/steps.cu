/*
   The device code of the passes of BiCGStab.
*/
#include "../../pass/step_device.cuh"
#include "mixed.hpp"

namespace heptane
{

HEPTANE_DEVICE_STEP(BcgsStart);
HEPTANE_DEVICE_STEP(BcgsHalf<Scalar>);
HEPTANE_DEVICE_REPEAT(BcgsAgain);
HEPTANE_DEVICE_STEP(BcgsUpdate<Scalar>);
HEPTANE_DEVICE_STEP(BcgsHalf<Single>);
HEPTANE_DEVICE_STEP(BcgsUpdate<Single>);
HEPTANE_DEVICE_STEP(BcgsRound);
HEPTANE_DEVICE_STEP(BcgsHalfRight);
HEPTANE_DEVICE_STEP(BcgsUpdateRight);

} // namespace heptane
