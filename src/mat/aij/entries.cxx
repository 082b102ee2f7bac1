/*
   Entries for another process: see entries.hpp.
*/
#include "entries.hpp"
#include "derived.hpp"
#include <algorithm>

namespace heptane
{

/* each(k, P): for both blocks, in the order of the entries; 0: of own columns, 1: of columns in *garray */
template <class F>
static PetscErrorCode ForBlocks(Mat A, const PetscInt **garray, F each)
{
  Mat block[2];
  Csr P;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], garray));
  for (int k = 0; k < 2; k++) {
    PetscCall(PatternOf(block[k], &P));
    each(k, P);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EntriesCount(Mat A, PetscCount *n)
{
  const PetscInt *garray;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(ForBlocks(A, &garray, [&](int, const Csr &P) { *n += P.nnz(); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EntriesRows(Mat A, PetscInt i[])
{
  const PetscInt *garray;

  PetscFunctionBegin;
  PetscCall(ForBlocks(A, &garray, [&](int, const Csr &P) {
    for (PetscInt r = 0; r < P.rows; r++) i = std::fill_n(i, P.ptr[r + 1] - P.ptr[r], A->rmap->rstart + r);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EntriesColumns(Mat A, PetscInt j[])
{
  const PetscInt *garray;

  PetscFunctionBegin;
  PetscCall(ForBlocks(A, &garray, [&](int k, const Csr &P) {
    for (PetscInt e = 0; e < P.nnz(); e++) *j++ = k ? garray[P.col[e]] : A->cmap->rstart + P.col[e];
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FromDevice(Mat A, const Mat block[2], Scalar v[], bool *done)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  *done = m->diag && m->off; /* else the formats have not been used */
  if (*done) PetscCall(DerivedPrepareParts(A, m));
  for (int k = 0; k < 2 && *done; k++) {
    LocalPart *const part = k ? m->off : m->diag;
    PetscBool        taken;
    Csr              P;

    PetscCall(PatternOf(block[k], &P));
    PetscCall(part->TakeRows(v, &taken));
    v += P.nnz();
    *done = taken;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EntriesValues(Mat A, Where side, Scalar v[], bool *done)
{
  const PetscInt    *garray;
  const PetscScalar *a;
  Mat                block[2];
  Csr                P;

  PetscFunctionBegin;
  *done = true;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], &garray));
  if (side == Where::device) PetscCall(FromDevice(A, block, v, done));
  for (int k = 0; k < 2 && side == Where::host; k++) {
    PetscCall(PatternOf(block[k], &P));
    PetscCall(MatSeqAIJGetArrayRead(block[k], &a));
    v = std::copy_n(a, P.nnz(), v);
    PetscCall(MatSeqAIJRestoreArrayRead(block[k], &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EntriesSide(Mat A, Where *side)
{
  DerivedMat *m;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  *side = DerivedWhere(A, m);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
