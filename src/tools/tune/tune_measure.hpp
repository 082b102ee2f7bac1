/*
   All candidates of the kernels of tune_cases.hpp, timed in turns.
*/
#pragma once

#include "tuning_table.hpp"
#include <petscsys.h>

namespace heptane
{

/*
   assumed: the current device as launches are to see it; real: as it is. The launches are added to *table. Some
   seconds.
*/
PetscErrorCode MeasureLaunches(const LaunchDevice &assumed, const DeviceLimits &real, double most_rows, TuningTable *table);
/* Of the second-level cache of the current device */
PetscErrorCode DeviceCacheBytes(double *bytes);
/* Registers and shared memory of the kernels of a question, queried once */
const LaunchKernels &kernels_of(const LaunchQuestion &q);
/* A candidate as an answer; grids in strides have at most the number of resident blocks */
LaunchChoice choice_of(const DeviceLimits &assumed, const DeviceLimits &real, const LaunchQuestion &q, const LaunchCandidate &c);

} // namespace heptane
