static char help[] = "MATKAIJ of a matrix of the type under test: products, rows and diagonal blocks after each change of its values, against that of AIJ.\n";

#include "common/ahead.h"
#include "common/loop.h"

#define KAIJ_P 2

/* I x S + A x T, with identity T where the change's number is odd. PETSc's sequential MATKAIJ takes plain AIJ alone, as it refuses its own other types derived from AIJ */
static PetscErrorCode Create(Mat A, int step, Mat *K)
{
  const PetscScalar S[KAIJ_P * KAIJ_P] =
    {
      1.5, 0.25, -0.5, 2.0
  },
                               T[2][KAIJ_P * KAIJ_P] = {{0.5, -1.0, 2.0, 1.0}, {1.0, 0.0, 0.0, 1.0}};

  PetscFunctionBeginUser;
  PetscCall(MatCreateKAIJ(A, KAIJ_P, KAIJ_P, S, T[step % 2], K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of A: as assembled, set by coordinates, scaled, one set, the diagonal shifted */
static PetscErrorCode Change(Mat A, int step)
{
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  if (step == 1) PetscCall(Ahead(A)); /* the blocks are of another type from then on */
  if (step == 2) PetscCall(MatScale(A, -1.5));
  if (step == 3) {
    if (lo < hi) PetscCall(MatSetValue(A, lo, lo, 4.5, INSERT_VALUES));
    PetscCall(CheckAssemble(A));
  }
  if (step == 4) PetscCall(MatShift(A, 0.5));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareKaij(Mat K[2], const char what[])
{
  Vec x[2], y[2], z[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(MatCreateVecs(K[k], &x[k], &y[k]));
    PetscCall(VecDuplicate(y[k], &z[k]));
    PetscCall(CheckVecFill(x[k], 3));
    PetscCall(CheckVecFill(y[k], 4));
    PetscCall(MatMultAdd(K[k], x[k], y[k], z[k]));
    PetscCall(MatMult(K[k], x[k], y[k]));
  }
  PetscCall(CheckVec(y[0], y[1], CHECK_TOLERANCE, what));
  PetscCall(CheckVec(z[0], z[1], CHECK_TOLERANCE, what));
  PetscCall(CheckDestroy(&x[0], &y[0], &z[0], &x[1], &y[1], &z[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A MATKAIJ matrix made before the changes, and one made after each */
static PetscErrorCode Kaij(const Problem *p, Mat A, Mat R)
{
  Mat               M[2] = {A, R}, kept[2], K[2];
  const PetscMPIInt size = CheckProcesses();

  PetscFunctionBeginUser;
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 2; k++) PetscCall(MatSetOption(M[k], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(CheckProducts(A, R, "first"));
  for (int k = 0; k < 2; k++) PetscCall(Create(M[k], 0, &kept[k]));
  for (int step = 0; step < 5; step++) {
    const char *const text = CheckText("step %d", step);
    for (int k = 0; k < 2; k++) {
      PetscCall(Change(M[k], step));
      PetscCall(Create(M[k], step, &K[k]));
    }
    PetscCall(CompareKaij(kept, text));
    PetscCall(CompareKaij(K, text));
    PetscCall(CheckProducts(A, R, text));
    for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&K[k]));
  }
  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&kept[k]));
  PetscCall(CheckMat(A, R, "afterwards"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Kaij, "kaij")

/*TEST
  testset:
    nsize: 2
    args: -bs 1,3 -pattern banded,random
    output_file: output/kaij.out
    test:
      suffix: 1
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: in_format
      comments: quick
      args: -heptane_test_changes_in_format
    test:
      suffix: cuda
      requires: cuda
      args: -expect_cuda
TEST*/
