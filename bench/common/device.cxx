/*
   The GPU as benchmarks see it, through the CUDA run-time library alone; host stand-ins where PETSc has no CUDA.
*/
#include "device.hpp"
#include <petscdevice.h>
#include <petsclog.h>
#include <petsctime.h>
#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace bench
{

static constexpr int copy_samples = 7;

static double median(std::vector<double> v)
{
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// Far more than any cache holds, unless -copy_mib asks for less
static PetscErrorCode copy_bytes(PetscInt mib, size_t *bytes)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-copy_mib", &mib, nullptr));
  PetscCheck(mib > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-copy_mib must be positive");
  *bytes = static_cast<size_t>(mib) << 20;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
static constexpr int copies_per_sample = 40; // of 1 GiB: 20 ms at 4300 GB/s

// The kernel module's version, as nvidia-smi prints it; the API version when that file cannot be read
static PetscErrorCode driver_version(std::string *version)
{
  std::ifstream file("/proc/driver/nvidia/version");
  std::string   word;
  int           api = 0;

  PetscFunctionBeginUser;
  while (file >> word) {
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) {
      *version = word;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscCallCUDA(cudaDriverGetVersion(&api));
  *version = "API " + std::to_string(api / 1000) + "." + std::to_string(api % 1000 / 10);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode device_initialize(DeviceInfo *info)
{
  cudaDeviceProp property;
  int            device, runtime;

  PetscFunctionBeginUser;
  if (cudaGetDeviceCount(&info->count) != cudaSuccess) {
    (void)cudaGetLastError(); // clears "no device" or "no driver", which is an answer and not a failure
    info->count = 0;
  }
  if (!info->count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
  PetscCallCUDA(cudaGetDevice(&device));
  PetscCallCUDA(cudaGetDeviceProperties(&property, device));
  PetscCallCUDA(cudaRuntimeGetVersion(&runtime));
  PetscCall(driver_version(&info->driver));
  char address[32] = "";
  PetscCallCUDA(cudaDeviceGetPCIBusId(address, sizeof(address), device));
  info->name    = property.name;
  info->address = address;
  info->cuda    = std::to_string(runtime / 1000) + "." + std::to_string(runtime % 1000 / 10);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode device_synchronize(const DeviceInfo &info)
{
  PetscFunctionBeginUser;
  if (info.count) PetscCallCUDA(cudaDeviceSynchronize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode device_copy_rate(MPI_Comm comm, const DeviceInfo &info, double *gbs)
{
  void               *source, *target;
  size_t              device_copy_bytes = 0;
  std::vector<double> rates;
  double              mine;

  PetscFunctionBeginUser;
  *gbs = 0;
  if (!info.count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(copy_bytes(1024, &device_copy_bytes));
  PetscCallCUDA(cudaMalloc(&source, device_copy_bytes));
  PetscCallCUDA(cudaMalloc(&target, device_copy_bytes));
  PetscCallCUDA(cudaMemset(source, 0x5a, device_copy_bytes)); // pages exist and are not all zero
  PetscCallCUDA(cudaMemset(target, 0, device_copy_bytes));
  for (int s = -1; s < copy_samples; s++) { // sample -1 warms up
    PetscLogDouble begin, end;

    PetscCallCUDA(cudaDeviceSynchronize());
    PetscCallMPI(MPI_Barrier(comm));
    PetscCall(PetscTime(&begin));
    for (int k = 0; k < copies_per_sample; k++) PetscCallCUDA(cudaMemcpyAsync(target, source, device_copy_bytes, cudaMemcpyDeviceToDevice, nullptr));
    PetscCallCUDA(cudaDeviceSynchronize());
    PetscCall(PetscTime(&end));
    if (s >= 0) rates.push_back(2e-9 * device_copy_bytes * copies_per_sample / (end - begin));
  }
  PetscCallCUDA(cudaFree(source));
  PetscCallCUDA(cudaFree(target));
  // ranks that share a device measured their shares at the same time, so the sum is right there too
  mine = median(rates);
  PetscCallMPI(MPI_Allreduce(&mine, gbs, 1, MPI_DOUBLE, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode device_upload(const PetscScalar *host, PetscCount n, PetscScalar **device)
{
  PetscFunctionBeginUser;
  PetscCallCUDA(cudaMalloc(reinterpret_cast<void **>(device), sizeof(PetscScalar) * PetscMax(n, 1)));
  PetscCallCUDA(cudaMemcpy(*device, host, sizeof(PetscScalar) * n, cudaMemcpyHostToDevice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode device_free(PetscScalar **device)
{
  PetscFunctionBeginUser;
  PetscCallCUDA(cudaFree(*device));
  *device = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// All bytes 0xff are a NaN in both precisions; the waits order it with work on any stream
PetscErrorCode device_fill_nan(PetscScalar *device, PetscCount n)
{
  PetscFunctionBeginUser;
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscCallCUDA(cudaMemset(device, 0xff, sizeof(PetscScalar) * n));
  PetscCallCUDA(cudaDeviceSynchronize());
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else
PetscErrorCode device_initialize(DeviceInfo *)
{
  return PETSC_SUCCESS;
}

PetscErrorCode device_synchronize(const DeviceInfo &)
{
  return PETSC_SUCCESS;
}

PetscErrorCode device_upload(const PetscScalar *, PetscCount, PetscScalar **)
{
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "device values need a PETSc configured with CUDA (--with-cuda)");
}

PetscErrorCode device_free(PetscScalar **)
{
  return PETSC_SUCCESS;
}

PetscErrorCode device_fill_nan(PetscScalar *, PetscCount)
{
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "a vector on the device needs a PETSc configured with CUDA (--with-cuda)");
}

PetscErrorCode device_copy_rate(MPI_Comm, const DeviceInfo &, double *gbs)
{
  *gbs = 0;
  return PETSC_SUCCESS;
}
#endif

PetscErrorCode host_copy_rate(MPI_Comm comm, double *gbs)
{
  std::unique_ptr<char[]> source, target;
  size_t                  bytes = 0;
  std::vector<double>     rates;
  double                  mine;

  PetscFunctionBeginUser;
  PetscCall(copy_bytes(512, &bytes));
  source.reset(new char[bytes]);
  target.reset(new char[bytes]);
  std::memset(source.get(), 0x5a, bytes);
  std::memset(target.get(), 0, bytes);
  for (int s = 0; s < copy_samples; s++) {
    PetscLogDouble begin, end;

    source[s] = static_cast<char>(s); // each copy differs, so none can be dropped
    PetscCallMPI(MPI_Barrier(comm));
    PetscCall(PetscTime(&begin));
    std::memcpy(target.get(), source.get(), bytes);
    PetscCall(PetscTime(&end));
    PetscCheck(target[s] == static_cast<char>(s), PETSC_COMM_SELF, PETSC_ERR_PLIB, "the copy benchmark did not copy");
    rates.push_back(2e-9 * static_cast<double>(bytes) / (end - begin));
  }
  mine = median(rates);
  PetscCallMPI(MPI_Allreduce(&mine, gbs, 1, MPI_DOUBLE, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Traffic traffic_now()
{
  Traffic t;
#if PetscDefined(HAVE_DEVICE) && PetscDefined(USE_LOG)
  t.h2d_copies = petsc_ctog_ct + petsc_ctog_ct_scalar;
  t.h2d_bytes  = petsc_ctog_sz + petsc_ctog_sz_scalar;
  t.d2h_copies = petsc_gtoc_ct + petsc_gtoc_ct_scalar;
  t.d2h_bytes  = petsc_gtoc_sz + petsc_gtoc_sz_scalar;
#endif
  return t;
}

Traffic operator-(const Traffic &a, const Traffic &b)
{
  Traffic t;
  t.h2d_copies = a.h2d_copies - b.h2d_copies;
  t.h2d_bytes  = a.h2d_bytes - b.h2d_bytes;
  t.d2h_copies = a.d2h_copies - b.d2h_copies;
  t.d2h_bytes  = a.d2h_bytes - b.d2h_bytes;
  return t;
}

} // namespace bench
