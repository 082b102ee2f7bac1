/*
   Launches of consecutive kernels of a stream that overlap: a kernel begins while the last blocks of its predecessor
   run, which hides its launch. Each such kernel calls wait_for_predecessor() before it accesses data of earlier
   kernels. Has no PETSc objects.
*/
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

namespace heptane
{

/* The next kernel may begin once all blocks have called this or ended */
__device__ __forceinline__ void let_successor_begin()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/*
   Before every thread has called it, a kernel must not write memory, and may read only memory that no running kernel
   writes
*/
__device__ __forceinline__ void await_predecessor()
{
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Both, called once by every thread */
__device__ __forceinline__ void wait_for_predecessor()
{
  let_successor_begin();
  await_predecessor();
}

/*
   early: it may begin before its predecessor has ended; otherwise an ordinary launch. bytes: of dynamic shared memory
*/
template <class... Parameters, class... Arguments>
cudaError_t launch_chained_with(std::size_t bytes, void (*kernel)(Parameters...), dim3 grid, dim3 threads, cudaStream_t stream, bool early,
                                const Arguments &...arguments)
{
  cudaLaunchAttribute attribute[1] = {};
  cudaLaunchConfig_t  config       = {};

  attribute[0].id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  config.gridDim                                          = grid;
  config.blockDim                                         = threads;
  config.dynamicSmemBytes                                 = bytes;
  config.stream                                           = stream;
  config.attrs                                            = attribute;
  config.numAttrs                                         = early;
  return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

template <class... Parameters, class... Arguments>
cudaError_t launch_chained(void (*kernel)(Parameters...), dim3 grid, dim3 threads, cudaStream_t stream, bool early, const Arguments &...arguments)
{
  return launch_chained_with(0, kernel, grid, threads, stream, early, arguments...);
}

} // namespace heptane
