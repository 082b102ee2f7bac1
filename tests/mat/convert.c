static char help[] = "Conversion from and to other types, MatSetType on an assembled matrix, binary files, exchanged headers, against AIJ.\n";

#include "common/loop.h"
#include <petscviewer.h>

/* M as type and back to the type under test; M is AIJ or of the type */
static PetscErrorCode There(Mat M, Mat R, MatType type, const char what[])
{
  Mat C;
  Vec x, y, xr, yr;

  PetscFunctionBeginUser;
  for (int again = 0; again < 2; again++) {
    PetscCall(MatConvert(M, type, again ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &C));
    PetscCall(CheckVecs(C, &x, 51, &y, 0));
    PetscCall(CheckVecs(R, &xr, 51, &yr, 0));
    PetscCall(MatMult(C, x, y));
    PetscCall(MatMult(R, xr, yr));
    PetscCall(CheckVec(y, yr, CHECK_TOLERANCE, CheckText("MatConvert %s %s%s", what, type, again ? " again" : "")));
    PetscCall(CheckDestroy(&x, &y, &xr, &yr));
  }
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From a matrix of another type, new and in place */
static PetscErrorCode Back(Mat A, Mat R, MatType other, MatType name)
{
  Mat  source, C;
  char text[128];

  PetscFunctionBeginUser;
  PetscCall(MatConvert(R, other, MAT_INITIAL_MATRIX, &source));
  PetscCall(PetscSNPrintf(text, sizeof(text), "MatConvert from %s to %s", other, name));
  PetscCall(MatConvert(source, name, MAT_INITIAL_MATRIX, &C));
  PetscCall(CheckSameType(C, A, text));
  PetscCall(CheckProducts(C, R, text));
  PetscCall(MatDestroy(&C));
  PetscCall(MatConvert(source, name, MAT_INPLACE_MATRIX, &source));
  PetscCall(PetscSNPrintf(text, sizeof(text), "MatConvert from %s to %s in place", other, name));
  PetscCall(CheckSameType(source, A, text));
  PetscCall(CheckProducts(source, R, text));
  PetscCall(MatDestroy(&source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode InPlace(Mat A, Mat R, MatType name)
{
  Mat C;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &C));
  PetscCall(CheckMat(C, R, "MatDuplicate"));
  PetscCall(MatConvert(C, MATAIJ, MAT_INPLACE_MATRIX, &C));
  PetscCall(CheckSameType(C, R, "MatConvert to aij in place"));
  PetscCall(CheckMat(C, R, "MatConvert to aij in place"));
  PetscCall(MatSetType(C, name));
  PetscCall(CheckSameType(C, A, "MatSetType"));
  PetscCall(CheckMat(C, R, "MatSetType"));
  PetscCall(MatConvert(C, MATDENSE, MAT_INPLACE_MATRIX, &C));
  PetscCall(CheckProducts(C, R, "MatConvert to dense in place"));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Written by one type and read by the other */
static PetscErrorCode File(const Problem *p, Mat A, Mat R)
{
  PetscViewer viewer;
  Mat         M;

  PetscFunctionBeginUser;
  for (int k = 0; k < 3; k++) {
    const char *what[] = {"MatLoad, written by AIJ", "MatLoad into AIJ", "MatView and MatLoad"};

    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, "matrix.bin", FILE_MODE_WRITE, &viewer));
    PetscCall(MatView(k ? A : R, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, k == 1 ? MATAIJ : NULL, &M));
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, "matrix.bin", FILE_MODE_READ, &viewer));
    PetscCall(MatLoad(M, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(CheckRemove("matrix.bin"));
    PetscCall(CheckSameType(M, k == 1 ? R : A, what[k]));
    PetscCall(CheckMat(M, R, what[k]));
    PetscCall(MatDestroy(&M));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A takes over another matrix of its type: what it kept of its own content must not be used */
static PetscErrorCode Headers(const Problem *p, Mat A, Mat R)
{
  Problem q = *p;
  Mat     B, S;

  PetscFunctionBeginUser;
  for (int k = 0; k < 4; k++) {
    q.seed += 50;
    if (k % 2) q.pattern = ProblemIs(p, "gh") ? "wells" : "gh";
    PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, NULL, &B));
    PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, MATAIJ, &S));
    if (k / 2) PetscCall(CheckProducts(B, S, "before the headers change"));
    PetscCall(CheckProducts(A, R, "before the headers change"));
    PetscCall(MatHeaderReplace(A, &B));
    PetscCall(MatHeaderReplace(R, &S));
    PetscCall(CheckMat(A, R, "MatHeaderReplace"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Convert(const Problem *p, Mat A, Mat R)
{
  char      name[64] = "bdiagh";
  MatType   full;
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", name, sizeof(name), NULL));
  PetscCall(MatGetType(A, &full));
  PetscCall(There(A, R, MATAIJ, "to"));
  PetscCall(There(A, R, MATDENSE, "to"));
  PetscCall(There(R, R, name, "from aij to"));
  PetscCall(There(R, R, full, "from aij to"));
  PetscCall(Back(A, R, MATAIJ, name));
  PetscCall(Back(A, R, MATAIJ, full));
  PetscCall(Back(A, R, MATDENSE, name));
  if (!p->ragged) {
    PetscCall(There(A, R, MATBAIJ, "to"));
    PetscCall(Back(A, R, MATBAIJ, name));
  }
  PetscCall(MatIsSymmetric(R, 0, &same));
  if (same && p->symmetric && !p->ragged) {
    PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(There(A, R, MATSBAIJ, "to"));
    PetscCall(Back(A, R, MATSBAIJ, name));
  }
  PetscCall(InPlace(A, R, name));
  PetscCall(File(p, A, R));
  if (p->rows == p->cols) PetscCall(Headers(p, A, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_ALL, Convert, "convert")

/*TEST
  testset:
    nsize: {{1 2}}
    args: -bs 1,3 -symmetric -pattern gh,inactive,wells,diagonal,empty
    output_file: output/convert_symmetric.out
    test:
      suffix: symmetric
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: symmetric_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  testset:
    nsize: {{1 2}}
    args: -bs 1,2,17 -pattern gh,random,rectangle,shifted,ragged
    output_file: output/convert.out
    test:
      suffix: 1
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  # for compute-sanitizer
  testset:
    args: -mat_type {{bdiagh sellp}} -bs 3 -pattern gh,random
    output_file: output/convert_small.out
    test:
      suffix: small
      comments: quick
    test:
      suffix: cuda_small
      requires: cuda
      args: -expect_cuda
TEST*/
