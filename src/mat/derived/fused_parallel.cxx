/*
   What parallel matrices offer the fused solvers, and when: every process has to have it, since a pass with sums is one of all processes.
*/
#include "fused_parallel.hpp"
#include "derived.hpp"
#include <algorithm>

namespace heptane
{

template <class Operator>
Stamp ParallelOperator<Operator>::Signature() const
{
  Stamp s = local ? local->Signature() : Stamp();

  s << rows.mask << rows.values << halo->Ghosts();
  return s;
}

template <class Operator>
void ParallelOperator<Operator>::Host(const FusedProduct &P, Scalar sums[4]) const
{
  FusedProduct Q = P;

  std::fill(sums, sums + 4, Scalar(0));
  if (!local) return;
  Q.halo = {rows, halo->Ghosts()};
  local->Host(Q, sums);
}

FusedParallel::FusedParallel(const char *type, std::shared_ptr<FusedOperator> diagonal, std::shared_ptr<Halo> columns, const RemainderRows &of_halo)
{
  name  = type;
  local = std::move(diagonal);
  halo  = std::move(columns);
  rows  = of_halo;
}

PetscErrorCode FusedParallel::InverseDiagonalIs(const Scalar *inverse, int *differs, PetscBool *same) const
{
  PetscFunctionBegin;
  *same = PETSC_TRUE;
  if (local) PetscCall(local->InverseDiagonalIs(inverse, differs, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedParallel::InverseBlocksAre(const Scalar *inverse, std::size_t ld, int block, int *differs, PetscBool *same) const
{
  PetscFunctionBegin;
  *same = PETSC_TRUE;
  if (local) PetscCall(local->InverseBlocksAre(inverse, ld, block, differs, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string FusedParallel::WhyNotFold(const FusedScaling &F) const
{
  if (F.block > 1 && !halo->WholeBlocks(F.block)) return "point blocks, and couplings to other processes that are not whole blocks";
  return local ? local->WhyNotFold(F) : "";
}

double FusedParallel::FoldedBytes(const FusedScaling &F) const
{
  return (local ? local->FoldedBytes(F) : 0) + halo->Bytes();
}

/* Every process does it, or, as *end says on all of them, none */
PetscErrorCode FusedParallel::Fold(const FusedScaling &F, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const
{
  auto folded = std::dynamic_pointer_cast<FoldedParallel>(*copy);
  int  worst;

  PetscFunctionBegin;
  if (!folded) folded = std::make_shared<FoldedParallel>();
  *end = FusedFolding::done;
  if (local) PetscCall(local->Fold(F, &folded->local, end));
  else folded->local.reset();
  worst = static_cast<int>(*end);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, halo->Comm()));
  *end = static_cast<FusedFolding>(worst);
  if (*end != FusedFolding::done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(halo->Scale(F, &folded->values));
  folded->name        = name;
  folded->halo        = halo;
  folded->rows        = rows;
  folded->rows.values = folded->values.data();
  *copy               = std::move(folded);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What changes on all processes together, and is seen by each of them: the pattern, the exchange of the halo, settings. The halo and the agreement are made for it. */
static PetscErrorCode Prepare(Mat A, DerivedMat *m, bool *fresh)
{
  const Stamp now = Stamp::Of(A->nonzerostate, A->data, m->sf, m->settings_changed);

  PetscFunctionBegin;
  *fresh = m->fused_for != now;
  if (!*fresh) PetscFunctionReturn(PETSC_SUCCESS);
  m->fused_for.Clear(); /* in case of an error below */
  m->halo = std::make_shared<Halo>();
  PetscCall(m->halo->Create(m->sf, m->ghosts, m->garray));
  m->fused_for = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a matrix on several processes, on the host: null unless all of them have one */
static PetscErrorCode OperatorOf(Mat A, DerivedMat *m, std::shared_ptr<FusedOperator> *op)
{
  std::shared_ptr<FusedOperator> local;
  const std::uint64_t            version = std::max(m->diag->Version(), m->off->Version());
  RemainderRows                  rows;
  bool                           fresh, usable;

  PetscFunctionBegin;
  PetscCall(Prepare(A, m, &fresh));
  if (!fresh && !m->fused_agreed) PetscFunctionReturn(PETSC_SUCCESS);
  if (A->rmap->n) PetscCall(m->diag->Fused(Where::host, &local));
  PetscCall(m->halo->Rows(*m->off, &rows, &usable));
  PetscBool have = (PetscBool)(usable && (local || !A->rmap->n));
  if (fresh) {
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &have, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)A)));
    m->fused_agreed = have;
    if (!have) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(have, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A block has lost its fused product without a change of the matrix");
  *op = m->parallel.Get(Where::host, version);
  if (*op) PetscFunctionReturn(PETSC_SUCCESS);
  *op = std::make_shared<FusedParallel>(m->cls->root, std::move(local), m->halo, rows);
  m->parallel.Keep(Where::host, version, *op);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedGetFusedOperator(Mat A, PetscBool device, std::shared_ptr<FusedOperator> *op)
{
  DerivedMat *m;
  PetscMPIInt size;

  PetscFunctionBegin;
  op->reset();
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedPrepare(A, m));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  if (size > 1) {
    if (!device && A->rmap->N == A->cmap->N) PetscCall(OperatorOf(A, m, op));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (m->ghosts || (device && DerivedWhere(A, m) != Where::device)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(m->diag->Fused(device ? Where::device : Where::host, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
