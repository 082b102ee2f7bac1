/*
   The life of an engine: its vectors, its memory, the operator of the matrix.
*/
#include "engine.hpp"
#include "../../../comm/peer_order.hpp"

namespace heptane
{

FusedEngine::~FusedEngine()
{
  PetscCallAbort(PETSC_COMM_SELF, FreeEvents());
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
/* Unless it is there */
template <class T>
static PetscErrorCode PinnedMalloc(std::size_t n, T **p, std::vector<std::shared_ptr<void>> *owners)
{
  PetscFunctionBegin;
  if (*p) PetscFunctionReturn(PETSC_SUCCESS);
  const cudaError_t err = cudaMallocHost((void **)p, n * sizeof(T));
  if (err) {
    *p = nullptr;
    (void)cudaGetLastError(); /* launches of the next solve would find it */
  }
  PetscCallCUDA(err);
  owners->emplace_back(*p, [](void *a) { (void)cudaFreeHost(a); });
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

/* What is not there yet: after an error some of it may be */
PetscErrorCode FusedEngine::AllocateDevice()
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
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
      PetscCall(PinnedMalloc(1, &look[k], &pinned));
      PetscCall(PinnedMalloc(PassTuning::history, &look_history[k], &pinned));
    }
    PetscCall(PinnedMalloc(fused_scalars_bytes, &upload, &pinned));
    PetscCall(PinnedMalloc(fused_sums, &host_sums, &pinned));
    PetscCall(PinnedMalloc(4, &waited, &pinned));
    PetscCall(copies_memory.Zeros(Where::device, &d_memory));
  }
  for (cudaEvent_t &e : event)
    if (!e) PetscCallCUDA(cudaEventCreateWithFlags(&e, cudaEventDisableTiming | (blocking ? cudaEventBlockingSync : 0)));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* null: the matrix has none */
static PetscErrorCode OperatorOf(Mat A, PetscBool on_device, std::shared_ptr<FusedMatrix> *op)
{
  PetscErrorCode (*get)(Mat, PetscBool, std::shared_ptr<FusedMatrix> *);

  PetscFunctionBegin;
  op->reset();
  PetscCall(PetscObjectQueryFunction((PetscObject)A, fused_operator_name, &get));
  if (get) PetscCall((*get)(A, on_device, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator of the matrix as it is now: whoever had the vectors meanwhile may have given it other values, and MatMult() would use these */
PetscErrorCode FusedEngine::Refetch()
{
  std::shared_ptr<FusedMatrix> now;

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

/* The array of a vector where it is, or the host's. Others hold a lock on the right-hand side, so that it is only read. */
static PetscErrorCode GetArray(Vec v, bool read, bool device, Scalar **a, PetscMemType *mt)
{
  const Scalar **const constant = const_cast<const Scalar **>(a);

  PetscFunctionBegin;
  if (mt) *mt = PETSC_MEMTYPE_HOST;
  if (device && read) PetscCall(VecGetArrayReadAndMemType(v, constant, mt));
  else if (device) PetscCall(VecGetArrayAndMemType(v, a, mt));
  else if (read) PetscCall(VecGetArrayRead(v, constant));
  else PetscCall(VecGetArray(v, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RestoreArray(Vec v, bool read, bool device, Scalar **a)
{
  const Scalar **const constant = const_cast<const Scalar **>(a);

  PetscFunctionBegin;
  if (device && read) PetscCall(VecRestoreArrayReadAndMemType(v, constant));
  else if (device) PetscCall(VecRestoreArrayAndMemType(v, a));
  else if (read) PetscCall(VecRestoreArrayRead(v, constant));
  else PetscCall(VecRestoreArray(v, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ranks on several nodes: sums go as products do. With `auto` all go by MPI too where the preconditioner is called between the passes: the host waits for kernels then either way */
PetscErrorCode FusedEngine::ChooseRelay()
{
  PetscBool in_passes;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp->pc, &in_passes, PCNONE, PCJACOBI, PCPBJACOBI, ""));
  unlinked = link.Relayed() && (!(matrix_op && matrix_op->Peers()) || (peers.automatic && !in_passes));
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
  own     = FusedMemory();
  changed = false;
  matrix_op.reset();
  folded.reset();
  passes = nullptr;
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
    PetscCall(GetArray(v, v == ksp->vec_rhs, true, &a, &mt));
    PetscCall(RestoreArray(v, v == ksp->vec_rhs, true, &a));
    on_device = PetscMemTypeCUDA(mt) ? PETSC_TRUE : PETSC_FALSE;
    if (!on_device) break;
  }
  if (size > 1) PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &on_device, 1, MPI_C_BOOL, MPI_LAND, comm));
  device = on_device;
  if (size > 1) PetscCall(Link());
  if (device) {
    if (blocking != block) PetscCall(FreeEvents()); /* events know how they are waited for */
    blocking = block;
    PetscCall(AllocateDevice());
  }
#if PetscDefined(HAVE_CUDA)
  if (device && size > 1) PetscCall(PeerInOrder());
  if (device) PetscCall(PetscGetCurrentCUDAStream(&stream));
  turn = 0;
#endif
  if (!ksp->transpose_solve) PetscCall(OperatorOf(Amat, on_device, &matrix_op));
  if (size > 1) PetscCall(Mend());
  unlinked = false;
  if (device && size > 1) PetscCall(ChooseRelay());
  ChooseScalars();
  if (device && size > 1 && (host_scalars || (matrix_op && !matrix_op->Peers())))
    matrix_op.reset(); /* its passes have the sums and the halo from memory to memory alone */
  halo_by = !matrix_op ? "MatMult()" : matrix_op->Exchange() ? matrix_op->Exchange()->Exchange() : "";
  own_history.resize(PassTuning::history);
  history = own_history.data();
  PetscCall(Acquire());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::End()
{
  PetscFunctionBegin;
  PetscCall(WaitForKernels());
  matrix_op.reset();
  folded.reset();
  passes = nullptr;
  PetscCall(Release());
  vectors.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Acquire()
{
  PetscFunctionBegin;
  if (held) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Refetch());
  arrays.resize(vectors.size());
  aligned = true;
  for (std::size_t k = 0; k < vectors.size(); k++) {
    PetscCall(GetArray(vectors[k], vectors[k] == ksp->vec_rhs, device, &arrays[k], NULL));
    aligned = aligned && reinterpret_cast<std::uintptr_t>(arrays[k]) % (2 * sizeof(Scalar)) == 0;
  }
  held = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedEngine::Release()
{
  PetscFunctionBegin;
  if (!held) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(WaitForKernels());
  held = false;
  for (std::size_t k = 0; k < vectors.size(); k++) PetscCall(RestoreArray(vectors[k], vectors[k] == ksp->vec_rhs, device, &arrays[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Scalar *FusedEngine::Array(Vec v) const
{
  for (std::size_t k = 0; k < vectors.size(); k++)
    if (vectors[k] == v) return arrays[k];
  return nullptr;
}

void FusedEngine::FreeScratch()
{
  for (Buffer<Scalar> &vector : scratch) vector.Free();
}

PetscErrorCode FusedEngine::Scratch(int number, Scalar *given[], bool *got)
{
  PetscFunctionBegin;
  *got = true;
  if (scratch[0].At(device ? Where::host : Where::device)) FreeScratch();
  for (int k = 0; k < number && *got; k++) {
    scratch[k].Resize(PetscMax(scratch[k].Size(), (std::size_t)n));
    PetscCall(scratch[k].TryMemory(device ? Where::device : Where::host, &given[k]));
    *got = given[k] != nullptr;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
PetscErrorCode FusedEngine::RepeatCount(int **count)
{
  PetscFunctionBegin;
  PetscCall(repeat_count.Zeros(Where::device, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PeerGrid FusedEngine::Grid() const
{
  return PassesSum() ? link.Grid() : PeerGrid();
}

bool FusedEngine::SharesGpu() const
{
  return PassesSum() && link.Window().SharesGpu();
}

FusedPersistentMemory &FusedEngine::Persistent()
{
  return persistent;
}
#endif

} // namespace heptane
