/*
   Device memory, owned by a Buffer (buffer.hpp), and copies that PETSc's log counts. Glue: uses PETSc's errors and log,
   not its objects. Without CUDA every call is an error that cannot be reached, since no device is ever usable then.
*/
#pragma once

#include <petscsys.h>
#include <petsclog.h>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

/* For destructors: ignores failure, which occurs once CUDA has ended */
inline void DeviceFree(void *p)
{
  (void)p;
#if PetscDefined(HAVE_CUDA)
  if (p) (void)cudaFree(p);
#endif
}

template <class T>
PetscErrorCode DeviceMalloc(std::size_t n, T **p)
{
  PetscFunctionBegin;
  *p = nullptr;
#if PetscDefined(HAVE_CUDA)
  if (n) {
    const cudaError_t err = cudaMalloc((void **)p, n * sizeof(T));
    PetscCheck(err != cudaErrorMemoryAllocation, PETSC_COMM_SELF, PETSC_ERR_MEM,
               "The device has no %.3f GB left: use more GPUs, a smaller problem, or -heptane_device host", 1e-9 * (double)n * sizeof(T));
    PetscCallCUDA(err);
  }
#else
  PetscCheck(!n, PETSC_COMM_SELF, PETSC_ERR_SUP, "PETSc was configured without CUDA");
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *p is null if the device has too little memory, which is no error here */
template <class T>
PetscErrorCode DeviceTryMalloc(std::size_t n, T **p)
{
  PetscFunctionBegin;
  *p = nullptr;
#if PetscDefined(HAVE_CUDA)
  const cudaError_t err = cudaMalloc((void **)p, n * sizeof(T));

  if (err == cudaErrorMemoryAllocation) {
    *p = nullptr;
    (void)cudaGetLastError(); /* clears the error, which is handled here */
  } else PetscCallCUDA(err);
#else
  PetscCheck(!n, PETSC_COMM_SELF, PETSC_ERR_SUP, "PETSc was configured without CUDA");
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T>
PetscErrorCode DeviceCalloc(std::size_t n, T **p)
{
  PetscFunctionBegin;
  PetscCall(DeviceMalloc(n, p));
#if PetscDefined(HAVE_CUDA)
  if (n) {
    cudaStream_t stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemsetAsync((void *)*p, 0, n * sizeof(T), stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Synchronous */
inline PetscErrorCode CopyAcross(void *to, const void *from, std::size_t bytes, bool to_device)
{
  PetscFunctionBegin;
  (void)to, (void)from, (void)to_device;
#if PetscDefined(HAVE_CUDA)
  if (bytes) {
    cudaStream_t stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemcpyAsync(to, from, bytes, to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream));
    PetscCallCUDA(cudaStreamSynchronize(stream));
    PetscCall(to_device ? PetscLogCpuToGpu((PetscLogDouble)bytes) : PetscLogGpuToCpu((PetscLogDouble)bytes));
  }
#else
  PetscCheck(!bytes, PETSC_COMM_SELF, PETSC_ERR_SUP, "PETSc was configured without CUDA");
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The host array may be reused on return */
template <class T>
PetscErrorCode CopyToDevice(T *device, const T *host, std::size_t n)
{
  PetscFunctionBegin;
  PetscCall(CopyAcross((void *)device, (const void *)host, n * sizeof(T), true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The host array is complete on return */
template <class T>
PetscErrorCode CopyToHost(T *host, const T *device, std::size_t n)
{
  PetscFunctionBegin;
  PetscCall(CopyAcross((void *)host, (const void *)device, n * sizeof(T), false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
