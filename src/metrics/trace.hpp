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

/* From now on kernels are told to *to; not begun: *why. No CUDA call is made. */
bool trace_begin(MetricsCollector *to, std::string *why);
/* All that has been launched has run and been told; *remark: where some was lost */
PetscErrorCode TraceEnd(std::string *remark);

PetscErrorCode DeviceLimitsNow(DeviceLimits *device);
/*
   Bytes read and written by copies inside the device's memory, GB/s; NaN if the device has too little memory for the
   test
*/
PetscErrorCode DeviceCopyRate(double *gbs);
/* KernelRow::api_blocks, as cudaOccupancyMaxActiveBlocksPerMultiprocessor() says */
PetscErrorCode AskOccupancy(std::vector<KernelRow> *rows);
/* Versions: driver, CUDA */
PetscErrorCode DeviceVersions(std::string *driver, std::string *cuda);

} // namespace heptane
