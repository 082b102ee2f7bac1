/*
   What benchmarks need of the machine itself: is there a usable GPU, wait for it, how fast does it (or the host) copy.
   The only header of bench/common whose implementation differs between PETSc with and without CUDA.
*/
#pragma once
#include <petscsys.h>
#include <string>

namespace bench
{

struct DeviceInfo {
  int         count  = 0;      // devices this process can use; 0 without CUDA or without a driver
  std::string name   = "none"; // of this rank's device
  std::string driver = "none";
  std::string cuda   = "none"; // run-time library's version
  std::string address;         // of this rank's device on the bus
};

// Lets PETSc choose this rank's device before anything else touches one
PetscErrorCode device_initialize(DeviceInfo *info);

// Waits for everything queued on the device; nothing without one
PetscErrorCode device_synchronize(const DeviceInfo &info);

// Bytes read plus bytes written a second (GB/s = 1e9), median of several samples.
// Device: cudaMemcpyAsync of 1 GiB inside the device's memory, summed over the devices in use.
// Host: memcpy of 512 MiB, all ranks at the same time, summed over ranks. -copy_mib changes both sizes.
PetscErrorCode device_copy_rate(MPI_Comm comm, const DeviceInfo &info, double *gbs);
PetscErrorCode host_copy_rate(MPI_Comm comm, double *gbs);

// A copy of host values in the device's memory, as an application that assembles on the GPU holds them
PetscErrorCode device_upload(const PetscScalar *host, PetscCount n, PetscScalar **device);
PetscErrorCode device_free(PetscScalar **device);
PetscErrorCode device_fill_nan(PetscScalar *device, PetscCount n);

// PETSc's counts of what crossed between host and device since the program began
struct Traffic {
  double h2d_copies = 0, h2d_bytes = 0, d2h_copies = 0, d2h_bytes = 0;
};
Traffic traffic_now();
Traffic operator-(const Traffic &a, const Traffic &b);

} // namespace bench
