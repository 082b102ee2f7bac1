/*
   Pieces of a copy go through two pinned buffers of each thread, so that a thread fills or empties one while the other is on
   its way.
*/
#include "staged_copy.hpp"
#include "memory.hpp"
#if PetscDefined(HAVE_CUDA)
  #include <algorithm>
  #include <cstring>
  #include <sched.h>
  #include <system_error>
  #include <thread>
#endif

namespace heptane
{

#if PetscDefined(HAVE_CUDA)
namespace
{

constexpr std::size_t least        = 128 * 1024; /* bytes: smaller copies of the driver are as fast */
constexpr std::size_t piece        = 512 * 1024; /* bytes: a transfer of about 10 us */
constexpr int         most_threads = 4;          /* of memory's rate a thread reaches some 10 GB/s, and the bus some 50 GB/s */

struct Slot {
  char       *buffer = nullptr; /* pinned */
  cudaEvent_t passed = nullptr; /* the copy from or to the buffer has ended */
};

struct Lane {
  Slot slot[2];
};

Lane lanes[most_threads];
int  lanes_made = 0;

PetscErrorCode FreeLanes(void)
{
  PetscFunctionBegin;
  for (Lane &lane : lanes)
    for (Slot &s : lane.slot) {
      if (s.passed) (void)cudaEventDestroy(s.passed);
      if (s.buffer) (void)cudaFreeHost(s.buffer);
      s = Slot();
    }
  lanes_made = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Available to this process, which may be bound to a subset */
int processors()
{
  cpu_set_t set;

  return sched_getaffinity(0, sizeof(set), &set) ? 1 : std::max(1, CPU_COUNT(&set));
}

PetscErrorCode MakeLanes(int number)
{
  PetscFunctionBegin;
  if (!lanes_made && number) PetscCall(PetscRegisterFinalize(FreeLanes));
  for (; lanes_made < number; lanes_made++)
    for (Slot &s : lanes[lanes_made].slot) {
      if (!s.buffer) PetscCallCUDA(cudaMallocHost((void **)&s.buffer, piece));
      if (!s.passed) PetscCallCUDA(cudaEventCreateWithFlags(&s.passed, cudaEventDisableTiming));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Copy {
  char        *to;
  const char  *from;
  std::size_t  bytes;
  bool         up;
  cudaStream_t stream;
  int          device, threads;

  std::size_t Pieces() const { return (bytes + piece - 1) / piece; }
  std::size_t Size(std::size_t k) const { return std::min(piece, bytes - k * piece); }
};

/* The pieces first, first + threads, ... to the device */
cudaError_t send(const Copy &c, int first)
{
  cudaError_t err = cudaSuccess;
  int         at  = 0;

  for (std::size_t k = (std::size_t)first; k < c.Pieces() && !err; k += (std::size_t)c.threads, at = 1 - at) {
    Slot &s = lanes[first].slot[at];

    err = cudaEventSynchronize(s.passed); /* an event that was not recorded has passed */
    if (err) break;
    std::memcpy(s.buffer, c.from + k * piece, c.Size(k));
    err = cudaMemcpyAsync(c.to + k * piece, s.buffer, c.Size(k), cudaMemcpyHostToDevice, c.stream);
    if (!err) err = cudaEventRecord(s.passed, c.stream);
  }
  return err;
}

/* ... to the host */
cudaError_t receive(const Copy &c, int first)
{
  const std::size_t step = (std::size_t)c.threads, pieces = c.Pieces();
  const auto        launch = [&](std::size_t k, Slot &s) {
    cudaError_t err = cudaEventSynchronize(s.passed);

    if (!err) err = cudaMemcpyAsync(s.buffer, c.from + k * piece, c.Size(k), cudaMemcpyDeviceToHost, c.stream);
    return err ? err : cudaEventRecord(s.passed, c.stream);
  };
  cudaError_t err = cudaSuccess;
  int         at  = 0;

  if ((std::size_t)first < pieces) err = launch((std::size_t)first, lanes[first].slot[0]);
  for (std::size_t k = (std::size_t)first; k < pieces && !err; k += step, at = 1 - at) {
    Slot &s = lanes[first].slot[at];

    if (k + step < pieces) err = launch(k + step, lanes[first].slot[1 - at]);
    if (!err) err = cudaEventSynchronize(s.passed);
    if (!err) std::memcpy(c.to + k * piece, s.buffer, c.Size(k));
  }
  return err;
}

cudaError_t run(const Copy &c, int first)
{
  const cudaError_t err = cudaSetDevice(c.device); /* each thread has its own */

  return err ? err : c.up ? send(c, first) : receive(c, first);
}

PetscErrorCode Staged(void *to, const void *from, std::size_t bytes, bool up)
{
  Copy        c = {static_cast<char *>(to), static_cast<const char *>(from), bytes, up, nullptr, 0, 1};
  std::thread others[most_threads];
  cudaError_t errors[most_threads] = {};

  PetscFunctionBegin;
  PetscCallCUDA(cudaGetDevice(&c.device));
  PetscCall(PetscGetCurrentCUDAStream(&c.stream));
  static const int available = processors();

  c.threads = (int)std::min<std::size_t>((std::size_t)std::min(most_threads, available), (c.Pieces() + 1) / 2);
  PetscCall(MakeLanes(c.threads));
  for (int t = 1; t < c.threads; t++) {
    try {
      others[t] = std::thread([&c, &errors, t] { errors[t] = run(c, t); });
    } catch (const std::system_error &) { /* the system has no more threads: this thread copies the pieces */
      errors[t] = run(c, t);
    }
  }
  errors[0] = run(c, 0);
  for (int t = 1; t < c.threads; t++)
    if (others[t].joinable()) others[t].join();
  for (cudaError_t err : errors) PetscCallCUDA(err);
  PetscCall(up ? PetscLogCpuToGpu((PetscLogDouble)bytes) : PetscLogGpuToCpu((PetscLogDouble)bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The bus reads and writes it directly */
bool is_pinned(const void *host)
{
  cudaPointerAttributes attributes;

  if (cudaPointerGetAttributes(&attributes, host) == cudaSuccess) return attributes.type == cudaMemoryTypeHost;
  (void)cudaGetLastError();
  return false;
}

} // namespace
#endif

PetscErrorCode StagedCopyToDevice(void *device, const void *host, std::size_t bytes)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  PetscCall(bytes < least || is_pinned(host) ? CopyAcross(device, host, bytes, true) : Staged(device, host, bytes, true));
#else
  PetscCall(CopyAcross(device, host, bytes, true));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StagedCopyToHost(void *host, const void *device, std::size_t bytes)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  PetscCall(bytes < least || is_pinned(host) ? CopyAcross(host, device, bytes, false) : Staged(host, device, bytes, false));
#else
  PetscCall(CopyAcross(host, device, bytes, false));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
