/*
   Kernel data from the GPU: run times and launch parameters (CUPTI, loaded at run time), resources of the device, and
   its copy rate. Empty if PETSc has no CUDA.
*/
#pragma once

#include "collect.hpp"
#include "occupancy.hpp"
#include <petscsys.h>

namespace heptane
{

/*
   Starts to report kernels to *to; returns false, with the reason in *why, if that is impossible. No CUDA call is made.
*/
bool trace_begin(MetricsCollector *to, std::string *why);
/* Waits until all launched kernels have run and are reported; *remark: losses, if any */
PetscErrorCode TraceEnd(std::string *remark);

PetscErrorCode DeviceLimitsNow(DeviceLimits *device);
/*
   Bytes read and written by copies inside the device's memory, GB/s; NaN if the device has too little memory for the
   test
*/
PetscErrorCode DeviceCopyRate(double *gbs);
/* KernelRow::api_blocks, from cudaOccupancyMaxActiveBlocksPerMultiprocessor() */
PetscErrorCode AskOccupancy(std::vector<KernelRow> *rows);
/* Versions: driver, CUDA */
PetscErrorCode DeviceVersions(std::string *driver, std::string *cuda);

} // namespace heptane
