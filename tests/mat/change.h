/*
   The operations that change the values of a matrix, each as it is done to one under test and to AIJ. Knows nothing of how the values came there.
*/
#pragma once

#include "check.h"

typedef enum {
  SCALE_BOTH,
  SCALE_LEFT,
  SCALE_RIGHT,
  SHIFT,
  SET,
  ADD,
  AXPY_TWIN,
  AXPY_OTHER,
  AXPY_UNKNOWN,
  AYPX,
  COPY_TWIN,
  COPY_OTHER,
  ROWS,
  ROWS_TO_ZERO,
  ROWS_DROPPED,
  STEPS
} Step;
static const char *const steps[] = {
  "MatDiagonalScale",  "MatDiagonalScale left", "MatDiagonalScale right",         "MatShift", "MatDiagonalSet insert", "MatDiagonalSet add",
  "MatAXPY duplicate", "MatAXPY same pattern",  "MatAXPY same pattern, not told", "MatAYPX",  "MatCopy duplicate",     "MatCopy same pattern",
  "MatZeroRows",       "MatZeroRows to zero",   "MatZeroRows, pattern not kept"};

/* Rows by their number, some of which every process names */
static inline PetscErrorCode ZeroRows(Mat M, PetscScalar value, Vec x, Vec b)
{
  PetscInt lo, hi, N, n = 0, *rows;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(M, &lo, &hi));
  PetscCall(MatGetSize(M, &N, NULL));
  PetscCall(PetscMalloc1(hi - lo + 2, &rows));
  for (PetscInt i = lo; i < hi; i++)
    if (ProblemHash(5, i, 3) % 4 == 0) rows[n++] = i;
  if (N) {
    rows[n++] = N / 2;
    rows[n++] = N - 1;
  }
  PetscCall(MatZeroRows(M, n, rows, value, x, b));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One change of M; D: a duplicate of it, E: another matrix with its pattern; b: what MatZeroRows() makes of a right-hand side */
static inline PetscErrorCode Change(Step step, Mat M, Mat D, Mat E, PetscBool diagonal, Vec b)
{
  Vec l, r;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(M, &r, &l));
  PetscCall(CheckVecFill(l, 21));
  PetscCall(CheckVecFill(r, 22));
  switch (step) {
  case SCALE_BOTH:
  case SCALE_LEFT:
  case SCALE_RIGHT:
    PetscCall(MatDiagonalScale(M, step == SCALE_RIGHT ? NULL : l, step == SCALE_LEFT ? NULL : r));
    break;
  case SHIFT:
    PetscCall(MatShift(M, 0.75));
    break;
  case SET:
  case ADD:
    PetscCall(MatDiagonalSet(M, l, step == SET ? INSERT_VALUES : ADD_VALUES));
    break;
  case AXPY_TWIN:
    PetscCall(MatAXPY(M, -0.5, D, SAME_NONZERO_PATTERN));
    break;
  case AXPY_OTHER:
    PetscCall(MatAXPY(M, 2.0, E, SAME_NONZERO_PATTERN));
    break;
  case AXPY_UNKNOWN:
    PetscCall(MatAXPY(M, 2.0, E, UNKNOWN_NONZERO_PATTERN));
    break;
  case AYPX:
    PetscCall(MatAYPX(M, 3.0, D, SAME_NONZERO_PATTERN));
    break;
  case COPY_TWIN:
  case COPY_OTHER:
    PetscCall(MatCopy(step == COPY_TWIN ? D : E, M, SAME_NONZERO_PATTERN));
    break;
  case ROWS_DROPPED:
    PetscCall(MatSetOption(M, MAT_KEEP_NONZERO_PATTERN, PETSC_FALSE)); /* fall through */
  default:
    PetscCall(ZeroRows(M, diagonal && step != ROWS_TO_ZERO ? 2.5 : 0.0, r, b));
  }
  PetscCall(VecDestroy(&l));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the change reads E */
static inline PetscBool ChangeReadsOther(Step step)
{
  return (PetscBool)(step == AXPY_OTHER || step == AXPY_UNKNOWN || step == COPY_OTHER);
}

/* Whether each row has its diagonal entry */
static inline PetscErrorCode HasDiagonal(Mat R, PetscBool *all)
{
  const PetscInt *c;
  PetscInt        lo, hi, n, k;

  PetscFunctionBeginUser;
  *all = PETSC_TRUE;
  PetscCall(MatGetOwnershipRange(R, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++) {
    PetscCall(MatGetRow(R, i, &n, &c, NULL));
    for (k = 0; k < n && c[k] != i; k++) {}
    if (k == n) *all = PETSC_FALSE;
    PetscCall(MatRestoreRow(R, i, &n, &c, NULL));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, all, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}
