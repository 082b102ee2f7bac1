/*
   Copies between ordinary memory of the host and the device through pinned memory of the library. Two copies of 27 MB take
   4 ms, by the driver 11 ms with zeros written into one array: bench/results/2026-11-28-h200-host-vectors
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/* The host array may be reused on return */
PetscErrorCode StagedCopyToDevice(void *device, const void *host, std::size_t bytes);
/* The host array is complete on return */
PetscErrorCode StagedCopyToHost(void *host, const void *device, std::size_t bytes);

} // namespace heptane
