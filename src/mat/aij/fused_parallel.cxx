/*
   The operator that parallel matrices offer the fused solvers: every process must have one, since a pass with sums is
   collective.
*/
#include "fused_parallel.hpp"
#include "../../comm/nccl/link.hpp"
#include "../../pass/fold_rows.hpp"
#include "../../sys/collective.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../../pass/offers/mixed_updates.hpp"
  #include "../../pass/product/no_rows.hpp"
#endif
#include <algorithm>

namespace heptane
{

FusedParallel::FusedParallel(const char *type, std::size_t n, std::shared_ptr<const FusedOperator> diagonal, std::shared_ptr<const FusedMatrix> matrix,
                             std::shared_ptr<Halo> columns, const RemainderRows &of_halo, int block, bool matmult)
  : FusedMatrix(type, (diagonal ? diagonal->MatrixBytes() : 0) + columns->Bytes(), (diagonal ? diagonal->Flops() : 0) + 2.0 * columns->Entries(), block,
                matmult),
    of_process(n), local(std::move(diagonal)), local_matrix(std::move(matrix)), halo(std::move(columns)), rows(of_halo)
{
  exchange = halo.get();
}

Stamp FusedParallel::Signature() const
{
  Stamp s = local ? local->Signature() : Stamp();

  s << rows.mask << rows.values << halo->Ghosts() << halo->Free().first << halo->Free().end << static_cast<int>(halo->Even());
  if (halo->ForKernels()) { /* kernels have it as it was when they were launched */
    const PeerHalo &H = *halo->ForKernels();

    s << H.ghost << H.send_row << H.neighbour << H.other << H.arrived << H.sends << H.limit.nanoseconds << H.received << halo->LinkNumber();
  }
  return s;
}

/* For the diagonal block, if the process has one */
template <class T>
FusedProductOf<T> FusedParallel::WithHalo(const FusedProductOf<T> &P) const
{
  FusedProductOf<T> Q = P;

  Q.halo.rows = rows;
  Q.halo.free = halo->Free();
  if (halo->Side() == Where::host) Q.halo.ghost = halo->Ghosts();
  else {
    Q.halo.peers = halo->ForKernels();
    halo->Take(&Q.halo);
    if (halo->InStream()) Q.halo.shared = HaloShared(); /* Receive() has summed them */
  }
  return Q;
}

#if PetscDefined(HAVE_CUDA)
/* The part of a product that a process without rows executes */
template <class T>
static FusedProduct without_rows(const FusedProductOf<T> &P)
{
  FusedProduct Q;

  Q.alpha   = P.alpha;
  Q.divisor = P.divisor;
  Q.square  = P.square;
  Q.sums    = P.sums;
  Q.at      = P.at;
  return Q;
}

template <class T>
cudaError_t FusedParallel::LaunchAs(const FusedProductOf<T> &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  if (!halo->ForKernels()) return cudaErrorNotSupported;
  return local ? local->Launch(WithHalo(P), S, red, stream) : launch_no_rows(without_rows(P), S, red, stream);
}

cudaError_t FusedParallel::LaunchAlone(const FusedProduct &P, double seconds, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  if (!halo->Peers()) return cudaErrorNotSupported;
  FusedProduct Q = WithHalo(P);
  PeerHalo     H;

  if (!local) return cudaSuccess; /* no rows: it neither sends nor receives */
  H                   = *Q.halo.peers;
  H.limit.nanoseconds = static_cast<std::uint64_t>(1e9 * seconds);
  Q.halo.peers        = &H;
  return local->Launch(Q, S, red, stream);
}

/* f(solve) with the arguments that the kernel of the diagonal block needs for several ranks. If vectors are stored as
   Single the solve is a FusedUpdatingPersistent, and its method is "NAME of ranks". */
template <class Solve, class F>
PetscErrorCode FusedParallel::AcrossRanks(const Solve &solve, F &&f) const
{
  Solve      of_block = solve;
  FusedRanks across   = *solve.ranks;

  PetscFunctionBegin;
  across.halo = halo->Peers()->Halo();
  across.rows = rows;
  PetscCall(halo->Sent(&across.sent));
  of_block.ranks = &across;
  PetscCall(f(of_block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On this process; a process without rows has no kernel that could wait for other processes */
PetscErrorCode FusedParallel::PersistentFits(const FusedPersistent &solve, cudaStream_t stream, FusedResident *answer) const
{
  PetscFunctionBegin;
  *answer = FusedResident();
  if (local && solve.ranks && halo->Peers())
    PetscCall(AcrossRanks(solve, [&](const FusedPersistent &of_block) { return local->PersistentFits(of_block, stream, answer); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedParallel::PersistentFits(const FusedSinglePersistent &solve, cudaStream_t stream, FusedResident *answer) const
{
  const auto fits = [&](const FusedUpdatingPersistent &of_block) { return local->PersistentFits(of_block, stream, answer); };

  PetscFunctionBegin;
  *answer = FusedResident();
  if (local && halo->Peers() && of_ranks(solve)) PetscCall(AcrossRanks(static_cast<const FusedUpdatingPersistent &>(solve), fits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedParallel::LaunchPersistent(const FusedPersistent &solve, FusedScalars *S, const FusedReduction &red, cudaStream_t stream,
                                               bool *launched) const
{
  return AcrossRanks(solve, [&](const FusedPersistent &of_block) { return local->LaunchPersistent(of_block, S, red, stream, launched); });
}

PetscErrorCode FusedParallel::LaunchPersistent(const FusedSinglePersistent &solve, FusedScalars *S, const FusedReduction &red, cudaStream_t stream,
                                               bool *launched) const
{
  return AcrossRanks(static_cast<const FusedUpdatingPersistent &>(solve),
                     [&](const FusedUpdatingPersistent &of_block) { return local->LaunchPersistent(of_block, S, red, stream, launched); });
}
#endif

template <class T>
void FusedParallel::HostAs(const FusedProductOf<T> &P, Scalar sums[4]) const
{
  std::fill(sums, sums + 4, Scalar(0));
  if (local) local->Host(WithHalo(P), sums);
}

PetscErrorCode FusedParallel::InverseIs(const FusedPc &pc, int *differs, PetscBool *same) const
{
  PetscFunctionBegin;
  *same = PETSC_TRUE;
  if (local_matrix) PetscCall(local_matrix->InverseIs(pc, differs, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string FusedParallel::WhyNotScaled(const FusedScaling &F) const
{
  return F.block > 1 && !halo->WholeBlocks(F.block) ? "point blocks, and couplings to other processes that are not whole blocks" : "";
}

std::string FusedParallel::WhyNotFold(const FusedScaling &F, FusedStored as) const
{
  const bool        rows_taken = as == FusedStored::scalar && ByMatMult();
  const std::string why        = rows_taken ? "a process multiplies from compressed rows" : F.side == FusedSide::none ? "" : WhyNotScaled(F);

  return why.empty() && local_matrix ? local_matrix->WhyNotFold(F, as) : why;
}

double FusedParallel::FoldedBytes(const FusedScaling &F) const
{
  return (local_matrix ? local_matrix->FoldedBytes(F) : 0) + halo->Bytes();
}

/* Collective. The worst end of all processes */
PetscErrorCode FusedParallel::Agree(FusedFoldStatus *end) const
{
  int worst = static_cast<int>(*end);

  PetscFunctionBegin;
  PetscCall(CollectiveReduce(halo->Comm(), &worst, 1, MPI_INT, MPI_MAX));
  *end = static_cast<FusedFoldStatus>(worst);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All processes or none; *end is the same on all. Values in columns of other processes stay Scalars in either
   precision. */
PetscErrorCode FusedParallel::Fold(const FusedScaling &F, FusedStored as, std::shared_ptr<FusedFolded> *copy, FusedFoldStatus *end) const
{
  auto                folded = *copy ? *copy : std::make_shared<FusedFolded>(halo->Side());
  RemainderRows       of_copy(rows);
  std::vector<Scalar> scaled;

  PetscFunctionBegin;
  *end = FusedFoldStatus::done;
  folded->op.reset(); /* it refers to that of the block */
  if (!local_matrix) folded->block.reset();
  else PetscCall(local_matrix->Fold(F, as, &folded->block, end));
  PetscCall(Agree(end));
  if (*end != FusedFoldStatus::done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(halo->Scale(F, &scaled));
  if (as == FusedStored::single) { /* rows that are stored as Single have to have room for them */
    for (Scalar a : scaled)
      if (fold_in_range<Single>(a)) *end = FusedFoldStatus::out_of_range;
    PetscCall(Agree(end));
    if (*end != FusedFoldStatus::done) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(folded->values.Assign(halo->Side(), scaled));
  of_copy.values = folded->values.At(halo->Side());
  std::shared_ptr<const FusedOperator> of_block(folded->block, folded->block ? folded->block->Operator() : nullptr);
  folded->form = folded->block ? folded->block->form : FoldForm::unit;
  folded->op   = std::make_unique<FusedParallel>(Name(), of_process, std::move(of_block), nullptr, halo, of_copy);
  *copy        = std::move(folded);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Only where all processes are at the beginning of a solve: within one the exchange stays. The same for both sides */
static PetscErrorCode ReadExchange(DerivedMat *m)
{
  PeerOptions options;

  PetscFunctionBegin;
  PetscCall(PeerOptionsGet(Where::device, &options));
  m->exchange = options.wanted + 2 * options.nccl + 4 * options.may_share;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Handles changes that all processes make together and see: the pattern, the exchange of the halo, settings. Makes the
   halo and the agreement for them. */
static PetscErrorCode Prepare(Mat A, DerivedMat *m, Where where, bool *fresh)
{
  std::uint64_t by_nccl; /* created by a solver since */

  PetscFunctionBegin;
  if (m->exchange < 0) PetscCall(ReadExchange(m));
  PetscCall(NcclLink::Made(PetscObjectComm((PetscObject)m->sf), where, &by_nccl));
  const Stamp now = Stamp::Of(A->nonzerostate, A->data, m->sf, m->sf_of, m->settings_changed, where, by_nccl, m->exchange);

  *fresh = m->fused_for != now;
  if (!*fresh) PetscFunctionReturn(PETSC_SUCCESS);
  m->fused_for.Clear(); /* in case of an error below */
  m->halo     = std::make_shared<Halo>();
  m->parallel = CachedOperator();
  PetscCall(m->halo->Create(m->sf, m->ghosts, m->garray, where));
  m->fused_for = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator of a matrix on several processes: null unless all of them have one, and on the device unless kernels
   read the columns of other processes. On the device a process without rows launches no kernel, so it must not have
   columns of other processes either, as submatrices may: their owners would wait for its acknowledgement. */
static PetscErrorCode OperatorOf(Mat A, DerivedMat *m, Where where, std::shared_ptr<FusedParallel> *op)
{
  std::shared_ptr<FusedMatrix> local;
  const std::uint64_t          version = std::max(m->diag->Version(), m->off->Version());
  RemainderRows                rows;
  bool                         fresh = false, usable;

  PetscFunctionBegin;
  op->reset();
  PetscCall(Prepare(A, m, where, &fresh));
  if (!fresh && !m->fused_agreed) PetscFunctionReturn(PETSC_SUCCESS);
  if (A->rmap->n) PetscCall(m->diag->Fused(where, &local));
  PetscCall(m->halo->Rows(*m->off, &rows, &usable));
  const int b    = (int)A->rmap->bs;
  PetscBool have = (PetscBool)(usable && (local || !A->rmap->n) && (where == Where::host || (m->halo->ForKernels() && (A->rmap->n || !m->ghosts))));
  if (fresh) {
    PetscBool all[3] = {have, (PetscBool)(!local || local->AppliesBlocks(b)), (PetscBool)(!local || !local->ByMatMult())};

    PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)A), all, 3, MPI_C_BOOL, MPI_LAND));
    m->fused_agreed = have = all[0];
    m->fused_block         = all[1] ? b : 0;
    m->fused_by_matmult    = !all[2];
    if (!have) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(have, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A block has lost its fused product without a change of the matrix");
  *op = std::static_pointer_cast<FusedParallel>(m->parallel.Get(where, version));
  if (*op) PetscFunctionReturn(PETSC_SUCCESS);
  *op = std::make_shared<FusedParallel>(m->cls->root, (std::size_t)A->rmap->n, local, local, m->halo, rows, m->fused_block, m->fused_by_matmult);
  m->parallel.Keep(where, version, *op);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedGetParallelOperator(Mat A, DerivedMat *m, std::shared_ptr<FusedParallel> *op)
{
  PetscFunctionBegin;
  PetscCall(OperatorOf(A, m, Where::device, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedGetFusedOperator(Mat A, PetscBool device, PetscBool begins, std::shared_ptr<FusedMatrix> *op)
{
  DerivedMat *m;
  PetscMPIInt size;

  PetscFunctionBegin;
  op->reset();
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedPrepare(A, m));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (size > 1) {
    std::shared_ptr<FusedParallel> of_all;

    if (begins) PetscCall(ReadExchange(m));
    if (A->rmap->N == A->cmap->N && (!device || DerivedWhere(A, m) == Where::device))
      PetscCall(OperatorOf(A, m, device ? Where::device : Where::host, &of_all));
    *op = std::move(of_all);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (m->ghosts || (device && DerivedWhere(A, m) != Where::device)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(m->diag->Fused(device ? Where::device : Where::host, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
