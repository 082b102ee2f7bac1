/*
   All candidates of the kernels of tune_cases.hpp, timed by turns.
*/
#pragma once

#include "tuning_table.hpp"
#include <petscsys.h>

namespace heptane
{

/* The device in use as launches are to believe it, and how it is; *table gets the launches. Some seconds. */
PetscErrorCode MeasureLaunches(const LaunchDevice &believed, const DeviceLimits &real, double most_rows, TuningTable *table);
/* Of the second-level cache of the device in use */
PetscErrorCode DeviceCacheBytes(double *bytes);
/* Registers and shared memory of the kernels of a question, asked once */
const LaunchKernels &kernels_of(const LaunchQuestion &q);
/* A candidate as an answer; no more blocks than are resident at once where they go on in strides */
LaunchChoice choice_of(const DeviceLimits &believed, const DeviceLimits &real, const LaunchQuestion &q, const LaunchCandidate &c);

} // namespace heptane
