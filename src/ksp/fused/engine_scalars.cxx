/*
   The scalars of a solve on their ways between host and device, and the waits for them.
*/
#include "engine.hpp"
#include <algorithm>

namespace heptane
{

PetscErrorCode FusedEngine::SumOverProcesses(int k, Scalar sums[])
{
  PetscFunctionBegin;
  if (size > 1) PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums, k, MPIU_SCALAR, MPIU_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::SetScalars()
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (device) {
    /* `upload` was read when the host last waited: every way here has a wait between it and the one before */
    *upload = *S;
    PetscCallCUDA(cudaMemcpyAsync(d_S, upload, sizeof(FusedScalars), cudaMemcpyHostToDevice, stream));
    PetscCall(PetscLogCpuToGpu(sizeof(FusedScalars)));
    counts.copies++;
  }
#endif
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
  if (blocking) PetscCallCUDA(cudaEventSynchronize(e));
  else {
    cudaError_t err;

    while ((err = cudaEventQuery(e)) == cudaErrorNotReady) {}
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

    PetscCallCUDA(cudaMemcpyAsync(look[slot], d_S, sizeof(FusedScalars), cudaMemcpyDeviceToHost, stream));
    for (int at = from + 1; at <= to;) { /* the ring: one piece, or two */
      const int first = at % length, count = std::min(to - at + 1, length - first);
      PetscCallCUDA(cudaMemcpyAsync(look_history[slot] + first, reduction.history + first, count * sizeof(Real), cudaMemcpyDeviceToHost, stream));
      at += count;
    }
    PetscCallCUDA(cudaEventRecord(event[slot], stream));
    PetscCall(PetscLogGpuToCpu(sizeof(FusedScalars) + (PetscLogDouble)(to - from) * sizeof(Real)));
    looked_from[slot] = from;
    looked_to[slot]   = to;
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
    own = *look[slot];
    for (int it = looked_from[slot] + 1; it <= looked_to[slot]; it++) own_history[it % PassTuning::history] = look_history[slot][it % PassTuning::history];
  }
#else
  (void)slot;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::ClearPending()
{
  PetscFunctionBegin;
  if (plan) PetscFunctionReturn(PETSC_SUCCESS);
  x_is_complete(S->cg);
#if PetscDefined(HAVE_CUDA)
  if (device) PetscCallCUDA(cudaMemsetAsync(d_S->cg.pending, 0, sizeof(d_S->cg.pending), stream));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
