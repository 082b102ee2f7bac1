/*
   MatSetValues() of matrices derived from AIJ, and the assembly after it: if few rows are touched, only these are
   filled again. The base class writes the compressed rows; this file records which. Other writes raise the states of
   the blocks too (LocalPart::Unchanged()): then all rows are filled, as after new entries or entries of other
   processes.
*/
#include "derived.hpp"

namespace heptane
{

namespace
{

/* Most rows to record: one row by itself costs as much as 16 in a sweep over all. Guess; see setvalue+matmult of
   bench/operations */
std::size_t most_rows(PetscInt rows)
{
  return (std::size_t)PetscMax(rows / 16, 64);
}

struct Blocks {
  int        count = 0;
  Mat        mat[2];
  LocalPart *part[2];
};

/* The current blocks of A, and whether they are the recorded blocks of m */
PetscErrorCode KnownBlocks(Mat A, const DerivedMat *m, Blocks *b, PetscBool *known)
{
  Mat mat[2] = {A, NULL};

  PetscFunctionBegin;
  *known = (PetscBool)(m->diag && !A->structure_only);
  if (!*known) PetscFunctionReturn(PETSC_SUCCESS);
  if (m->mpi) PetscCall(MatMPIAIJGetSeqAIJ(A, &mat[0], &mat[1], NULL));
  for (int k = 0; k < 2; k++) {
    if (!mat[k]) continue;
    b->mat[b->count] = mat[k];
    PetscCall(LocalPartQuery(mat[k], &b->part[b->count]));
    if (!b->part[b->count] || b->part[b->count] != (k ? m->off : m->diag)) *known = PETSC_FALSE;
    else if (*known) {
      PetscBool keeps;

      PetscCall(b->part[b->count]->KeepsRows(&keeps));
      if (keeps) *known = PETSC_FALSE; /* the program may have written into any row */
    }
    b->count++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first call after an assembly: whether there are values that are up to date except for the entries being set.
   Values that only the format has are first copied to the compressed rows. */
PetscErrorCode Begin(Mat A, DerivedMat *m)
{
  Blocks    b;
  PetscBool known, values = PETSC_FALSE;

  PetscFunctionBegin;
  m->set_rows.GiveUp();
  if (m->prepared_for != DerivedStamp(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KnownBlocks(A, m, &b, &known));
  for (int k = 0; known && k < b.count; k++) {
    if (b.part[k]->Armed()) PetscCall(SeqAIJAccess(b.mat[k], HostAccess::read));
    known = b.part[k]->Unchanged(b.mat[k]);
    if (b.part[k]->ValuesIfValid(Where::host) || b.part[k]->ValuesIfValid(Where::device)) values = PETSC_TRUE;
  }
  if (known && values) m->set_rows.Begin(most_rows(A->rmap->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* If the touched rows need not be recorded, the base class's own function replaces this one until the next assembly: it
   may be called for every entry */
PetscErrorCode MatSetValues_Derived(Mat A, PetscInt n, const PetscInt rows[], PetscInt k, const PetscInt cols[], const PetscScalar v[], InsertMode mode)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  if (m->set_rows.Now() == SetRows::Status::none) PetscCall(Begin(A, m));
  if (m->set_rows.Now() == SetRows::Status::listed) m->set_rows.Add(n, rows, A->rmap->rstart, A->rmap->n);
  if (m->set_rows.Now() == SetRows::Status::unknown && A->ops->setvalues == MatSetValues_Derived) A->ops->setvalues = m->base.setvalues;
  PetscCall((*m->base.setvalues)(A, n, rows, k, cols, v, mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode DerivedSetRowsBefore(Mat A, const DerivedMat *m, PetscBool *few)
{
  const SetRows::Status status = m->set_rows.Now();
  Blocks                b;

  PetscFunctionBegin;
  *few = PETSC_FALSE;
  /* other processes may have set rows even if this one has not; sequential products write results past all interfaces
     and also end with an assembly */
  if (status == SetRows::Status::unknown || (status == SetRows::Status::none && !m->mpi)) PetscFunctionReturn(PETSC_SUCCESS);
  if (m->prepared_for != DerivedStamp(A, m->mpi ? 0 : -static_cast<PetscInt>(m->set_rows.Calls()))) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KnownBlocks(A, m, &b, few));
  for (int k = 0; *few && k < b.count; k++)
    if (!b.part[k]->Armed()) *few = b.part[k]->Unchanged(b.mat[k], m->set_rows.Calls());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedSetRowsAfter(Mat A, DerivedMat *m, PetscBool few)
{
  const bool                  unknown = m->set_rows.Now() == SetRows::Status::unknown;
  const PetscObjectState      calls   = m->set_rows.Calls();
  const std::vector<PetscInt> rows    = m->set_rows.Take();
  Blocks                      b;

  PetscFunctionBegin;
  if (A->ops->setvalues == m->base.setvalues) A->ops->setvalues = MatSetValues_Derived;
  if (!few || unknown || m->prepared_for != DerivedStamp(A, m->mpi ? 0 : -static_cast<PetscInt>(calls))) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KnownBlocks(A, m, &b, &few));
  for (int k = 0; few && k < b.count;
       k++) /* PETSc assembles the blocks of a parallel matrix by calls that count, and calls that insert values of other processes count too */
    if (!b.part[k]->Armed()) few = b.part[k]->Unchanged(b.mat[k], calls + (m->mpi ? 1 : 0));
  if (!few) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < b.count; k++)
    if (!b.part[k]->Armed()) PetscCall(b.part[k]->FillRows(rows, m->mpi ? 0 : 1));
  m->prepared_for = DerivedStamp(A, 1); /* MatAssemblyEnd() raises it once more */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedInstallSetValues(Mat A)
{
  PetscFunctionBegin;
  A->ops->setvalues = MatSetValues_Derived;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
