/*
   Measures the machine at hand: host, device, and what lies between them and between processes.
*/
#pragma once

#include "machine.hpp"
#include <petscsys.h>
#include <cstddef>

namespace heptane
{

class FusedOperator;

/* A pass of the host's memory and caches, one thread; some 50 ms */
PetscErrorCode MeasureHost(Machine *machine);
/* us of a product of this operator of the host, of one process with n rows; a first one does not count */
double time_product(const FusedOperator &A, std::size_t n);
/* Messages and sums of this communicator; collective; nothing on one process */
PetscErrorCode MeasureMessages(MPI_Comm comm, Machine *machine);
/* Copies, passes and latencies of the device in use, and copies to the next one if there is one; some 100 ms. Only where a device is usable. */
PetscErrorCode MeasureDevice(Machine *machine);
/* us of a load from the device's memory, whose caches have something else */
PetscErrorCode MeasureMemoryLatency(double *us);

} // namespace heptane
