/*
   The device code of the passes that every method uses.
*/
#include "divisible.hpp"
#include "add_correction.hpp"
#include "step_device.cuh"

namespace heptane
{

HEPTANE_DEVICE_STEP(ProductStep<1>);
HEPTANE_DEVICE_STEP(ProductStep<4>);
HEPTANE_DEVICE_STEP(CombineStep);
HEPTANE_DEVICE_STEP(DotsStep);
HEPTANE_DEVICE_STEP(ApplyPcStep);
HEPTANE_DEVICE_STEP(UnitStep);
HEPTANE_DEVICE_STEP(DivisibleStep);
HEPTANE_DEVICE_STEP(AddCorrectionStep);

} // namespace heptane
