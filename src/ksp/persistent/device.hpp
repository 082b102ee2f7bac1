/*
   Properties of the current device for launches of persistent kernels: queried once per device, since a solve needs
   them before every launch.
*/
#pragma once

#include <cuda_runtime.h>

namespace heptane
{

struct BdiaghPersistentDevice {
  int number = -1, processors = 0, shared = 0, cooperative = 0; /* shared: bytes per block */
};

inline cudaError_t bdiagh_persistent_device(BdiaghPersistentDevice *d)
{
  static BdiaghPersistentDevice last; /* used before every launch */
  int                           number;
  cudaError_t                   err = cudaGetDevice(&number);

  if (!err && number == last.number) {
    *d = last;
    return cudaSuccess;
  }
  d->number = number;
  if (!err) err = cudaDeviceGetAttribute(&d->processors, cudaDevAttrMultiProcessorCount, d->number);
  if (!err) err = cudaDeviceGetAttribute(&d->shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->number);
  if (!err) err = cudaDeviceGetAttribute(&d->cooperative, cudaDevAttrCooperativeLaunch, d->number);
  if (!err) last = *d;
  return err;
}

} // namespace heptane
