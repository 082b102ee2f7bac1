static char help[] = "Operations on rows, columns and the pattern: zeroed rows, submatrices, transposes, permutations, orderings, overlaps, against AIJ.\n";

#include "common/loop.h"

/* Every third row of this rank, from start */
static PetscErrorCode SomeRows(Mat A, PetscInt start, IS *is)
{
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, hi - lo > start ? (hi - lo - start + 2) / 3 : 0, lo + start, 3, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatZeroRows and MatZeroRowsColumns with solution and right-hand side */
static PetscErrorCode ZeroRows(Mat A, Mat R, PetscBool columns, PetscScalar diagonal, const char what[])
{
  Mat M[2];
  Vec x, b, rhs[2];
  IS  rows;

  PetscFunctionBeginUser;
  PetscCall(SomeRows(A, 1, &rows));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatDuplicate(k ? R : A, MAT_COPY_VALUES, &M[k]));
    PetscCall(MatSetOption(M[k], MAT_KEEP_NONZERO_PATTERN, diagonal == 0.0 ? PETSC_FALSE : PETSC_TRUE));
    PetscCall(CheckVecs(M[k], &x, 31, &b, 32));
    PetscCall((columns ? MatZeroRowsColumnsIS : MatZeroRowsIS)(M[k], rows, diagonal, x, b));
    PetscCall(VecDestroy(&x));
    rhs[k] = b;
  }
  PetscCall(CheckMat(M[0], M[1], what));
  PetscCall(CheckVec(rhs[0], rhs[1], CHECK_TOLERANCE, CheckText("%s, right-hand side", what)));
  PetscCall(CheckDestroy(&M[0], &rhs[0], &M[1], &rhs[1], &rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SubMatrix(Mat A, Mat R)
{
  Mat sub[2];
  IS  rows, cols;

  PetscFunctionBeginUser;
  PetscCall(SomeRows(A, 0, &rows));
  PetscCall(SomeRows(A, 2, &cols));
  for (int square = 0; square < 2; square++) {
    PetscCall(MatCreateSubMatrix(A, rows, square ? rows : cols, MAT_INITIAL_MATRIX, &sub[0]));
    PetscCall(MatCreateSubMatrix(R, rows, square ? rows : cols, MAT_INITIAL_MATRIX, &sub[1]));
    PetscCall(CheckMat(sub[0], sub[1], square ? "MatCreateSubMatrix, square" : "MatCreateSubMatrix"));
    PetscCall(CheckSameType(sub[0], A, "MatCreateSubMatrix keeps the type"));
    PetscCall(MatScale(A, 2.0));
    PetscCall(MatScale(R, 2.0));
    PetscCall(MatCreateSubMatrix(A, rows, square ? rows : cols, MAT_REUSE_MATRIX, &sub[0]));
    PetscCall(MatCreateSubMatrix(R, rows, square ? rows : cols, MAT_REUSE_MATRIX, &sub[1]));
    PetscCall(CheckMat(sub[0], sub[1], "MatCreateSubMatrix again"));
    PetscCall(CheckDestroy(&sub[0], &sub[1]));
  }
  PetscCall(CheckDestroy(&rows, &cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sequential submatrices with rows of other ranks, and the growth of an index set */
static PetscErrorCode SubMatrices(Mat A, Mat R)
{
  PetscInt          n;
  const PetscMPIInt rank = CheckRank();
  IS                is, grown[2];
  Mat              *a, *r;
  PetscBool         same;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n / 3, rank % 2, 2, &is));
  for (int again = 0; again < 2; again++) {
    PetscCall(MatCreateSubMatrices(A, 1, &is, &is, again ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &a));
    PetscCall(MatCreateSubMatrices(R, 1, &is, &is, again ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &r));
    PetscCall(CheckMat(a[0], r[0], again ? "MatCreateSubMatrices again" : "MatCreateSubMatrices"));
    PetscCall(MatScale(A, -0.5));
    PetscCall(MatScale(R, -0.5));
  }
  PetscCall(MatDestroySubMatrices(1, &a));
  PetscCall(MatDestroySubMatrices(1, &r));
  PetscCall(ISDuplicate(is, &grown[0]));
  PetscCall(ISDuplicate(is, &grown[1]));
  PetscCall(MatIncreaseOverlap(A, 1, &grown[0], 2));
  PetscCall(MatIncreaseOverlap(R, 1, &grown[1], 2));
  PetscCall(ISSort(grown[0]));
  PetscCall(ISSort(grown[1]));
  PetscCall(ISEqual(grown[0], grown[1], &same));
  PetscCall(CheckTrue(same, "MatIncreaseOverlap"));
  PetscCall(CheckDestroy(&grown[0], &grown[1], &is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Transposes(Mat A, Mat R)
{
  Mat At, Rt;

  PetscFunctionBeginUser;
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &At));
  PetscCall(MatTranspose(R, MAT_INITIAL_MATRIX, &Rt));
  PetscCall(CheckMat(At, Rt, "MatTranspose"));
  PetscCall(CheckSameType(At, A, "MatTranspose keeps the type"));
  PetscCall(MatScale(A, 1.5));
  PetscCall(MatScale(R, 1.5));
  PetscCall(MatTranspose(A, MAT_REUSE_MATRIX, &At));
  PetscCall(MatTranspose(R, MAT_REUSE_MATRIX, &Rt));
  PetscCall(CheckMat(At, Rt, "MatTranspose again"));
  PetscCall(MatTranspose(At, MAT_INPLACE_MATRIX, &At));
  PetscCall(CheckMat(At, R, "MatTranspose in place"));
  PetscCall(CheckSameType(At, A, "MatTranspose in place keeps the type"));
  PetscCall(CheckDestroy(&At, &Rt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An ordering is a permutation (which one: AIJ orders inodes, derived types rows), and permutes A as it permutes R */
static PetscErrorCode Orders(Mat A, Mat R)
{
  IS        order[2];
  Mat       a, r;
  PetscBool good;

  PetscFunctionBeginUser;
  PetscCall(MatGetOrdering(A, MATORDERINGRCM, &order[0], &order[1]));
  for (int k = 0; k < 2; k++) {
    PetscCall(ISGetInfo(order[k], IS_PERMUTATION, IS_GLOBAL, PETSC_TRUE, &good));
    PetscCall(CheckTrue(good, "MatGetOrdering"));
  }
  PetscCall(MatPermute(A, order[0], order[1], &a));
  PetscCall(MatPermute(R, order[0], order[1], &r));
  PetscCall(CheckMat(a, r, "MatPermute"));
  PetscCall(CheckDestroy(&a, &r, &order[0], &order[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Structure(const Problem *p, Mat A, Mat R)
{
  const PetscBool diagonal = (PetscBool) !(ProblemIs(p, "empty") || ProblemIs(p, "shifted"));

  PetscFunctionBeginUser;
  PetscCall(CheckProducts(A, R, "first"));
  PetscCall(ZeroRows(A, R, PETSC_FALSE, 0.0, "MatZeroRows"));
  if (diagonal) PetscCall(ZeroRows(A, R, PETSC_FALSE, 2.0, "MatZeroRows keeping the diagonal"));
  if (diagonal) PetscCall(ZeroRows(A, R, PETSC_TRUE, 2.0, "MatZeroRowsColumns"));
  PetscCall(SubMatrix(A, R));
  PetscCall(SubMatrices(A, R));
  PetscCall(Transposes(A, R));
  if (p->split == 0) PetscCall(Orders(A, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Structure, "structure")

/*TEST
  testset:
    nsize: {{1 2}}
    args: -bs 1,3,8
    output_file: output/structure.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  testset:
    nsize: 4
    args: -bs 2,5 -pattern gh,wells,random
    output_file: output/structure_4.out
    test:
      suffix: 4
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 4_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda
TEST*/
