/*
   Counts what a program asks of the CUDA run time: the definitions here come before those of libcudart, which they call. In a program that
   never calls CUDA they are never called.
*/
#pragma once

#include <dlfcn.h>
#include <petscksp.h>
#include <stddef.h>

typedef struct {
  long   kernels, graphs, copies, allocations, waits;
  double bytes, device; /* copied, allocated on the device */
} CudaCalls;

static CudaCalls cuda_calls;

typedef struct {
  unsigned int x, y, z;
} CudaDim;

/* Counts, then calls the real function with these parameters and arguments; 35: the driver is missing */
#define CUDA_COUNTED(count, name, parameters, arguments) \
  __attribute__((visibility("default"))) int name parameters; \
  int name                                        parameters \
  { \
    int(*real) parameters = (int(*) parameters)dlsym(RTLD_NEXT, #name); \
\
    count; \
    return real ? real arguments : 35; \
  }

CUDA_COUNTED(cuda_calls.kernels++, cudaLaunchKernel, (const void *f, CudaDim g, CudaDim b, void **a, size_t m, void *s), (f, g, b, a, m, s))
CUDA_COUNTED(cuda_calls.kernels++, __cudaLaunchKernel, (const void *f, CudaDim g, CudaDim b, void **a, size_t m, void *s), (f, g, b, a, m, s))
CUDA_COUNTED(cuda_calls.kernels++, cudaLaunchCooperativeKernel, (const void *f, CudaDim g, CudaDim b, void **a, size_t m, void *s), (f, g, b, a, m, s))
CUDA_COUNTED(cuda_calls.kernels++, cudaLaunchKernelExC, (const void *c, const void *f, void **a), (c, f, a))
CUDA_COUNTED(cuda_calls.graphs++, cudaGraphLaunch, (void *g, void *s), (g, s))
CUDA_COUNTED((cuda_calls.allocations++, cuda_calls.device += (double)n), cudaMalloc, (void **p, size_t n), (p, n))
CUDA_COUNTED((cuda_calls.allocations++, cuda_calls.device += (double)n), cudaMallocAsync, (void **p, size_t n, void *s), (p, n, s))
CUDA_COUNTED(cuda_calls.allocations++, cudaMallocHost, (void **p, size_t n), (p, n))
CUDA_COUNTED(cuda_calls.allocations++, cudaFree, (void *p), (p))
CUDA_COUNTED(cuda_calls.allocations++, cudaFreeAsync, (void *p, void *s), (p, s))
CUDA_COUNTED(cuda_calls.allocations++, cudaFreeHost, (void *p), (p))
CUDA_COUNTED(cuda_calls.waits++, cudaStreamSynchronize, (void *s), (s))
CUDA_COUNTED(cuda_calls.waits++, cudaDeviceSynchronize, (void), ())
CUDA_COUNTED(cuda_calls.waits++, cudaEventSynchronize, (void *e), (e))
CUDA_COUNTED((cuda_calls.copies++, cuda_calls.waits++, cuda_calls.bytes += (double)n), cudaMemcpy, (void *to, const void *from, size_t n, int kind),
             (to, from, n, kind))
CUDA_COUNTED((cuda_calls.copies++, cuda_calls.bytes += (double)n), cudaMemcpyAsync, (void *to, const void *from, size_t n, int kind, void *s),
             (to, from, n, kind, s))
