/*
   Measures the machine at hand: host, device, and copies between them.
*/
#pragma once

#include "machine.hpp"
#include <petscsys.h>
#include <cstddef>

namespace heptane
{

/* A pass of the host's memory and caches, one thread; some 50 ms */
PetscErrorCode MeasureHost(Machine *machine);
/* Copies, passes and latencies of the device in use, and copies to the next one if there is one; some 100 ms. Only where a device is usable. */
PetscErrorCode MeasureDevice(Machine *machine);
/* us of a load from the device's memory, whose caches have something else */
PetscErrorCode MeasureMemoryLatency(double *us);

} // namespace heptane
