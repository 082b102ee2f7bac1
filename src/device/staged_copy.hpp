/*
   Copies between ordinary memory of the host and the device through pinned memory of the library. The driver's own copies
   of ordinary memory take one thread and half as long again to five times as long.
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
