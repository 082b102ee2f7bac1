static char help[] = "Products of a matrix without block diagonals whose rows have columns near each other, in compressed rows, against AIJ.\n";

#include "loop.h"

#define BAND 9000 /* columns around the diagonal that a row's entries lie in */

/* Rows of 4 to 27 entries at places that follow from the row's number; -empty: every ninth row has none; -long: one row has all entries of its band */
static PetscErrorCode Banded(PetscInt n, PetscBool empty, PetscBool longer, Mat *A)
{
  PetscInt    *i, *j, k = 0;
  PetscScalar *a;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(n + 1, &i, 28 * n + BAND, &j, 28 * n + BAND, &a));
  i[0] = 0;
  for (PetscInt row = 0; row < n; row++) {
    const PetscBool whole = (PetscBool)(longer && row == n / 2);
    const PetscInt  count = whole ? BAND : empty && row % 9 == 4 ? 0 : 4 + (PetscInt)(ProblemHash(3, row, 0) % 24), step = BAND / PetscMax(count, 1);

    for (PetscInt q = 0; q < count; q++) {
      const PetscInt col = row - BAND / 2 + q * step + (PetscInt)(ProblemHash(3, row, q) % (unsigned int)step);

      if (col < 0 || col >= n) continue;
      j[k]   = col;
      a[k++] = (PetscScalar)((PetscReal)ProblemHash(5, row, col) / 2147483648.0 - 1.0);
    }
    i[row + 1] = k;
  }
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, i, j, a));
  PetscCall(PetscFree3(i, j, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Mat       A, R;
  Vec       x, y, z;
  PetscInt  rows  = 300000;
  PetscBool empty = PETSC_FALSE, longer = PETSC_FALSE, same;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-rows", &rows, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-empty", &empty, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-long", &longer, NULL));
  PetscCall(Banded(rows, empty, longer, &R));
  PetscCall(MatConvert(R, "bdiagh", MAT_INITIAL_MATRIX, &A));
  PetscCall(CheckDevice(A));
  PetscCall(CheckProducts(A, R, "banded"));
  PetscCall(MatScale(A, 3.0));
  PetscCall(MatScale(R, 3.0));
  PetscCall(CheckProducts(A, R, "banded, scaled"));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(CheckVecFill(x, 11));
  PetscCall(MatMult(A, x, y));
  PetscCall(VecSet(z, 1.0));
  PetscCall(MatMult(A, x, z));
  PetscCall(VecEqual(y, z, &same));
  PetscCall(CheckTrue(same, "MatMult twice"));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&R));
  return CheckFinish("near");
}

/*TEST

  testset:
    output_file: output/near.out
    test:
      suffix: 1
      args: -rows 20000 -long {{0 1}} -empty {{0 1}}
    test:
      suffix: cuda
      requires: cuda
      args: -long {{0 1}} -empty {{0 1}} -expect_cuda

TEST*/
