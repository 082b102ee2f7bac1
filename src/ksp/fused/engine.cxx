/*
   The life of an engine: vectors, scalars and their ways between host and device, products and preconditioners of PETSc between the passes.
*/
#include "engine.hpp"

namespace heptane
{

FusedEngine::~FusedEngine()
{
#if PetscDefined(HAVE_CUDA)
  for (void *array : {(void *)d_S, (void *)reduction.partial, (void *)reduction.count, (void *)reduction.history, barrier})
    if (array) (void)cudaFree(array);
  for (void *array : {(void *)look[0], (void *)look[1], (void *)look_history[0], (void *)look_history[1], (void *)upload, (void *)host_sums})
    if (array) (void)cudaFreeHost(array);
  PetscCallAbort(PETSC_COMM_SELF, FreeEvents());
#endif
}

PetscErrorCode FusedEngine::FreeEvents()
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  for (cudaEvent_t &e : event) {
    if (e) (void)cudaEventDestroy(e);
    e = nullptr;
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
template <class T>
static PetscErrorCode PinnedMalloc(std::size_t n, T **p)
{
  PetscFunctionBegin;
  if (*p) PetscFunctionReturn(PETSC_SUCCESS);
  const cudaError_t err = cudaMallocHost((void **)p, n * sizeof(T));
  if (err) {
    *p = nullptr;
    (void)cudaGetLastError(); /* launches of the next solve would find it */
  }
  PetscCallCUDA(err);
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* What is not there yet: after an error some of it may be */
PetscErrorCode FusedEngine::AllocateDevice()
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  if (!d_S) {
    int dev, sms, major;

    PetscCallCUDA(cudaGetDevice(&dev));
    PetscCallCUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev));
    PetscCallCUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, dev));
    reduction.max_blocks     = sms * PassTuning::max_blocks_per_sm;
    reduction.history_length = PassTuning::history;
    reduction.processors     = sms;
    reduction.chained        = major >= 9;
    if (!reduction.partial) PetscCall(DeviceMalloc(4 * (std::size_t)reduction.max_blocks, &reduction.partial));
    if (!reduction.count) PetscCall(DeviceCalloc(1, &reduction.count));
    if (!reduction.history) PetscCall(DeviceMalloc(PassTuning::history, &reduction.history));
    for (int k = 0; k < 2; k++) {
      PetscCall(PinnedMalloc(1, &look[k]));
      PetscCall(PinnedMalloc(PassTuning::history, &look_history[k]));
    }
    PetscCall(PinnedMalloc(1, &upload));
    PetscCall(PinnedMalloc(4, &host_sums));
    PetscCall(DeviceMalloc(1, &d_S));
  }
  for (cudaEvent_t &e : event)
    if (!e) PetscCallCUDA(cudaEventCreateWithFlags(&e, cudaEventDisableTiming | (blocking ? cudaEventBlockingSync : 0)));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* null: the matrix has none */
static PetscErrorCode OperatorOf(Mat A, PetscBool on_device, std::shared_ptr<FusedOperator> *op)
{
  PetscErrorCode (*get)(Mat, PetscBool, std::shared_ptr<FusedOperator> *);

  PetscFunctionBegin;
  op->reset();
  PetscCall(PetscObjectQueryFunction((PetscObject)A, fused_operator_name, &get));
  if (get) PetscCall((*get)(A, on_device, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator of the matrix as it is now: whoever had the vectors meanwhile may have given it other values, and MatMult() would use these */
PetscErrorCode FusedEngine::Refetch()
{
  std::shared_ptr<FusedOperator> now;

  PetscFunctionBegin;
  if (!matrix_op) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OperatorOf(Amat, (PetscBool)device, &now));
  PetscCheck(
    now, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
    "The matrix was given another type, place or format within a solve with it, by a monitor or a preconditioner: change these before the solve, or use -ksp_fused_mode twin");
  changed   = changed || now->Version() != matrix_op->Version();
  matrix_op = std::move(now);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Begin(KSP solver, const std::vector<Vec> &all, PetscBool block)
{
  PetscBool on_device = PETSC_TRUE;

  PetscFunctionBegin;
  ksp     = solver;
  comm    = PetscObjectComm((PetscObject)ksp);
  vectors = all;
  counts  = FusedCounts();
  own     = FusedScalars();
  S       = &own;
  changed = false;
  matrix_op.reset();
  folded.reset();
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PCGetOperators(ksp->pc, &Amat, NULL));
  PetscCall(VecGetLocalSize(vectors[0], &n));
  for (Vec v : vectors) { /* one host vector among them: the passes run on the host */
    Scalar      *a;
    PetscMemType mt;
    PetscBool    bound;

    PetscCall(VecBoundToCPU(v, &bound)); /* the member is not there in builds without devices */
    if (!PetscDefined(HAVE_CUDA) || bound) on_device = PETSC_FALSE;
    if (!on_device) break;
    PetscCall(VecGetArrayAndMemType(v, &a, &mt));
    PetscCall(VecRestoreArrayAndMemType(v, &a));
    on_device = PetscMemTypeCUDA(mt) ? PETSC_TRUE : PETSC_FALSE;
    if (!on_device) break;
  }
  if (size > 1) PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &on_device, 1, MPI_C_BOOL, MPI_LAND, comm));
  device       = on_device;
  host_scalars = !device || size > 1;
  if (device) {
    if (blocking != block) PetscCall(FreeEvents()); /* events know how they are waited for */
    blocking = block;
    PetscCall(AllocateDevice());
  }
#if PetscDefined(HAVE_CUDA)
  if (device) {
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    reduction.sums = host_scalars ? host_sums : nullptr;
  }
  scalars = device ? d_S : &own;
#else
  scalars = &own;
#endif
  if (size == 1 && !ksp->transpose_solve) PetscCall(OperatorOf(Amat, on_device, &matrix_op));
  own_history.resize(PassTuning::history);
  history = own_history.data();
  PetscCall(Acquire());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::End()
{
  PetscFunctionBegin;
  matrix_op.reset();
  folded.reset();
  PetscCall(Release());
  vectors.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Acquire()
{
  PetscMemType mt;

  PetscFunctionBegin;
  if (held) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Refetch());
  arrays.resize(vectors.size());
  aligned = true;
  for (std::size_t k = 0; k < vectors.size(); k++) {
    if (device) PetscCall(VecGetArrayAndMemType(vectors[k], &arrays[k], &mt));
    else PetscCall(VecGetArray(vectors[k], &arrays[k]));
    aligned = aligned && reinterpret_cast<std::uintptr_t>(arrays[k]) % (2 * sizeof(Scalar)) == 0;
  }
  held = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Release()
{
  PetscFunctionBegin;
  if (!held) PetscFunctionReturn(PETSC_SUCCESS);
  held = false;
  for (std::size_t k = 0; k < vectors.size(); k++) {
    if (device) PetscCall(VecRestoreArrayAndMemType(vectors[k], &arrays[k]));
    else PetscCall(VecRestoreArray(vectors[k], &arrays[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

Scalar *FusedEngine::Array(Vec v) const
{
  for (std::size_t k = 0; k < vectors.size(); k++)
    if (vectors[k] == v) return arrays[k];
  return nullptr;
}

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

void FusedEngine::FreeScratch()
{
  for (KeptMemory &vector : scratch) vector.Free();
}

PetscErrorCode FusedEngine::Scratch(int number, Scalar *given[], bool *got)
{
  PetscFunctionBegin;
  *got = true;
  if (scratch[0].OnDevice() != device) FreeScratch();
  for (int k = 0; k < number && *got; k++) {
    PetscCall(scratch[k].Reserve((std::size_t)n, device, got));
    given[k] = scratch[k].Scalars();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
PetscErrorCode FusedEngine::Barrier(void **memory)
{
  PetscFunctionBegin;
  if (!barrier) {
    char *bytes;

    PetscCall(DeviceMalloc(FusedPersistent::barrier_bytes, &bytes));
    barrier = bytes;
  }
  *memory = barrier;
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  x_is_complete(S->cg);
#if PetscDefined(HAVE_CUDA)
  if (device) PetscCallCUDA(cudaMemsetAsync(d_S->cg.pending, 0, sizeof(d_S->cg.pending), stream));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::ApplyPC(Vec from, Vec to)
{
  PetscFunctionBegin;
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Release());
  PetscCall(KSP_PCApply(ksp, from, to));
  PetscCall(Acquire());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::ProductTranspose(Vec from, Vec to)
{
  PetscFunctionBegin;
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
  if (TransposeIsPass()) {
    counts.launches++;
    if (!device) Operator()->HostTranspose(Array(from), Array(to));
#if PetscDefined(HAVE_CUDA)
    else if (n) PetscCallCUDA(Operator()->LaunchTranspose(Array(from), Array(to), d_S, stream));
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Release());
  PetscCall(KSP_MatMultHermitianTranspose(ksp, Amat, from, to));
  PetscCall(Acquire());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What follows a product whose P.y is A u: M^-1 where it is row arithmetic, and the sums */
PetscErrorCode FusedEngine::RowsOfProduct(const FusedProduct &P)
{
  PetscFunctionBegin;
  if (number_of_sums(P.finish) == 4) PetscCall(Run(ProductStep<4>(P), P.pc));
  else PetscCall(Run(ProductStep<1>(P), P.pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Product(const FusedProduct &P, Vec in, Vec out, Vec between)
{
  FusedProduct Q = P;

  PetscFunctionBegin;
  if (Stopped()) PetscFunctionReturn(PETSC_SUCCESS);
#if PetscDefined(HAVE_CUDA)
  if (BlocksApart(P.pc)) {
    counts.launches++;
    Q.pc.kind = FusedPc::none;
    Q.finish  = FusedFinish::none;
    if (n) PetscCallCUDA(Operator()->Launch(Q, d_S, reduction, stream));
    PetscCall(RowsOfProduct(P));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  if (matrix_op && P.pc.kind != FusedPc::other) {
    counts.launches++;
    counts.reductions++;
    if (!device) {
      Scalar sums[4];

      Q.q = input_of(P, *S);
      Operator()->Host(Q, sums);
      run_finish(P.finish, *S, sums);
    }
#if PetscDefined(HAVE_CUDA)
    else if (n)
      PetscCallCUDA(Operator()->Launch(P, d_S, reduction, stream));
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Release());
  if (P.pc.kind == FusedPc::other) {
    PetscCall(KSP_MatMult(ksp, Amat, in, between));
    PetscCall(KSP_PCApply(ksp, between, out));
    Q.pc.kind = FusedPc::none;
  } else PetscCall(KSP_MatMult(ksp, Amat, in, out));
  PetscCall(Acquire());
  if (Q.v) { /* u is there as the vector `in` */
    Q.own_q = Array(in);
    Q.own_v = nullptr;
    Q.v     = nullptr;
  }
  PetscCall(RowsOfProduct(Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
