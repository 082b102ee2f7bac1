/*
   Measures the machine at hand: host, device, and copies between them.
*/
#pragma once

#include "machine.hpp"
#include <petscsys.h>
#include <cstddef>

namespace heptane
{

/* Passes over the host's memory and caches, one thread; about 50 ms */
PetscErrorCode MeasureHost(Machine *machine);
/*
   Copies, passes and latencies of the current device, and copies to the next one if there is one; about 100 ms.
   Requires a usable device.
*/
PetscErrorCode MeasureDevice(Machine *machine);
/* us of a load from the device's memory when its caches hold other data */
PetscErrorCode MeasureMemoryLatency(double *us);

} // namespace heptane
