/*
   What parallel matrices offer the fused solvers, and when: every process has to have it, since a pass with sums is one of all processes.
*/
#include "fused_parallel.hpp"
#include "derived.hpp"
#include <algorithm>

namespace heptane
{

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

Stamp FusedParallel::Signature() const
{
  Stamp s = local ? local->Signature() : Stamp();

  s << rows.mask << rows.values << halo->Ghosts();
  return s;
}

void FusedParallel::Host(const FusedProduct &P, Scalar sums[4]) const
{
  FusedProduct Q = P;

  std::fill(sums, sums + 4, Scalar(0));
  if (!local) return;
  Q.halo = {rows, halo->Ghosts()};
  local->Host(Q, sums);
}

/* The halo of the pattern as it is now. usable: on this process */
static PetscErrorCode HaloOf(DerivedMat *m, bool *usable)
{
  const Stamp now = Stamp::Of(m->off->Layout(), m->sf);

  PetscFunctionBegin;
  *usable = m->halo != nullptr;
  if (m->halo && m->halo_for == now) PetscFunctionReturn(PETSC_SUCCESS);
  m->halo.reset();
  auto halo = std::make_shared<Halo>();
  PetscCall(halo->Create(*m->off, m->sf, usable));
  if (*usable) m->halo = std::move(halo);
  m->halo_for = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether all processes have an operator: asked again only after changes that all of them make together */
static PetscErrorCode Agreed(Mat A, DerivedMat *m, bool own, bool *all)
{
  const Stamp now = Stamp::Of(A->nonzerostate, A->data, m->settings_changed);

  PetscFunctionBegin;
  if (m->fused_agreed_for != now) {
    PetscBool have = (PetscBool)own;

    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &have, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)A)));
    m->fused_agreed     = have;
    m->fused_agreed_for = now;
  }
  *all = m->fused_agreed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a matrix on several processes, on the host */
static PetscErrorCode ParallelOperator(Mat A, DerivedMat *m, std::shared_ptr<FusedOperator> *op)
{
  std::shared_ptr<FusedOperator> local;
  const std::uint64_t            version = std::max(m->diag->Version(), m->off->Version());
  RemainderRows                  rows;
  bool                           usable, all = false;

  PetscFunctionBegin;
  PetscCall(HaloOf(m, &usable));
  if (usable && A->rmap->n) PetscCall(m->diag->Fused(Where::host, &local));
  PetscCall(Agreed(A, m, usable && (local || !A->rmap->n), &all));
  if (!all) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(usable && (local || !A->rmap->n), PETSC_COMM_SELF, PETSC_ERR_PLIB, "A block lost its fused product without a change of its pattern");
  *op = m->parallel.Get(Where::host, version);
  if (*op) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(m->halo->Rows(Where::host, *m->off, &rows));
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
    if (!device && A->rmap->N == A->cmap->N) PetscCall(ParallelOperator(A, m, op));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (m->ghosts || (device && DerivedWhere(A, m) != Where::device)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(m->diag->Fused(device ? Where::device : Where::host, op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
