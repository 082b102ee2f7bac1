#include "change.h"
#include "problem.h"

/* Rows by their number, some of which every process names */
static PetscErrorCode ZeroRows(Mat M, PetscScalar value, Vec x, Vec b)
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

PetscErrorCode Change(Step step, Mat M, Mat D, Mat E, PetscBool diagonal, Vec b)
{
  Vec l, r;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(M, &r, 22, &l, 21));
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
  PetscCall(CheckDestroy(&l, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool ChangeReadsOther(Step step)
{
  return (PetscBool)(step == AXPY_OTHER || step == AXPY_UNKNOWN || step == COPY_OTHER);
}

PetscErrorCode HasDiagonal(Mat R, PetscBool *all)
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
