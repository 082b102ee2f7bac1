static char help[] =
  "Products of matrices on several processes, of every pattern and distribution, against AIJ: as assembled, with other values, with another pattern.\n";

#include "common/loop.h"

static PetscErrorCode Products(const Problem *p, Mat A, Mat R)
{
  Vec       x[2], b[2], r[2], again;
  PetscInt  lo, hi;
  PetscBool same;
  Mat       both[2] = {A, R};

  PetscFunctionBeginUser;
  PetscCall(CheckProducts(A, R, "as assembled"));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatCreateVecs(both[k], &x[k], &b[k]));
    PetscCall(VecDuplicate(b[k], &r[k]));
    PetscCall(CheckVecFill(x[k], 6));
    PetscCall(CheckVecFill(b[k], 7));
    PetscCall(MatResidual(both[k], b[k], x[k], r[k]));
  }
  PetscCall(CheckVec(r[0], r[1], CHECK_TOLERANCE, "residual"));
  PetscCall(VecDuplicate(r[0], &again));
  PetscCall(MatResidual(A, b[0], x[0], again));
  PetscCall(VecEqual(again, r[0], &same));
  PetscCall(CheckTrue(same, "residual again"));
  PetscCall(VecDestroy(&again));
  for (int k = 0; k < 2; k++) PetscCall(MatScale(both[k], -2.0));
  PetscCall(CheckProducts(A, R, "after MatScale()"));
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatSetOption(both[k], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    if (hi > lo) PetscCall(MatSetValue(both[k], lo, ProblemCols(p) - 1 - lo % 3, 0.75, INSERT_VALUES)); /* of another process */
    PetscCall(MatAssemblyBegin(both[k], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(both[k], MAT_FINAL_ASSEMBLY));
  }
  PetscCall(CheckProducts(A, R, "after a new entry"));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDestroy(&x[k]));
    PetscCall(VecDestroy(&b[k]));
    PetscCall(VecDestroy(&r[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return CheckMain(argc, argv, help, CHECK_SQUARE, Products, "ranks_mult");
}

/*TEST

  testset:
    args: -options_left 0 -bs 1,3,8 -mat_type {{bdiagh sellp}}
    output_file: output/ranks_mult.out
    nsize: {{2 4}}
    test:
      suffix: patterns
    test:
      suffix: patterns_cuda
      requires: cuda
      args: -expect_cuda -heptane_comm {{auto peer}}

  test:
    suffix: 2
    comments: quick
    args: -options_left 0 -bs 1,3,8 -mat_type bdiagh
    output_file: output/ranks_mult.out
    nsize: 2

TEST*/
