static char help[] =
  "Changes and norms by all processes of a matrix of which some were asked for their diagonal block, so that what they know of it differs, against AIJ.\n";

#include "common/both_products.h"
#include "common/change.h"
#include "common/loop.h"

#define TOLERANCE (20 * CHECK_TOLERANCE)

/* The second half of the processes ask, and multiply the block or not */
static PetscErrorCode AskSome(Mat M, PetscBool multiply)
{
  const PetscMPIInt rank = CheckRank(), size = CheckProcesses();
  Mat               block;

  PetscFunctionBeginUser;
  if (rank < size / 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetDiagonalBlock(M, &block));
  if (multiply) PetscCall(BothProducts(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every change of a matrix that was never multiplied as a whole */
static PetscErrorCode Agree(const Problem *p, Mat A, Mat R)
{
  PetscBool diagonal;
  PetscReal norm[2];
  Vec       b;

  PetscFunctionBeginUser;
  (void)p;
  PetscCall(HasDiagonal(R, &diagonal));
  PetscCall(MatCreateVecs(R, NULL, &b));
  for (int step = 0; step < STEPS; step++)
    for (int multiply = 0; multiply < 2; multiply++) {
      Mat M[2], D[2], E[2];

      if (!diagonal && (step == SHIFT || step == SET || step == ADD)) continue;
      PetscCall(CheckVecFill(b, 5));
      for (int k = 0; k < 2; k++) {
        PetscCall(MatDuplicate(k ? R : A, MAT_COPY_VALUES, &M[k]));
        PetscCall(MatDuplicate(k ? R : A, MAT_COPY_VALUES, &D[k]));
        PetscCall(MatDuplicate(k ? R : A, MAT_COPY_VALUES, &E[k]));
        PetscCall(MatSetOption(M[k], MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
        if (!k) PetscCall(AskSome(M[k], (PetscBool)multiply));
        PetscCall(MatNorm(M[k], NORM_FROBENIUS, &norm[k]));
        PetscCall(Change((Step)step, M[k], D[k], E[k], diagonal, b));
      }
      PetscCall(CheckReal(norm[0], norm[1], TOLERANCE, "norm before"));
      PetscCall(CheckProducts(M[0], M[1], steps[step]));
      PetscCall(CheckRows(M[0], M[1], TOLERANCE, steps[step]));
      PetscCall(CheckDestroy(&M[0], &D[0], &E[0], &M[1], &D[1], &E[1]));
    }
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Agree, "agree")

/*TEST
  testset:
    args: -bs 1,3 -pattern gh,wells,random
    nsize: {{2 4}}
    output_file: output/agree.out
    test:
      suffix: 1
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: format
      args: -mat_type {{bdiagh sellp}} -heptane_test_changes_in_format
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  test:
    suffix: 2
    comments: quick
    args: -bs 1,3 -pattern gh,wells,random -mat_type sellp
    nsize: 2
    output_file: output/agree.out
TEST*/
