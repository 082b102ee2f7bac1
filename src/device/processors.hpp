/*
   The number of multiprocessors of the current device.
*/
#pragma once

#include <cuda_runtime.h>

namespace heptane
{

inline cudaError_t processors(int *n)
{
  int         device;
  cudaError_t err = cudaGetDevice(&device);

  if (err == cudaSuccess) err = cudaDeviceGetAttribute(n, cudaDevAttrMultiProcessorCount, device);
  return err;
}

} // namespace heptane
