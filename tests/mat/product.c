static char help[] = "Matrix-matrix products with matrices of the type, AIJ, dense, diagonal and MAIJ, against AIJ throughout.\n";

#include "common/loop.h"
#include "common/result_products.h"

typedef enum { AB, ABT, ATB, PTAP, RART, ABC } Operation;
static const char *const operations[] = {"MatMatMult", "MatMatTransposeMult", "MatTransposeMatMult", "MatPtAP", "MatRARt", "MatMatMatMult"};

static PetscErrorCode Multiply(Operation op, Mat A, Mat B, MatReuse reuse, Mat *C)
{
  PetscFunctionBeginUser;
  switch (op) {
  case AB:
    PetscCall(MatMatMult(A, B, reuse, PETSC_DETERMINE, C));
    break;
  case ABT:
    PetscCall(MatMatTransposeMult(A, B, reuse, PETSC_DETERMINE, C));
    break;
  case ATB:
    PetscCall(MatTransposeMatMult(A, B, reuse, PETSC_DETERMINE, C));
    break;
  case PTAP:
    PetscCall(MatPtAP(A, B, reuse, PETSC_DETERMINE, C));
    break;
  case RART:
    PetscCall(MatRARt(A, B, reuse, PETSC_DETERMINE, C));
    break;
  case ABC:
    PetscCall(MatMatMatMult(B, A, B, reuse, PETSC_DETERMINE, C));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* op(A, B) against op(R, S), then again after the values of A and R changed */
static PetscErrorCode CompareProduct(Operation op, Mat A, Mat B, Mat R, Mat S, const char partner[])
{
  Mat       C, D;
  PetscBool sparse;
  PetscInt  rows, of_s;

  PetscFunctionBeginUser;
  for (int again = 0; again < 2; again++) {
    PetscCall(Multiply(op, A, B, again ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &C));
    PetscCall(Multiply(op, R, S, again ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &D));
    PetscCall(CompareVectors(C, D, CheckText("%s with %s%s", operations[op], partner, again ? " again" : "")));
    PetscCall(MatScale(A, -1.5));
    PetscCall(MatScale(R, -1.5));
  }
  PetscCall(PetscObjectTypeCompareAny((PetscObject)S, &sparse, MATSEQAIJ, MATMPIAIJ, ""));
  PetscCall(MatGetSize(D, &rows, NULL));
  PetscCall(MatGetSize(S, &of_s, NULL));
  if (op == PTAP && sparse && rows == of_s) PetscCall(CompareResults(A, R, C, D, S));
  PetscCall(CheckDestroy(&C, &D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MAIJ: the product of GAMG and DMDA interpolation with several unknowns a node; P keeps every second block of rows */
static PetscErrorCode Maij(const Problem *p, Mat A, Mat R)
{
  Problem q = *p;
  Mat     scalar, P;

  PetscFunctionBeginUser;
  if (p->ragged) PetscFunctionReturn(PETSC_SUCCESS);
  q.pattern = "rectangle";
  q.cols    = p->rows / 2;
  q.bs      = 1;
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, MATAIJ, &scalar));
  PetscCall(MatCreateMAIJ(scalar, p->bs, &P));
  PetscCall(CompareProduct(PTAP, A, P, R, P, "MAIJ"));
  PetscCall(CheckDestroy(&P, &scalar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Products(const Problem *p, Mat A, Mat R)
{
  Problem           q = *p;
  Mat               B, S, left, dense, diagonal;
  PetscErrorCodeFn *supported;
  Vec               d;
  const PetscMPIInt size = CheckProcesses();
  PetscInt          lo, hi;

  PetscFunctionBeginUser;
  q.seed += 40;
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, NULL, &B));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, MATAIJ, &S));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, MATAIJ, &left));
  for (int k = 0; k < 4; k++) {
    const Operation some[] = {AB, ATB, PTAP, ABC};

    PetscCall(CompareProduct(some[k], A, B, R, S, "the type"));
    PetscCall(CompareProduct(some[k], A, S, R, S, "AIJ"));
    if (k < 3) PetscCall(CompareProduct(some[k], left, B, left, S, "AIJ on the left"));
  }
  if (size == 1) { /* PETSc has these for sequential AIJ only */
    PetscCall(CompareProduct(ABT, A, B, R, S, "the type"));
    PetscCall(CompareProduct(RART, A, B, R, S, "the type"));
  }
  PetscCall(CheckDestroy(&left, &B, &S));

  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, hi - lo, PETSC_DECIDE, PETSC_DETERMINE, 3, NULL, &dense));
  PetscCall(MatSetRandom(dense, NULL));
  PetscCall(CompareProduct(AB, A, dense, R, dense, "dense"));
  PetscCall(CompareProduct(ATB, A, dense, R, dense, "dense"));
  PetscCall(MatDestroy(&dense));

  PetscCall(CheckVecs(R, NULL, 0, &d, 45));
  PetscCall(MatCreateDiagonal(d, &diagonal));
  PetscCall(PetscObjectQueryFunction((PetscObject)diagonal, "MatProductSetFromOptions_anytype_C", &supported));
  if (supported) PetscCall(CompareProduct(AB, A, diagonal, R, diagonal, "diagonal")); /* from 3.26 on */
  PetscCall(CheckDestroy(&diagonal, &d));
  PetscCall(Maij(p, A, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Products, "product")

/*TEST
  testset:
    args: -bs 1,3 -pattern gh,inactive,wells,shifted,empty,ragged
    output_file: output/product_1.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
    test:
      suffix: rows
      args: -mat_type {{bdiagh sellp}} -heptane_test_csr_copies_on_host
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  testset:
    nsize: 2
    args: -bs 1,3 -pattern gh,inactive,wells,shifted,empty,ragged
    output_file: output/product_2.out
    test:
      suffix: 2
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 2_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  testset:
    nsize: 4
    args: -bs 2 -pattern gh,wells
    output_file: output/product_4.out
    test:
      suffix: 4
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 4_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda
TEST*/
