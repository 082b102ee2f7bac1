static char help[] = "MatAXPY, MatAYPX, MatCopy and MatDuplicate between matrices of equal, smaller and larger patterns and of the two types, against AIJ.\n";

#include "common/loop.h"

/* Y += X for every pair of types; the answer is that of two AIJ matrices */
static PetscErrorCode Sums(Mat A, Mat R, Mat B, Mat S, MatStructure structure, const char what[])
{
  Mat expected, sum;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(R, MAT_COPY_VALUES, &expected));
  PetscCall(MatAXPY(expected, -0.5, S, structure));
  for (int k = 0; k < 3; k++) {
    const char *names[] = {"both of the type", "X is AIJ", "Y is AIJ"};

    const char *const text = CheckText("MatAXPY %s, %s", what, names[k]);
    PetscCall(MatDuplicate(k == 2 ? R : A, MAT_COPY_VALUES, &sum));
    PetscCall(MatAXPY(sum, -0.5, k == 1 ? S : B, structure));
    PetscCall(CheckMat(sum, expected, text));
    if (k < 2) PetscCall(CheckSameType(sum, A, text));
    PetscCall(MatDestroy(&sum));
  }
  PetscCall(MatDestroy(&expected));
  PetscCall(MatDuplicate(R, MAT_COPY_VALUES, &expected));
  PetscCall(MatAYPX(expected, 3.0, S, structure));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &sum));
  PetscCall(MatAYPX(sum, 3.0, B, structure));
  PetscCall(CheckMat(sum, expected, CheckText("MatAYPX %s", what)));
  PetscCall(CheckDestroy(&sum, &expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Duplicates(Mat A, Mat R)
{
  Mat D, E;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &D));
  PetscCall(CheckSameType(D, A, "MatDuplicate keeps the type"));
  PetscCall(CheckMat(D, R, "MatDuplicate"));
  PetscCall(MatScale(D, 4.0));
  PetscCall(CheckMat(A, R, "MatDuplicate, the original after the copy changed"));
  PetscCall(MatDuplicate(R, MAT_COPY_VALUES, &E));
  PetscCall(MatScale(E, 4.0));
  PetscCall(CheckMat(D, E, "MatDuplicate, the copy after it changed"));
  PetscCall(MatDestroy(&D));

  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &D));
  PetscCall(MatZeroEntries(E));
  PetscCall(CheckMat(D, E, "MatDuplicate without values"));
  PetscCall(MatCopy(A, D, SAME_NONZERO_PATTERN));
  PetscCall(CheckMat(D, R, "MatCopy into the duplicate"));
  PetscCall(MatDestroy(&D));

  PetscCall(MatDuplicate(A, MAT_SHARE_NONZERO_PATTERN, &D));
  PetscCall(CheckMat(D, E, "MatDuplicate sharing the pattern"));
  PetscCall(MatCopy(R, D, SAME_NONZERO_PATTERN));
  PetscCall(CheckMat(D, R, "MatCopy of AIJ into the duplicate"));
  PetscCall(MatScale(A, 2.0));
  PetscCall(CheckMat(D, R, "MatDuplicate, the copy after the original changed"));
  PetscCall(MatScale(A, 0.5));
  PetscCall(CheckDestroy(&D, &E));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Axpy(const Problem *p, Mat A, Mat R)
{
  Problem q = *p;
  Mat     B, S;

  PetscFunctionBeginUser;
  PetscCall(CheckProducts(A, R, "first")); /* so that A holds what an update must bring up to date */
  q.seed += 30;
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, NULL, &B));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, MATAIJ, &S));
  PetscCall(Sums(A, R, B, S, SAME_NONZERO_PATTERN, "same pattern"));
  PetscCall(Sums(A, R, B, S, UNKNOWN_NONZERO_PATTERN, "same pattern, not told"));
  PetscCall(MatCopy(B, A, SAME_NONZERO_PATTERN));
  PetscCall(CheckMat(A, S, "MatCopy"));
  PetscCall(MatCopy(R, A, SAME_NONZERO_PATTERN));
  PetscCall(CheckMat(A, R, "MatCopy from AIJ"));
  PetscCall(CheckDestroy(&B, &S));

  q.pattern = ProblemIs(p, "diagonal") ? "gh" : "diagonal";
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, NULL, &B));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, MATAIJ, &S));
  PetscCall(Sums(A, R, B, S, DIFFERENT_NONZERO_PATTERN, "different pattern"));
  if (!ProblemIs(p, "empty") && !ProblemIs(p, "shifted") && !ProblemIs(p, "diagonal")) PetscCall(Sums(A, R, B, S, SUBSET_NONZERO_PATTERN, "subset"));
  PetscCall(MatCopy(B, A, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatCopy(S, R, DIFFERENT_NONZERO_PATTERN));
  PetscCall(CheckMat(A, R, "MatCopy, different pattern"));
  PetscCall(CheckDestroy(&B, &S));
  PetscCall(Duplicates(A, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Axpy, "axpy")

/*TEST
  testset:
    nsize: {{1 2}}
    args: -bs 1,3,8
    output_file: output/axpy.out
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
    args: -bs 2,5 -pattern gh,wells,shifted
    output_file: output/axpy_4.out
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
    args: -bs 3 -pattern wells -expect_cuda
TEST*/
