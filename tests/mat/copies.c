static char help[] =
  "Products of matrices and factorisations that run on copies of the compressed rows: values, patterns and partners that change, against AIJ.\n";

#include "common/coo.h"
#include "common/interpolation.h"
#include "common/loop.h"
#include <petscksp.h>

static char partner[64] = MATAIJ; /* -partner: the type whose phases the copies run */
static Coo  coo;                  /* of the large matrix */

/* The values last changed by each of the ways that leave the newest copy somewhere else */
static PetscErrorCode Change(const Problem *p, int way, Mat A, Mat R)
{
  Problem q = *p;

  PetscFunctionBeginUser;
  q.seed += 10 * (way + 1);
  switch (way) {
  case 0:
    PetscCall(MatScale(A, 1.5));
    PetscCall(MatScale(R, 1.5));
    break;
  case 1:
    PetscCall(ProblemFill(&q, A));
    PetscCall(ProblemFill(&q, R));
    break;
  case 2:
    PetscCall(MatShift(A, 2.0));
    PetscCall(MatShift(R, 2.0));
    break;
  default:
    PetscCall(CooSet(&q, &coo, 1.0, INSERT_VALUES, A));
    PetscCall(ProblemFill(&q, R));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P^T A P and A P again and again, with P of three types; and P itself */
static PetscErrorCode Galerkin(const Problem *p, Mat A, Mat R)
{
  const PetscInt n = ProblemRows(p), nc = n / 4;
  MatType        type[] = {NULL, partner, MATAIJ};
  Mat            P[3], S, C[3], D, E[3], F;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(A, &type[0]));
  PetscCall(Interpolation(MATAIJ, n, nc, 1, &S));
  for (int k = 0; k < 3; k++) PetscCall(Interpolation(type[k], n, nc, 1, &P[k]));
  for (int way = -1; way < 4; way++) {
    const MatReuse reuse = way < 0 ? MAT_INITIAL_MATRIX : MAT_REUSE_MATRIX;

    if (way >= 0) PetscCall(Change(p, way, A, R));
    PetscCall(MatPtAP(R, S, reuse, PETSC_DETERMINE, &D));
    PetscCall(MatMatMult(R, S, reuse, PETSC_DETERMINE, &F));
    for (int k = 0; k < 3; k++) {
      PetscCall(MatPtAP(A, P[k], reuse, PETSC_DETERMINE, &C[k]));
      PetscCall(MatMatMult(A, P[k], reuse, PETSC_DETERMINE, &E[k]));
      PetscCall(CheckProducts(C[k], D, "MatPtAP"));
      PetscCall(CheckProducts(E[k], F, "MatMatMult"));
    }
  }
  PetscCall(CheckProducts(P[0], S, "interpolation"));
  /* what GAMG does to a prolongator: a product, its rows scaled, the first prolongator added to it */
  PetscCall(MatAYPX(F, -0.5, S, SUBSET_NONZERO_PATTERN));
  for (int k = 0; k < 3; k++) {
    PetscCall(MatProductClear(E[k]));
    PetscCall(MatAYPX(E[k], -0.5, P[k], SUBSET_NONZERO_PATTERN));
    PetscCall(CheckProducts(E[k], F, "MatAYPX of a product"));
  }
  PetscCall(MatAXPY(P[0], 2.0, E[0], DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatAXPY(S, 2.0, F, DIFFERENT_NONZERO_PATTERN));
  PetscCall(CheckProducts(P[0], S, "MatAXPY with a product"));
  PetscCall(CheckDestroy(&S, &D, &F));
  for (int k = 0; k < 3; k++) PetscCall(CheckDestroy(&P[k], &C[k], &E[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An operand replaced by another of the same pattern, and one that is bound to the host in between */
static PetscErrorCode Replaced(const Problem *p, Mat A, Mat R)
{
  const MatProductType types[] = {MATPRODUCT_AB, MATPRODUCT_PtAP};
  Problem              q       = *p;
  MatType              type;
  Mat                  B, C, S;

  PetscFunctionBeginUser;
  q.seed += 70;
  PetscCall(MatGetType(A, &type));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, type, &B));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, MATAIJ, &S));
  for (int k = 0; k < 2; k++) {
    Mat D;

    PetscCall(MatProductCreate(A, A, NULL, &C));
    PetscCall(MatProductSetType(C, types[k]));
    PetscCall(MatProductSetFromOptions(C));
    PetscCall(MatProductSymbolic(C));
    PetscCall(MatProductNumeric(C));
    PetscCall(MatProductReplaceMats(B, NULL, NULL, C));
    PetscCall(MatProductNumeric(C));
    if (k) PetscCall(MatPtAP(S, R, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &D));
    else PetscCall(MatMatMult(S, R, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &D));
    PetscCall(CheckProducts(C, D, "an operand replaced"));
    PetscCall(MatBindToCPU(B, PETSC_TRUE));
    PetscCall(MatBindToCPU(B, PETSC_FALSE));
    PetscCall(MatScale(B, 3));
    PetscCall(MatProductNumeric(C));
    PetscCall(MatScale(D, 3));
    PetscCall(CheckProducts(C, D, "an operand that was bound to the host"));
    PetscCall(MatScale(B, 1.0 / 3));
    PetscCall(CheckDestroy(&C, &D));
  }
  PetscCall(CheckDestroy(&B, &S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A dense partner where the copies are */
static PetscErrorCode Dense(const Problem *p, Mat A, Mat R)
{
  const PetscInt n      = ProblemRows(p);
  PetscBool      device = CheckOption("-expect_cuda");
  Mat            B, S, C[2], D[2];

  PetscFunctionBeginUser;
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, n, 3, n, 3, NULL, &S));
  PetscCall(MatSetRandom(S, NULL));
  PetscCall(MatConvert(S, device ? MATDENSECUDA : MATDENSE, MAT_INITIAL_MATRIX, &B));
  for (int way = -1; way < 2; way++) {
    const MatReuse reuse = way < 0 ? MAT_INITIAL_MATRIX : MAT_REUSE_MATRIX;

    if (way >= 0) PetscCall(Change(p, way, A, R));
    PetscCall(MatMatMult(A, B, reuse, PETSC_DETERMINE, &C[0]));
    PetscCall(MatTransposeMatMult(A, B, reuse, PETSC_DETERMINE, &C[1]));
    PetscCall(MatMatMult(R, S, reuse, PETSC_DETERMINE, &D[0]));
    PetscCall(MatTransposeMatMult(R, S, reuse, PETSC_DETERMINE, &D[1]));
    for (int k = 0; k < 2; k++) PetscCall(CheckProducts(C[k], D[k], k ? "MatTransposeMatMult, dense" : "MatMatMult, dense"));
  }
  PetscCall(CheckDestroy(&C[0], &D[0], &C[1], &D[1], &B, &S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ILU(0) and LU by KSP of matrices whose values change, after a product with the matrix on both sides: LU wants the values on the host */
static PetscErrorCode Factored(const Problem *p, PCType type, Mat A, Mat R)
{
  Mat C;
  KSP ksp[2];
  PC  pc;
  Mat M[2] = {A, R};
  Vec b, h, x[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp[k]));
    PetscCall(KSPSetType(ksp[k], KSPPREONLY));
    PetscCall(KSPGetPC(ksp[k], &pc));
    PetscCall(PCSetType(pc, type));
    PetscCall(MatCreateVecs(M[k], &x[k], NULL));
  }
  for (int way = 0; way < 4; way++) {
    PetscCall(Change(p, way, A, R));
    PetscCall(MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
    PetscCall(MatDestroy(&C));
    for (int k = 0; k < 2; k++) {
      PetscCall(CheckVecLike(x[k], 91, &b));
      PetscCall(KSPSetOperators(ksp[k], M[k], M[k]));
      PetscCall(KSPSolve(ksp[k], b, x[k]));
      PetscCall(VecDestroy(&b));
    }
    PetscCall(CheckVec(x[0], x[1], 100 * CHECK_TOLERANCE, type));
    PetscCall(VecDuplicate(x[1], &b)); /* vectors in host memory */
    PetscCall(VecDuplicate(x[1], &h));
    PetscCall(CheckVecFill(b, 91));
    PetscCall(KSPSolve(ksp[0], b, h));
    PetscCall(CheckVec(h, x[1], 100 * CHECK_TOLERANCE, type));
    PetscCall(CheckDestroy(&b, &h));
  }
  PetscCall(CheckDestroy(&ksp[0], &x[0], &ksp[1], &x[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Copies(const Problem *p, Mat A, Mat R)
{
  Problem   large = *p;
  MatType   type;
  PetscBool device = CheckOption("-expect_cuda");

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-partner", partner, sizeof(partner), NULL));
  PetscCall(Replaced(p, A, R));
  PetscCall(MatGetType(A, &type));
  large.rows = large.cols = 480 / p->bs;
  PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, &large, type, &A));
  PetscCall(CooCreate(&large, A, COO_ROWS, device, &coo));
  PetscCall(MatSetPreallocationCOO(A, coo.n, coo.i, coo.j));
  PetscCall(CooSet(&large, &coo, 1.0, INSERT_VALUES, A));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, &large, MATAIJ, &R));
  PetscCall(Galerkin(&large, A, R));
  PetscCall(Dense(&large, A, R));
  PetscCall(Factored(&large, PCILU, A, R));
  PetscCall(Factored(&large, PCLU, A, R));
  PetscCall(CooDestroy(&coo));
  PetscCall(CheckDestroy(&A, &R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Copies, "copies")

/*TEST
  testset:
    args: -bs 1,3 -pattern gh,wells,holes -diagonal 50
    output_file: output/copies.out
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
      args: -mat_type {{bdiagh sellp}} -expect_cuda -partner aijcusparse
TEST*/
