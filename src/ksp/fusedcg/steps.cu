/*
   The device code of the passes of CG.
*/
#include "../../pass/step_device.cuh"
#include "fold.hpp"
#include "mixed.hpp"
#include "one_sum_step.hpp"
#include "reduced.hpp"
#include "steps.hpp"

namespace heptane
{

HEPTANE_DEVICE_STEP(CgDirection<Scalar>);
HEPTANE_DEVICE_REPEAT(CgDirection<Scalar>);
HEPTANE_DEVICE_REPEAT(CgReducedTest);
HEPTANE_DEVICE_STEP(CgComplete);
HEPTANE_DEVICE_STEP(CgUpdate);
HEPTANE_DEVICE_STEP(CgResidual);
HEPTANE_DEVICE_STEP(CgScaledResidual);
HEPTANE_DEVICE_STEP(CgUnscale);
HEPTANE_DEVICE_STEP(CgFold);
HEPTANE_DEVICE_STEP(CgFoldedResidual<Scalar>);
HEPTANE_DEVICE_STEP(CgDirection<Single>);
HEPTANE_DEVICE_STEP(CgFoldedResidual<Single>);
HEPTANE_DEVICE_STEP(CgAddCorrection);
HEPTANE_DEVICE_STEP(CgRound);
HEPTANE_DEVICE_STEP(CgOneSumStep);

} // namespace heptane
