static char help[] = "A matrix whose pattern, blocks or type become others behind products and solves, and A B^T of two types, against AIJ.\n";

#include "common/both_products.h"
#include "common/loop.h"
#include "common/steps.h"
#include <petsc/private/petscimpl.h> /* PetscObjectStateGet() */
#include <petscksp.h>

#define TOLERANCE (20 * CHECK_TOLERANCE)

/* Iterations of a solver that has its own products and halo */
static PetscErrorCode Solve(Mat M, const char type[], Vec *x)
{
  KSP ksp;
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(M, x, 0, &b, 43));
  PetscCall(CheckKSPCreate(M, type, PCNONE, PETSC_CURRENT, PETSC_CURRENT, &ksp));
  PetscCall(KSPChebyshevSetEigenvalues(ksp, 20, 1));
  PetscCall(KSPSetTolerances(ksp, 1e-30, 1e-30, PETSC_CURRENT, 2));
  PetscCall(KSPSolve(ksp, b, *x));
  PetscCall(CheckDestroy(&ksp, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckSolve(Mat A, Mat R, const char what[])
{
  Vec x[2];

  PetscFunctionBeginUser;
  PetscCall(Solve(A, "fusedchebyshev", &x[0]));
  PetscCall(Solve(R, KSPCHEBYSHEV, &x[1]));
  PetscCall(CheckVec(x[0], x[1], 1000 * TOLERANCE, what));
  for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&x[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many entries in other columns each time, so that sizes tell nothing; between two of them a product, a norm, both or a solve */
static PetscErrorCode Patterns(const Problem *p, Mat A, Mat R)
{
  PetscReal norm;

  PetscFunctionBeginUser;
  for (int t = 0; t < 12; t++) {
    const char *const text = CheckText("pattern %d", t);
    PetscCall(GivePatternAnew(p, A, 100 + t, 1));
    PetscCall(GivePatternAnew(p, R, 100 + t, 1));
    if (t & 1) PetscCall(MatNorm(A, NORM_FROBENIUS, &norm));
    if (t & 2) PetscCall(CheckProducts(A, R, text));
    if (t & 4) PetscCall(CheckSolve(A, R, text));
  }
  PetscCall(CheckMat(A, R, "the last pattern"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In place, before and after the blocks were made by coordinates; what is known of the matrix goes into a duplicate */
static PetscErrorCode Types(const Problem *p, Mat A, Mat R)
{
  const char *const types[] = {"sellp", "bdiagh", MATAIJ, "sellp", MATAIJ, "bdiagh"};
  Mat               D;

  PetscFunctionBeginUser;
  for (int anew = 0; anew < 2; anew++) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(types); k++) {
      const char *const text = CheckText("a duplicate of %s in place%s", types[k], anew ? ", by coordinates" : "");
      PetscCall(MatConvert(A, types[k], MAT_INPLACE_MATRIX, &A));
      if (k % 2) PetscCall(BothProducts(A));
      PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &D));
      PetscCall(CheckMat(D, R, text));
      PetscCall(MatDestroy(&D));
      PetscCall(CheckProducts(A, R, text));
    }
    PetscCall(GivePatternAnew(p, A, 7, 1));
    PetscCall(GivePatternAnew(p, R, 7, 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Zeros go, and a duplicate is taken at once */
static PetscErrorCode Filters(const Problem *p, Mat A, Mat R)
{
  Mat D;

  PetscFunctionBeginUser;
  (void)p;
  for (int keep = 0; keep < 2; keep++) {
    PetscCall(BothProducts(A));
    PetscCall(CheckSolve(A, R, "before zeros go"));
    PetscCall(MatFilter(A, (PetscReal)0.2 * (1 + keep), PETSC_TRUE, (PetscBool)keep));
    PetscCall(MatFilter(R, (PetscReal)0.2 * (1 + keep), PETSC_TRUE, (PetscBool)keep));
    PetscCall(CheckMat(A, R, "filtered"));
    PetscCall(CheckSolve(A, R, "filtered"));
    PetscCall(MatFilter(A, (PetscReal)0.45 * (1 + keep), PETSC_FALSE, PETSC_FALSE));
    PetscCall(MatFilter(R, (PetscReal)0.45 * (1 + keep), PETSC_FALSE, PETSC_FALSE));
    PetscCall(BothProducts(A));
    PetscCall(MatEliminateZeros(A, PETSC_TRUE));
    PetscCall(MatEliminateZeros(R, PETSC_TRUE));
    PetscCall(CheckSolve(A, R, "without zeros"));
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &D));
    PetscCall(CheckMat(D, R, "a duplicate without zeros"));
    PetscCall(MatDestroy(&D));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A duplicate that was multiplied and then changed becomes the matrix, whatever the states of both are: they may be those that were remembered with the old values */
static PetscErrorCode Merges(const Problem *p, Mat A, Mat R)
{
  const Mat        from[2] = {A, R};
  PetscInt         lo, hi;
  PetscObjectState state;

  PetscFunctionBeginUser;
  (void)p;
  PetscCall(MatGetOwnershipRange(R, &lo, &hi));
  for (int t = 0; t < 24; t++) {
    Mat M[2], D[2];

    const char *const text = CheckText("%s in state %d", t % 2 ? "MatHeaderMerge" : "MatHeaderReplace", t / 2);
    for (int k = 0; k < 2; k++) {
      PetscCall(MatDuplicate(from[k], MAT_COPY_VALUES, &M[k]));
      PetscCall(BothProducts(M[k]));
      PetscCall(PetscObjectStateGet((PetscObject)M[k], &state));
      PetscCall(PetscObjectStateSet((PetscObject)M[k], state + t / 2));
      PetscCall(MatDuplicate(from[k], MAT_COPY_VALUES, &D[k]));
      PetscCall(BothProducts(D[k]));
      for (PetscInt r = lo; r < hi; r++) PetscCall(MatSetValue(D[k], r, r, (PetscReal)(3 + r % 5), INSERT_VALUES));
      PetscCall(CheckAssemble(D[k]));
      if (t % 2) PetscCall(MatHeaderMerge(M[k], &D[k]));
      else PetscCall(MatHeaderReplace(M[k], &D[k]));
    }
    PetscCall(CheckProducts(M[0], M[1], text));
    for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&M[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A B^T and R A R^T with operands of each two types; again with other values. On several processes A B^T of one type, which is all that AIJ has there */
static PetscErrorCode TwoTypes(const Problem *p, Mat A, Mat R)
{
  const char *const types[] = {"bdiagh", "sellp", MATAIJ};
  const PetscMPIInt size    = CheckProcesses();

  PetscFunctionBeginUser;
  (void)p;
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      const PetscBool one = (PetscBool)(size == 1);
      Mat             M[2], N[2], C[2], D[2] = {NULL, NULL};

      if (!one && a != b) continue;

      const char *const text = CheckText("products of %s and %s", types[a], types[b]);
      for (int k = 0; k < 2; k++) {
        PetscCall(MatConvert(k ? R : A, k ? MATAIJ : types[a], MAT_INITIAL_MATRIX, &M[k]));
        PetscCall(MatConvert(k ? R : A, k ? MATAIJ : types[b], MAT_INITIAL_MATRIX, &N[k]));
        PetscCall(MatScale(N[k], 0.5));
        PetscCall(MatMatTransposeMult(M[k], N[k], MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C[k]));
        if (one) PetscCall(MatRARt(M[k], N[k], MAT_INITIAL_MATRIX, PETSC_DETERMINE, &D[k]));
        PetscCall(MatScale(M[k], -2.0));
        PetscCall(MatMatTransposeMult(M[k], N[k], MAT_REUSE_MATRIX, PETSC_DETERMINE, &C[k]));
        if (one) PetscCall(MatRARt(M[k], N[k], MAT_REUSE_MATRIX, PETSC_DETERMINE, &D[k]));
      }
      PetscCall(CheckProducts(C[0], C[1], text));
      if (one) PetscCall(CheckProducts(D[0], D[1], text));
      PetscCall(CheckDestroy(&M[0], &N[0], &C[0], &D[0], &M[1], &N[1], &C[1], &D[1]));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Anew(const Problem *p, Mat A, Mat R)
{
  CheckFn *const tests[] = {Patterns, Types, Filters, Merges, TwoTypes};

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(tests); k++) {
    Mat B, S;

    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(MatDuplicate(R, MAT_COPY_VALUES, &S));
    PetscCall(tests[k](p, B, S));
    PetscCall(CheckDestroy(&B, &S));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Anew, "anew")

/*TEST
  testset:
    args: -bs 1,3 -pattern gh,wells -mat_type {{bdiagh sellp}}
    test:
      suffix: 1
      comments: quick
      nsize: 1
    test:
      suffix: ranks
      nsize: {{2 4}}
    test:
      suffix: cuda
      requires: cuda
      nsize: 1
      args: -expect_cuda
      output_file: output/anew_1.out
    test:
      suffix: ranks_cuda
      requires: cuda
      nsize: {{2 4}}
      args: -expect_cuda
      output_file: output/anew_ranks.out
TEST*/
