static char help[] = "PCBLOCKJACOBIREG, with inverses, LU and QR, against PCBJACOBI with LU in as many blocks, and what it refuses.\n";

#include "common/system.h"

/* Products with the inverses of all blocks of `size` rows; the reference solves with PETSc's LU of each block */
static PetscErrorCode CompareApply(const System *s, Mat A, Mat reference, PetscInt size, PetscBool host, const char method[])
{
  const char *const types[] = {"blockjacobireg", PCBJACOBI};
  Mat               R, M;
  Vec               x, y[2];
  PC                pc;
  PetscInt          n, N;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(reference, MATAIJ, MAT_INITIAL_MATRIX, &R));
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(MatGetSize(A, &N, NULL));
  const char *const text = CheckText("%" PetscInt_FMT, size);
  PetscCall(PetscOptionsSetValue(NULL, "-pc_blockjacobireg_block_size", text));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_blockjacobireg_method", method));
  for (int transpose = 0; transpose < 2; transpose++) {
    for (int k = 0; k < 2; k++) {
      M = k ? R : A;
      PetscCall(CheckPCCreate(M, types[k], &pc));
      if (k) PetscCall(PCBJacobiSetTotalBlocks(pc, N / size, NULL));
      PetscCall(PCSetFromOptions(pc));
      if (host) {
        PetscCall(VecCreateMPI(PETSC_COMM_WORLD, n, N, &x));
        PetscCall(VecDuplicate(x, &y[k]));
      } else PetscCall(MatCreateVecs(M, &x, &y[k]));
      PetscCall(CheckVecFill(x, 21));
      PetscCall(CheckVecFill(y[k], 22));
      PetscCall((transpose ? PCApplyTranspose : PCApply)(pc, x, y[k]));
      PetscCall(CheckDestroy(&x, &pc));
    }
    PetscCall(CheckWhere("%" PetscInt_FMT " cells, block size %" PetscInt_FMT ", blocks of %" PetscInt_FMT, s->cells, s->bs, size));
    PetscCall(CheckVec(y[0], y[1], CHECK_TOLERANCE, transpose ? "PCApplyTranspose" : "PCApply"));
    for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&y[k]));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-pc_blockjacobireg_block_size"));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_blockjacobireg_method"));
  PetscCall(MatDestroy(&R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The reference has other values: it is told from the right one */
static PetscErrorCode Reject(const System *s, Mat A, PetscInt size)
{
  System   old = *s;
  Mat      reference;
  PetscInt before[2];

  PetscFunctionBeginUser;
  old.seed += 10;
  PetscCall(SystemReference(PETSC_COMM_WORLD, &old, &reference));
  RejectBegin(before);
  PetscCall(CompareApply(s, A, reference, size, PETSC_TRUE, "inverse"));
  PetscCall(RejectEnd(before, "stale blocks are not told from the right ones"));
  PetscCall(MatDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |b - A x| / |b| with the matrix in PETSc's aij */
static PetscErrorCode Residual(const System *s, Vec b, Vec x, PetscReal *norm)
{
  Mat       R;
  PetscReal whole;

  PetscFunctionBeginUser;
  PetscCall(SystemReference(PETSC_COMM_WORLD, s, &R));
  PetscCall(ResidualNorm(R, x, b, norm));
  PetscCall(VecNorm(b, NORM_2, &whole));
  *norm /= whole;
  PetscCall(MatDestroy(&R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver with larger blocks needs fewer iterations; values change between solves; a singular block is a reason. brief: one solve before that */
static PetscErrorCode Solve(System *s, Mat A, PetscInt size, PetscBool brief)
{
  const PetscScalar  zero = 0;
  PetscInt           its[2], first, lo, hi;
  KSPConvergedReason reason;
  KSP                ksp;
  Vec                x, b;
  PetscReal          norm = 0;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(A, &x, 0, &b, 5));
  PetscCall(CheckKSPCreate(A, KSPGMRES, "blockjacobireg", PETSC_SQRT_MACHINE_EPSILON / 10, 200, &ksp));
  for (int k = brief ? 2 : 0; k < 3; k++) {
    const char *const text = CheckText("%" PetscInt_FMT, k ? size : 0);
    PetscCall(PetscOptionsSetValue(NULL, "-pc_blockjacobireg_block_size", text));
    PetscCall(KSPSetFromOptions(ksp));
    if (k == 2) {
      s->seed += 10;
      PetscCall(SystemFill(s, A));
    }
    PetscCall(CheckKSPSolve(ksp, b, x, &its[k == 1], &reason));
    PetscCall(Residual(s, b, x, &norm));
    PetscCall(CheckTrue(reason > 0 && norm < 100 * PETSC_SQRT_MACHINE_EPSILON, "the solution"));
    if (k == 1) PetscCall(CheckTrue(its[1] < its[0] || size == s->bs, "fewer iterations with larger blocks"));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-pc_blockjacobireg_block_size"));
  first = SystemRows(s) / 2 / size * size;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (PetscInt i = PetscMax(lo, first); i < PetscMin(hi, first + size); i++) {
    PetscInt       cols[SYSTEM_MAX];
    PetscScalar    vals[SYSTEM_MAX];
    const PetscInt n = SystemRow(s, i, cols, vals);

    for (PetscInt k = 0; k < n; k++)
      if (cols[k] == first + 1) PetscCall(MatSetValues(A, 1, &i, 1, &cols[k], &zero, INSERT_VALUES));
  }
  PetscCall(CheckAssemble(A));
  PetscCall(CheckKSPSolve(ksp, b, x, NULL, &reason));
  PetscCall(CheckTrue(reason == KSP_DIVERGED_PC_FAILED, "a singular block"));
  PetscCall(CheckDestroy(&ksp, &x, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sizes that cannot be: an error that names the option */
static PetscErrorCode Refuse(Mat A, const char size[])
{
  PetscErrorCode code;
  PC             pc;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(NULL, "-pc_blockjacobireg_block_size", size));
  PetscCall(CheckPCCreate(A, "blockjacobireg", &pc));
  CheckCode(code, PCSetUp(pc));
  PetscCall(CheckTrue(code == PETSC_ERR_ARG_SIZ || code == PETSC_ERR_ARG_OUTOFRANGE, size));
  PetscCall(PCDestroy(&pc));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_blockjacobireg_block_size"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt    cells[]   = {1, 2, 7, 14, 28};
  const char *const methods[] = {"inverse", "lu", "qr"};
  PetscInt          bs[4] = {1, 2, 3, 4}, n = 4;
  PetscBool         given, brief            = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-bs", bs, &n, &given));
  if (!given) n = 4;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-brief", &brief, NULL));
  PetscCall(PetscOptionsSetValue(NULL, "-sub_pc_type", PCLU)); /* of the reference; its default is incomplete */
  for (PetscInt k = 0; k < n; k++) {
    System s = {.kind = "grid", .cells = 112, .bs = bs[k], .seed = 4};
    Mat    A;

    PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
    for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(cells); c++) {
      for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(methods); m++)
        for (int host = 0; host < 2; host++) PetscCall(CompareApply(&s, A, A, cells[c] * bs[k], (PetscBool)host, methods[m]));
    }
    PetscCall(Reject(&s, A, bs[k]));
    PetscCall(Refuse(A, "5"));
    PetscCall(Refuse(A, "113"));
    for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(methods); m++) {
      PetscCall(PetscOptionsSetValue(NULL, "-pc_blockjacobireg_method", methods[m]));
      PetscCall(SystemFill(&s, A));
      PetscCall(CheckWhere("block size %" PetscInt_FMT ", %s", bs[k], methods[m]));
      PetscCall(Solve(&s, A, 14 * bs[k], brief));
    }
    PetscCall(PetscOptionsClearValue(NULL, "-pc_blockjacobireg_method"));
    PetscCall(MatDestroy(&A));
  }
  return CheckFinish("blockjacobireg");
}

/*TEST
  testset:
    nsize: {{1 2}}
    output_file: output/blockjacobireg.out
    test:
      suffix: 1
      args: -mat_type {{bdiagh sellp aij}}
    test:
      suffix: groups
      nsize: 2
      args: -mat_type bdiagh -heptane_groups 2
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp aijcusparse}} -expect_cuda

  # for compute-sanitizer, with which a launch takes 10 ms; blocks of 1 to 112 rows
  testset:
    args: -bs 1,4 -brief
    output_file: output/blockjacobireg_small.out
    test:
      suffix: small
      comments: quick
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: cuda_small
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda
TEST*/
