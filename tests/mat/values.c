static char help[] = "Operations that read or change the values, each followed by all products and rows, against AIJ.\n";

#include "common/loop.h"

static PetscErrorCode Reductions(Mat A, Mat R)
{
  const NormType norms[] = {NORM_1, NORM_FROBENIUS, NORM_INFINITY};
  const char    *names[] = {"MatNorm 1", "MatNorm Frobenius", "MatNorm infinity"};
  PetscReal      a, r, *ca, *cr;
  PetscInt       n;
  Vec            da, dr;

  PetscFunctionBeginUser;
  for (int k = 0; k < 3; k++) {
    PetscCall(MatNorm(A, norms[k], &a));
    PetscCall(MatNorm(R, norms[k], &r));
    PetscCall(CheckReal(a, r, CHECK_TOLERANCE, names[k]));
  }
  PetscCall(MatCreateVecs(A, NULL, &da));
  PetscCall(MatCreateVecs(R, NULL, &dr));
  PetscCall(MatGetDiagonal(A, da));
  PetscCall(MatGetDiagonal(R, dr));
  PetscCall(CheckVec(da, dr, 0, "MatGetDiagonal"));
  PetscCall(MatGetRowSum(A, da));
  PetscCall(MatGetRowSum(R, dr));
  PetscCall(CheckVec(da, dr, CHECK_TOLERANCE, "MatGetRowSum"));
  PetscCall(MatGetRowMaxAbs(A, da, NULL));
  PetscCall(MatGetRowMaxAbs(R, dr, NULL));
  PetscCall(CheckVec(da, dr, 0, "MatGetRowMaxAbs"));
  PetscCall(CheckDestroy(&da, &dr));
  PetscCall(MatGetSize(A, NULL, &n));
  PetscCall(PetscCalloc2(n, &ca, n, &cr));
  PetscCall(MatGetColumnNorms(A, NORM_2, ca));
  PetscCall(MatGetColumnNorms(R, NORM_2, cr));
  for (PetscInt j = 1; j < n; j++) ca[0] = PetscMax(ca[0], PetscAbsReal(ca[j] - cr[j]) + cr[0]);
  PetscCall(CheckReal(n ? ca[0] : 0, n ? cr[0] : 0, CHECK_TOLERANCE, "MatGetColumnNorms"));
  PetscCall(PetscFree2(ca, cr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same changes to A and to R */
static PetscErrorCode Change(const Problem *p, Mat M, int step)
{
  Vec      l, r;
  PetscInt lo, hi;
  Problem  next = *p;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(M, &r, 22, &l, 21));
  switch (step) {
  case 0:
    PetscCall(MatScale(M, -2.5));
    break;
  case 1:
    PetscCall(MatDiagonalScale(M, l, r));
    break;
  case 2:
    PetscCall(MatDiagonalScale(M, NULL, r));
    break;
  case 3:
    PetscCall(MatZeroEntries(M));
    break;
  case 4: /* new values, same pattern, as in each Newton step */
    next.seed += 10;
    PetscCall(ProblemFill(&next, M));
    break;
  case 5: /* one value a row, added */
    PetscCall(MatGetOwnershipRange(M, &lo, &hi));
    for (PetscInt i = lo; i < hi; i++) {
      PetscInt *cols;

      PetscCall(PetscMalloc1(ProblemCols(p), &cols));
      if (ProblemRow(p, i, cols)) PetscCall(MatSetValue(M, i, cols[0], (PetscScalar)(0.125 * (PetscReal)(1 + i % 3)), ADD_VALUES));
      PetscCall(PetscFree(cols));
    }
    PetscCall(CheckAssemble(M));
    break;
  case 6:
    PetscCall(MatShift(M, 0.75));
    break;
  case 7:
    PetscCall(MatDiagonalSet(M, l, INSERT_VALUES));
    break;
  case 8:
    PetscCall(MatDiagonalSet(M, l, ADD_VALUES));
    break;
  case 9:
    PetscCall(MatScale(M, 0.0));
    break;
  case 10:
    PetscCall(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(ProblemFill(p, M)); /* after MatShift() the pattern can hold more than the problem */
    break;
  }
  PetscCall(CheckDestroy(&l, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Values(const Problem *p, Mat A, Mat R)
{
  const char *steps[] = {"MatScale", "MatDiagonalScale",      "MatDiagonalScale right", "MatZeroEntries",   "values set again",    "values added",
                         "MatShift", "MatDiagonalSet insert", "MatDiagonalSet add",     "MatScale by zero", "values set after all"};

  PetscFunctionBeginUser;
  PetscCall(Reductions(A, R));
  for (int step = 0; step < (int)PETSC_STATIC_ARRAY_LENGTH(steps); step++) {
    PetscCall(Change(p, A, step));
    PetscCall(Change(p, R, step));
    PetscCall(CheckMat(A, R, steps[step]));
  }
  PetscCall(Reductions(A, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Values, "values")

/*TEST

  testset:
    nsize: {{1 2}}
    args: -bs 1,3,8,17
    output_file: output/values.out
    test:
      suffix: 1
    test:
      suffix: sellp
      comments: quick
      args: -mat_type sellp
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  testset:
    nsize: 4
    args: -bs 2,5 -pattern gh,inactive,wells,shifted,ragged
    output_file: output/values_4.out
    test:
      suffix: 4
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 4_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  test:
    suffix: cuda_small
    requires: cuda
    args: -mat_type {{bdiagh sellp}} -bs 3 -pattern gh,wells,random -expect_cuda

TEST*/
