static char help[] =
  "With -log_sync every event on parallel vectors is a barrier: processes that multiply with their blocks in different ways must have the same ones.\n";

#include "common/check.h"

/* The first process has a tridiagonal block, the others blocks without diagonals */
static PetscErrorCode Fill(Mat A, PetscInt n)
{
  const PetscMPIInt rank = CheckRank();
  PetscInt          lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++) {
    for (PetscInt k = 0; k < 3; k++) {
      const PetscInt j = rank ? lo + (17 * i + 41 * k * (i % 7 + 1)) % n : PetscMin(PetscMax(i + k - 1, lo), hi - 1);
      PetscCall(MatSetValue(A, i, j, 1.0 + (PetscReal)(i + k) / (PetscReal)n, INSERT_VALUES));
    }
  }
  PetscCall(CheckAssemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt n = 300;
  Mat            A, R;
  Vec            x, y, z[2];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, n, n, PETSC_DETERMINE, PETSC_DETERMINE, 3, NULL, 0, NULL, &A));
  PetscCall(Fill(A, n));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_seqaij_type", MATSEQAIJ)); /* the reference */
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, n, n, PETSC_DETERMINE, PETSC_DETERMINE, 3, NULL, 0, NULL, &R));
  PetscCall(Fill(R, n));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &z[0]));
  PetscCall(VecDuplicate(y, &z[1]));
  PetscCall(CheckVecFill(x, 3));
  PetscCall(CheckVecFill(y, 4));
  for (PetscInt turn = 0; turn < 3; turn++) {
    for (int k = 0; k < 2; k++) PetscCall(MatMult(k ? R : A, x, z[k]));
    PetscCall(CheckVec(z[0], z[1], CHECK_TOLERANCE, "MatMult"));
    for (int k = 0; k < 2; k++) PetscCall(MatMultTranspose(k ? R : A, x, z[k]));
    PetscCall(CheckVec(z[0], z[1], CHECK_TOLERANCE, "MatMultTranspose"));
    for (int k = 0; k < 2; k++) PetscCall(MatMultTransposeAdd(k ? R : A, x, y, z[k]));
    PetscCall(CheckVec(z[0], z[1], CHECK_TOLERANCE, "MatMultTransposeAdd"));
  }
  PetscCall(CheckDestroy(&A, &R, &x, &y, &z[0], &z[1]));
  return CheckFinish("log_sync");
}

/*TEST
  testset:
    nsize: 2
    args: -log_view :/dev/null -log_sync
    output_file: output/log_sync.out
    test:
      suffix: bdiagh
      comments: quick
      args: -mat_seqaij_type seqaijbdiagh
    test:
      suffix: sellp
      args: -mat_seqaij_type seqaijsellp
TEST*/
