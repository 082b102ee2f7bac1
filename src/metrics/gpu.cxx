/*
   The device for the metrics: its limits, its copy bandwidth, CUDA's numbers of a kernel's occupancy.
*/
#include "trace.hpp"
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
  #include <algorithm>
  #include <fstream>
#endif

namespace heptane
{

#if PetscDefined(HAVE_CUDA)

PetscErrorCode DeviceLimitsNow(DeviceLimits *d)
{
  cudaDeviceProp p;
  int            device;

  PetscFunctionBegin;
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaGetDeviceProperties(&p, device));
  d->name            = p.name;
  d->major           = p.major;
  d->minor           = p.minor;
  d->multiprocessors = p.multiProcessorCount;
  d->warps           = p.maxThreadsPerMultiProcessor / p.warpSize;
  d->blocks          = p.maxBlocksPerMultiProcessor;
  d->registers       = p.regsPerMultiprocessor;
  d->block_registers = p.regsPerBlock;
  d->shared          = static_cast<long>(p.sharedMemPerMultiprocessor);
  d->shared_reserved = static_cast<long>(p.reservedSharedMemPerBlock);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Microseconds of one of several consecutive copies */
static PetscErrorCode TimeCopies(char *to, const char *from, std::size_t bytes, double *us)
{
  constexpr int copies = 8;
  cudaEvent_t   begin, end;
  float         ms;

  PetscFunctionBegin;
  PetscCallCUDA(cudaEventCreate(&begin));
  PetscCallCUDA(cudaEventCreate(&end));
  PetscCallCUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr));
  PetscCallCUDA(cudaEventRecord(begin, nullptr));
  for (int k = 0; k < copies; k++) PetscCallCUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr));
  PetscCallCUDA(cudaEventRecord(end, nullptr));
  PetscCallCUDA(cudaEventSynchronize(end));
  PetscCallCUDA(cudaEventElapsedTime(&ms, begin, end));
  PetscCallCUDA(cudaEventDestroy(begin));
  PetscCallCUDA(cudaEventDestroy(end));
  *us = 1e3 * ms / copies;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeviceCopyRate(double *gbs)
{
  constexpr int       samples = 5;
  std::size_t         bytes   = std::size_t(1) << 29, free_bytes, all;
  char               *memory;
  std::vector<double> us(samples);

  PetscFunctionBegin;
  *gbs = NAN;
  PetscCallCUDA(cudaMemGetInfo(&free_bytes, &all));
  while (bytes > (std::size_t(1) << 26) && 3 * bytes > free_bytes) bytes /= 2;
  if (cudaMalloc(reinterpret_cast<void **>(&memory), 2 * bytes) != cudaSuccess) {
    (void)cudaGetLastError(); /* clears the error, which is handled here */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallCUDA(cudaMemset(memory, 0x5a, 2 * bytes));
  for (double &sample : us) PetscCall(TimeCopies(memory + bytes, memory, bytes, &sample));
  PetscCallCUDA(cudaFree(memory));
  std::sort(us.begin(), us.end());
  *gbs = 2e-3 * static_cast<double>(bytes) / us[samples / 2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AskOccupancy(std::vector<KernelRow> *rows)
{
  PetscFunctionBegin;
  for (KernelRow &k : *rows) {
    if (!k.function) continue;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&k.api_blocks, k.function, k.shape.Threads(), static_cast<std::size_t>(k.dynamic_shared)) !=
        cudaSuccess) {
      (void)cudaGetLastError(); /* the error is the result */
      k.api_blocks = -1;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As nvidia-smi prints it; the version of the API if the driver's file cannot be read */
PetscErrorCode DeviceVersions(std::string *driver, std::string *cuda)
{
  std::ifstream file("/proc/driver/nvidia/version");
  std::string   word;
  int           version = 0;
  const auto    dotted  = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };

  PetscFunctionBegin;
  PetscCallCUDA(cudaDriverGetVersion(&version));
  *driver = "API " + dotted(version);
  while (file >> word)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) {
      *driver = word;
      break;
    }
  PetscCallCUDA(cudaRuntimeGetVersion(&version));
  *cuda = dotted(version);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

PetscErrorCode DeviceLimitsNow(DeviceLimits *)
{
  return PETSC_SUCCESS;
}

PetscErrorCode DeviceCopyRate(double *gbs)
{
  *gbs = NAN;
  return PETSC_SUCCESS;
}

PetscErrorCode AskOccupancy(std::vector<KernelRow> *)
{
  return PETSC_SUCCESS;
}

PetscErrorCode DeviceVersions(std::string *driver, std::string *cuda)
{
  *driver = *cuda = "none";
  return PETSC_SUCCESS;
}

#endif

} // namespace heptane
