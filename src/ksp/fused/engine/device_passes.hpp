/*
   Runs passes on the device: launches them into a stream, or into a graph that the stream records. Keeps two copies
   of the scalars on the device, and copies scalars and norms to the host.
*/
#pragma once

#include "passes.hpp"

namespace heptane
{

#if PetscDefined(HAVE_CUDA)
class DevicePasses {
public:
  DevicePasses(const FusedOperands &of, FusedHostScalars &S, FusedCounts &counted) : operands(of), scalars(S), counts(counted) {}
  DevicePasses(const DevicePasses &) = delete;
  ~DevicePasses();
  /* For a solve on the device; wait_blocking: the host sleeps during synchronization */
  PetscErrorCode Begin(PetscBool wait_blocking);
  PetscErrorCode SumBy(const ProcessSums &way);
  /* For a solve on the host */
  void Leave();

  template <class Pass>
  PetscErrorCode Run(const Pass &);

  /* For graphs and persistent kernels */
  cudaStream_t          stream = nullptr; /* passes are launched into it */
  const FusedReduction &Reduction() const { return reduction; }
  const ProcessSums    &Between() const { return *by; }
  /* The copy of the scalars that the next pass reads, 0 or 1; a graph belongs to the copy that it begins with */
  int           Turn() const { return turn; }
  void          SetTurn(int copy) { turn = copy; }
  FusedScalars *Scalars() const { return Copy(turn); }
  const Scalar *Sums() const { return d_memory->sums; }
  /* Clears the copy that the next pass does not read, so that no later pass is skipped */
  PetscErrorCode ClearOther();
  /* The end of an iteration in a graph that repeats it, see launch_repeat(); step: the first pass of an iteration */
  template <class Step>
  PetscErrorCode Repeat(const Step &step, const FusedRepeat &repeat)
  {
    PetscFunctionBegin;
    PetscCallCUDA(launch_repeat(step, Scalars(), reduction, repeat, stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode         RepeatCount(int **count);
  FusedPersistentMemory &Persistent() { return persistent; }

  /* As FusedEngine and FusedDriver have them */
  PetscErrorCode SetScalars();
  PetscErrorCode ClearScalars();
  PetscErrorCode Clear(std::size_t at, std::size_t bytes);
  PetscErrorCode CopyScalarsAsync(int slot, int from, int to);
  PetscErrorCode WaitScalars(int slot);
  PetscErrorCode CheckExchange();
  /* For MpiSums: synchronizes with the last pass and adds its sums over the processes */
  PetscErrorCode FetchSums(int k, int at);

private:
  PetscErrorCode Allocate();
  void           FreeEvents();
  PetscErrorCode WaitFor(cudaEvent_t event);
  bool           Stopped() const { return scalars.Host().stop != FusedStop::no; }
  FusedScalars  *Copy(int of) const { return reinterpret_cast<FusedScalars *>(d_memory->scalars[of]); }

  const FusedOperands &operands;
  FusedHostScalars    &scalars;
  FusedCounts         &counts;
  ProcessSums          alone;
  const ProcessSums   *by       = &alone;
  PetscBool            blocking = PETSC_FALSE;
  bool                 cleared  = false; /* see ClearScalars() */
  bool                 chains   = false; /* see FusedReduction::chained */
  int                  turn     = 0;
  LeftSums             left_sums;
  FusedReduction       reduction;

  /* The memory that the pointers below lead to */
  Buffer<FusedMemory>                copies_memory{1};
  Buffer<Scalar>                     partial_memory;
  Buffer<Scalar>                     parts_memory{fused_sums}; /* see ProcessSums::Apart() */
  Buffer<unsigned>                   count_memory{1};
  Buffer<Real>                       history_memory{PassTuning::history};
  Buffer<int>                        repeat_count{1};
  FusedPersistentMemory              persistent;
  std::vector<std::shared_ptr<void>> pinned;

  FusedMemory   *d_memory          = nullptr;
  FusedMemory   *pinned_scalars[2] = {nullptr, nullptr};          /* pinned */
  Real          *pinned_history[2] = {nullptr, nullptr};          /* pinned, rings like the device's */
  unsigned char *upload            = nullptr;                     /* pinned, [fused_scalars_bytes] */
  Scalar        *host_sums         = nullptr;                     /* pinned, written by the device */
  int           *waited            = nullptr;                     /* pinned, [2][2]: by slot, ProcessSums::Flag() */
  cudaEvent_t    event[3]          = {nullptr, nullptr, nullptr}; /* by slot; of CheckExchange() */
  int            copied_from[2] = {0, 0}, copied_to[2] = {0, 0}, copied_turn[2] = {0, 0};
};

template <class Pass>
PetscErrorCode DevicePasses::Run(const Pass &pass)
{
  const bool by_host = by->ByHost(), advances = Pass::changes && !by_host;

  PetscFunctionBegin;
  if (by_host) {
    if (!pass.always && Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
    if (pass.Advance(scalars)) {
      PetscCall(SetScalars());
      if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  counts.launches += pass.Launches();
  counts.reductions += pass.Sums() > 0 && !Pass::joins;
  [[maybe_unused]] const auto metrics = pass.Metrics(true, scalars);
  if (operands.Rows() || pass.Everywhere(*by)) {
    PetscCall(pass.Before(Copy(turn), stream));
    const cudaError_t err = launch_pass(pass, PassLaunch{
                                                {Copy(turn), advances ? Copy(1 - turn) : nullptr},
                                                reduction, stream
    });
    if (err && by->Watches()) PetscCall(by->Check()); /* a preconditioner that calls NCCL: its error is that of NCCL */
    PetscCallCUDA(err);
    if (advances) turn = 1 - turn;
  }
  int at, count;

  if (pass.Sums() && left_sums.Add(pass, &at, &count)) PetscCall(by->AfterPass(*this, count, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else
/* Builds without CUDA have no solve on the device */
class DevicePasses {
public:
  DevicePasses(const FusedOperands &, FusedHostScalars &, FusedCounts &) {}
  PetscErrorCode Begin(PetscBool) { return PETSC_SUCCESS; }
  PetscErrorCode SumBy(const ProcessSums &) { return PETSC_SUCCESS; }
  void           Leave() {}
  template <class Pass>
  PetscErrorCode Run(const Pass &)
  {
    return PETSC_SUCCESS;
  }
  FusedScalars  *Scalars() const { return nullptr; }
  const Scalar  *Sums() const { return nullptr; }
  PetscErrorCode SetScalars() { return PETSC_SUCCESS; }
  PetscErrorCode ClearScalars() { return PETSC_SUCCESS; }
  PetscErrorCode Clear(std::size_t, std::size_t) { return PETSC_SUCCESS; }
  PetscErrorCode CopyScalarsAsync(int, int, int) { return PETSC_SUCCESS; }
  PetscErrorCode WaitScalars(int) { return PETSC_SUCCESS; }
  PetscErrorCode CheckExchange() { return PETSC_SUCCESS; }
  PetscErrorCode FetchSums(int, int) { return PETSC_SUCCESS; }
};
#endif

} // namespace heptane
