/*
   The scalars of a solve on their ways between host and device, and the waits for them.
*/
#include "engine.hpp"
#include <algorithm>
#include <cinttypes>
#include <cstring>

namespace heptane
{

/* Collective: whether the processes sum from memory to memory, asked again in every solve */
PetscErrorCode FusedEngine::Link()
{
  const Where side = device ? Where::device : Where::host;

  PetscFunctionBegin;
  PetscCall(PeerOptionsGet(side, &peers));
  const Stamp now = Stamp::Of(peers.wanted, peers.may_share, peers.seconds, device);
  if (link_for == now) PetscFunctionReturn(PETSC_SUCCESS);
  link     = PeerLink();
  link_for = now;
  why_mpi.clear();
  if (!peers.wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(link.Create(comm, side, PeerLists(), peers.seconds, &why_mpi, device));
  if (!link.Usable()) PetscCall(PetscInfo(ksp, "Not from memory to memory: %s; MPI sums\n", why_mpi.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the scalars are kept, and where the passes leave their sums */
void FusedEngine::ChooseScalars()
{
  host_scalars = !device || (size > 1 && !Linked());
#if PetscDefined(HAVE_CUDA)
  if (!device) return;
  reduction.sums  = host_scalars ? host_sums : d_memory->sums;
  reduction.peers = PassesSum() ? link.SumsOnDevice() : nullptr;
  reduction.chained =
    chains && !(PassesSum() && link.Window().SharesGpu()); /* a kernel that waits for its predecessor takes place from those that this one waits for */
#endif
}

PetscErrorCode FusedEngine::CheckExchange()
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  int failed[2] = {0, 0};

  if (!PassesSum()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(WaitForKernels());
  PetscCallCUDA(cudaStreamSynchronize(stream));
  counts.waits++;
  PetscCall(link.Window().HasFailed(&failed[0]));
  if (HaloLink()) PetscCall(HaloLink()->Window().HasFailed(&failed[1]));
  PetscCall(CheckLinks(failed));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -heptane_comm_check, collective: a pass that one process has left out shows in the solve that it belongs to, not in the next one */
PetscErrorCode FusedEngine::CheckCounts()
{
  const FusedCounts before = counts;
  std::uint64_t     least[PeerWindow::counters], most[PeerWindow::counters];

  PetscFunctionBegin;
  if (size == 1 || !peers.check || !link.Usable()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckExchange());
  counts = before; /* of the solve alone */
  PetscCall(link.Window().Counted(comm, least, most));
  for (int k = 0; k < PeerWindow::counters; k++)
    PetscCheck(least[k] == most[k], comm, PETSC_ERR_PLIB, "Processes have counted from %" PRIu64 " to %" PRIu64 " of sum %d: one has left out a pass", least[k],
               most[k], k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
/* failed: of the sums and of the halo. The latter is that of the matrix, which other solvers have too: it is known to have failed also where the error is that of the sums */
PetscErrorCode FusedEngine::CheckLinks(const int failed[2]) const
{
  PetscFunctionBegin;
  if (HaloLink()) HaloLink()->Know(failed[1]);
  PetscCall(link.Check(failed[0]));
  if (HaloLink()) PetscCall(HaloLink()->Check(failed[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::FailExchange() const
{
  PetscFunctionBegin;
  if (!PassesSum()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(link.Fail());
  if (HaloLink()) PetscCall(HaloLink()->Fail());
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/*
   Where ranks are on several nodes: until all that was launched has ended the host sends on what it stores for others. Before each launch, too: the first launch of a kernel loads it, for which CUDA may wait
   for those that run, and these may need the host of another rank that does the same. Iterations in graphs and in a persistent kernel are one launch.
*/
PetscErrorCode FusedEngine::WaitForKernels()
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  cudaStreamCaptureStatus recording;

  if (plan || !Relayed()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaStreamIsCapturing(stream, &recording));
  if (recording != cudaStreamCaptureStatusNone) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(cudaEventRecord(event[2], stream));
  PetscCall(WaitFor(event[2]));
  PetscCall(link.Flush());
  if (HaloLink()) PetscCall(HaloLink()->Flush());
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective, at the beginning of a solve: memory in which a wait of some process has failed is not used again */
PetscErrorCode FusedEngine::Mend()
{
  FusedExchange *const halo   = matrix_op ? matrix_op->Exchange() : nullptr;
  PetscBool            broken = (PetscBool)(link.Failed() || (halo && halo->Broken()));

  PetscFunctionBegin;
  if (!peers.wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &broken, 1, MPI_C_BOOL, MPI_LOR, comm));
  if (!broken) PetscFunctionReturn(PETSC_SUCCESS);
  link_for.Clear(); /* all processes end here what they have begun before any takes new memory */
  PetscCall(Link());
  if (halo) PetscCall(halo->Mend());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::SumOverProcesses(int k, int at, Scalar sums[])
{
  PetscFunctionBegin;
  if (Linked()) {
    const PeerSums P = link.Sums();

    for (int j = 0; j < k; j++) peer_leave(P, at + j, (double)sums[j]);
    for (int j = 0; j < k; j++) sums[j] = (Scalar)peer_total(P, at + j);
    PetscCall(link.Flush());
    PetscCall(link.Check());
  } else if (size > 1) PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums, k, MPIU_SCALAR, MPIU_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::SetScalars()
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  cleared = false;
  if (device) {
    /* `upload` was read when the host last waited: every way here has a wait between it and the one before */
    std::memcpy(upload, own.scalars[0], fused_scalars_bytes);
    PetscCallCUDA(cudaMemcpyAsync(DeviceScalars(), upload, fused_scalars_bytes, cudaMemcpyHostToDevice, stream));
    PetscCall(PetscLogCpuToGpu(fused_scalars_bytes));
    counts.copies++;
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::ClearScalars()
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (device && !cleared) PetscCallCUDA(cudaMemsetAsync(DeviceScalars(), 0, fused_scalars_bytes, stream));
#endif
  cleared = device;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
PetscErrorCode FusedEngine::ClearOther()
{
  PetscFunctionBegin;
  PetscCallCUDA(cudaMemsetAsync(Copy(1 - turn), 0, fused_scalars_bytes, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

const Scalar *FusedEngine::Sums() const
{
#if PetscDefined(HAVE_CUDA)
  if (device && !host_scalars) return d_memory->sums;
#endif
  return own.sums;
}

/* The sums of a pass, for the next pass that advances the scalars, which the host does */
PetscErrorCode FusedEngine::KeepSums(int k, int at, const Scalar sums[])
{
  PetscFunctionBegin;
  std::copy(sums, sums + k, own.sums + at);
  PetscCall(SumOverProcesses(k, at, own.sums + at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::WaitForSums()
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (n) {
    PetscCallCUDA(cudaEventRecord(event[0], stream));
    PetscCall(WaitFor(event[0]));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
PetscErrorCode FusedEngine::WaitFor(cudaEvent_t e)
{
  PetscFunctionBegin;
  counts.waits++;
  if (blocking && !Relayed()) PetscCallCUDA(cudaEventSynchronize(e));
  else {
    constexpr int looks = 8; /* of the relay for one at the event, which takes 1 us */
    cudaError_t   err;

    while ((err = cudaEventQuery(e)) == cudaErrorNotReady)
      for (int k = 0; k < looks && Relayed(); k++) PetscCall(PeerProgress());
    PetscCallCUDA(err);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode FusedEngine::PostLook(int slot, int from, int to)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (!host_scalars) {
    constexpr int length = PassTuning::history;

    PetscCallCUDA(cudaMemcpyAsync(look[slot], d_memory, sizeof(FusedMemory), cudaMemcpyDeviceToHost, stream));
    for (int at = from + 1; at <= to;) { /* the ring: one piece, or two */
      const int first = at % length, count = std::min(to - at + 1, length - first);
      PetscCallCUDA(cudaMemcpyAsync(look_history[slot] + first, reduction.history + first, count * sizeof(Real), cudaMemcpyDeviceToHost, stream));
      at += count;
    }
    if (PassesSum()) {
      PetscCallCUDA(cudaMemcpyAsync(waited + 2 * slot, link.Window().Failed(), sizeof(int), cudaMemcpyDeviceToHost, stream));
      waited[2 * slot + 1] = 0;
      if (HaloLink()) PetscCallCUDA(cudaMemcpyAsync(waited + 2 * slot + 1, HaloLink()->Window().Failed(), sizeof(int), cudaMemcpyDeviceToHost, stream));
    }
    PetscCallCUDA(cudaEventRecord(event[slot], stream));
    PetscCall(PetscLogGpuToCpu(sizeof(FusedMemory) + (PetscLogDouble)(to - from) * sizeof(Real)));
    looked_from[slot] = from;
    looked_to[slot]   = to;
    looked_turn[slot] = turn;
    counts.copies++;
  }
#else
  (void)slot, (void)from, (void)to;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Look(int slot)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (!host_scalars) {
    PetscCall(WaitFor(event[slot]));
    if (PassesSum()) PetscCall(CheckLinks(waited + 2 * slot));
    std::memcpy(own.scalars[0], look[slot]->scalars[looked_turn[slot]], fused_scalars_bytes);
    if (n || PassesSum()) std::copy(look[slot]->sums, look[slot]->sums + fused_sums, own.sums);
    for (int it = looked_from[slot] + 1; it <= looked_to[slot]; it++) own_history[it % PassTuning::history] = look_history[slot][it % PassTuning::history];
  }
#else
  (void)slot;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Clear(void *member, std::size_t bytes)
{
  PetscFunctionBegin;
  if (plan) PetscFunctionReturn(PETSC_SUCCESS);
  std::memset(member, 0, bytes);
#if PetscDefined(HAVE_CUDA)
  const std::ptrdiff_t at = (unsigned char *)member - own.scalars[0];

  if (device) PetscCallCUDA(cudaMemsetAsync(d_memory->scalars[turn] + at, 0, bytes, stream));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
