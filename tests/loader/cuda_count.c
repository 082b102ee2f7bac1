/* Preloaded before libcudart: writes a line to $CUDA_COUNT_FILE for each call of the CUDA run time that asks for or touches a device.
   Registration of embedded device code (__cudaRegister...) touches none and is not counted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void Count(const char name[])
{
  const char *path = getenv("CUDA_COUNT_FILE");
  FILE       *file = path ? fopen(path, "a") : NULL;

  if (!file) return;
  fprintf(file, "%s\n", name);
  fclose(file);
}

typedef int (*any_call)(void *, void *, void *, void *, void *, void *);

#define COUNTED(name) \
  int name(void *a, void *b, void *c, void *d, void *e, void *f) \
  { \
    any_call real = (any_call)dlsym(RTLD_NEXT, #name); \
    Count(#name); \
    return real ? real(a, b, c, d, e, f) : 35; \
  }

COUNTED(cudaGetDeviceCount)
COUNTED(cudaGetDevice)
COUNTED(cudaSetDevice)
COUNTED(cudaSetDeviceFlags)
COUNTED(cudaFree)
COUNTED(cudaMalloc)
COUNTED(cudaMallocHost)
COUNTED(cudaMallocManaged)
COUNTED(cudaMallocAsync)
COUNTED(cudaMemGetInfo)
COUNTED(cudaMemcpyAsync)
COUNTED(cudaMemcpyToSymbol)
COUNTED(cudaStreamCreate)
COUNTED(cudaStreamCreateWithFlags)
COUNTED(cudaEventCreate)
COUNTED(cudaEventCreateWithFlags)
COUNTED(cudaDeviceGetAttribute)
COUNTED(cudaDeviceSynchronize)
COUNTED(cudaFuncGetAttributes)
COUNTED(cudaFuncSetAttribute)
COUNTED(cudaDriverGetVersion)
