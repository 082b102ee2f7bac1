/*
   Memory, scalars and synchronization of passes on the device.
*/
#include "device_passes.hpp"
#include "../../../comm/peer_order.hpp"
#include <algorithm>
#include <cstring>

#if PetscDefined(HAVE_CUDA)
namespace heptane
{

DevicePasses::~DevicePasses()
{
  FreeEvents();
}

void DevicePasses::FreeEvents()
{
  for (cudaEvent_t &e : event) {
    if (e) (void)cudaEventDestroy(e);
    e = nullptr;
  }
}

/* Allocates pinned memory unless it exists */
template <class T>
static PetscErrorCode PinnedMalloc(std::size_t n, T **p, std::vector<std::shared_ptr<void>> *owners)
{
  PetscFunctionBegin;
  if (*p) PetscFunctionReturn(PETSC_SUCCESS);
  const cudaError_t err = cudaMallocHost((void **)p, n * sizeof(T));
  if (err) {
    *p = nullptr;
    (void)cudaGetLastError(); /* clears the error, which would be reported by launches of the next solve */
  }
  PetscCallCUDA(err);
  owners->emplace_back(*p, [](void *a) { (void)cudaFreeHost(a); });
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Allocates the parts that do not exist; after an error some may exist */
PetscErrorCode DevicePasses::Allocate()
{
  PetscFunctionBegin;
  if (!d_memory) {
    int dev, sms, major;

    PetscCallCUDA(cudaGetDevice(&dev));
    PetscCallCUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    PetscCallCUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, dev));
    reduction.max_blocks     = sms * PassTuning::max_blocks_per_sm;
    reduction.history_length = PassTuning::history;
    reduction.processors     = sms;
    chains                   = major >= 9;
    partial_memory.Resize(4 * (std::size_t)reduction.max_blocks);
    PetscCall(partial_memory.Memory(Where::device, &reduction.partial));
    PetscCall(count_memory.Zeros(Where::device, &reduction.count));
    PetscCall(history_memory.Memory(Where::device, &reduction.history));
    for (int k = 0; k < 2; k++) {
      PetscCall(PinnedMalloc(1, &pinned_scalars[k], &pinned));
      PetscCall(PinnedMalloc(PassTuning::history, &pinned_history[k], &pinned));
    }
    PetscCall(PinnedMalloc(fused_scalars_bytes, &upload, &pinned));
    PetscCall(PinnedMalloc(fused_sums, &host_sums, &pinned));
    PetscCall(PinnedMalloc(4, &waited, &pinned));
    PetscCall(copies_memory.Zeros(Where::device, &d_memory));
  }
  for (cudaEvent_t &e : event)
    if (!e) PetscCallCUDA(cudaEventCreateWithFlags(&e, cudaEventDisableTiming | (blocking ? cudaEventBlockingSync : 0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DevicePasses::Begin(PetscBool wait_blocking)
{
  PetscFunctionBegin;
  if (blocking != wait_blocking) FreeEvents(); /* events are created for one kind of wait */
  blocking = wait_blocking;
  PetscCall(Allocate());
  if (operands.Processes() > 1) PetscCall(PeerInOrder());
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  turn = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the memory for the sums of the passes */
PetscErrorCode DevicePasses::SumBy(const ProcessSums &way)
{
  PetscFunctionBegin;
  by                   = &way;
  left_sums            = LeftSums();
  reduction.sums       = by->ByHost() ? host_sums : d_memory->sums;
  reduction.local_sums = reduction.sums;
  reduction.peers      = by->OnDevice();
  /*
     a chained kernel would occupy, while it polls, multiprocessors that kernels of other processes need
  */
  reduction.chained = chains && !by->SharesGpu();
  if (by->Apart()) {
    PetscCall(parts_memory.Zeros(Where::device, &reduction.local_sums));
    reduction.chained = false; /* a launch cannot be chained to NCCL's kernels */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void DevicePasses::Leave()
{
  by      = &alone;
  cleared = false;
}

PetscErrorCode DevicePasses::ClearOther()
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaMemsetAsync(Copy(1 - turn), 0, fused_scalars_bytes, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DevicePasses::RepeatCount(int **count)
{
  PetscFunctionBegin;
  PetscCall(repeat_count.Zeros(Where::device, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DevicePasses::SetScalars()
{
  PetscFunctionBegin;
  cleared = false;
  /* `upload` was read when the host last waited: every way here has a wait between it and the one before */
  std::memcpy(upload, &scalars.Host(), fused_scalars_bytes);
  PetscCallCUDA(cudaMemcpyAsync(Scalars(), upload, fused_scalars_bytes, cudaMemcpyHostToDevice, stream));
  PetscCall(PetscLogCpuToGpu(fused_scalars_bytes));
  counts.copies++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DevicePasses::ClearScalars()
{
  PetscFunctionBegin;
  if (!cleared) PetscCallCUDA(cudaMemsetAsync(Scalars(), 0, fused_scalars_bytes, stream));
  cleared = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DevicePasses::Clear(std::size_t at, std::size_t bytes)
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaMemsetAsync(d_memory->scalars[turn] + at, 0, bytes, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DevicePasses::CopyScalarsAsync(int slot, int from, int to)
{
  constexpr int length = PassTuning::history;

  PetscFunctionBegin;
  if (by->ByHost()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaMemcpyAsync(pinned_scalars[slot], d_memory, sizeof(FusedMemory), cudaMemcpyDeviceToHost, stream));
  for (int at = from + 1; at <= to;) { /* the ring: one piece, or two */
    const int first = at % length, count = std::min(to - at + 1, length - first);
    PetscCallCUDA(cudaMemcpyAsync(pinned_history[slot] + first, reduction.history + first, count * sizeof(Real), cudaMemcpyDeviceToHost, stream));
    at += count;
  }
  for (int k = 0; k < 2; k++) {
    waited[2 * slot + k] = 0;
    if (by->Flag(k)) PetscCallCUDA(cudaMemcpyAsync(waited + 2 * slot + k, by->Flag(k), sizeof(int), cudaMemcpyDeviceToHost, stream));
  }
  PetscCallCUDA(cudaEventRecord(event[slot], stream));
  PetscCall(PetscLogGpuToCpu(sizeof(FusedMemory) + (PetscLogDouble)(to - from) * sizeof(Real)));
  copied_from[slot] = from;
  copied_to[slot]   = to;
  copied_turn[slot] = turn;
  counts.copies++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DevicePasses::WaitScalars(int slot)
{
  FusedMemory &host_memory = scalars.HostMemory();

  PetscFunctionBegin;
  if (by->ByHost()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(WaitFor(event[slot]));
  PetscCall(by->Check(waited + 2 * slot));
  std::memcpy(host_memory.scalars[0], pinned_scalars[slot]->scalars[copied_turn[slot]], fused_scalars_bytes);
  if (operands.Rows() || by->InPasses()) std::copy(pinned_scalars[slot]->sums, pinned_scalars[slot]->sums + fused_sums, host_memory.sums);
  for (int it = copied_from[slot] + 1; it <= copied_to[slot]; it++)
    scalars.History()[it % PassTuning::history] = pinned_history[slot][it % PassTuning::history];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DevicePasses::WaitFor(cudaEvent_t e)
{
  const bool     watches = by->Watches();
  PetscLogDouble begun   = 0;

  PetscFunctionBegin;
  counts.waits++;
  if (watches) PetscCall(PetscTime(&begun));
  if (blocking && !watches) PetscCallCUDA(cudaEventSynchronize(e));
  else {
    cudaError_t err;

    while ((err = cudaEventQuery(e)) == cudaErrorNotReady)
      if (watches) PetscCall(by->Watch(begun));
    PetscCallCUDA(err);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DevicePasses::CheckExchange()
{
  PetscFunctionBegin;
  if (!by->InPasses()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaEventRecord(event[2], stream));
  PetscCall(WaitFor(event[2]));
  PetscCall(by->Check());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DevicePasses::FetchSums(int k, int at)
{
  Scalar sums[fused_sums] = {};

  PetscFunctionBegin;
  if (operands.Rows()) {
    PetscCallCUDA(cudaEventRecord(event[0], stream));
    PetscCall(WaitFor(event[0]));
    std::copy(host_sums + at, host_sums + at + k, sums);
  }
  PetscCall(scalars.Keep(k, at, sums, *by));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
#endif
