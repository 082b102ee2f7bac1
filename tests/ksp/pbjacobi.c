static char help[] =
  "PCPBJACOBI of the type under test against PETSc's with AIJ: products, solves, new values, singular blocks, what crosses between host and device.\n";

#include "common/cuda_calls.h"
#include "common/system.h"

static PetscBool device; /* the matrix of the type under test gives CUDA vectors */
static PetscReal rtol = PETSC_SQRT_MACHINE_EPSILON / 10;

static PetscErrorCode Name(const System *s, const char what[])
{
  return CheckWhere("%" PetscInt_FMT " cells, block size %" PetscInt_FMT ", split %" PetscInt_FMT ", %s", s->cells, s->bs, s->split, what);
}

/* The preconditioner of A against that of R applied to one vector, which lies on the host where host is true */
static PetscErrorCode CompareApply(PC pc, PC reference, Mat A, Mat R, PetscBool host)
{
  Vec x, y, xr, yr;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(R, &xr, 9, &yr, 0));
  if (host) {
    PetscInt n;

    PetscCall(MatGetLocalSize(A, &n, NULL));
    PetscCall(VecCreateMPI(PETSC_COMM_WORLD, n, PETSC_DETERMINE, &x));
    PetscCall(VecDuplicate(x, &y));
  } else PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(CheckVecFill(x, 9));
  for (int transpose = 0; transpose < 2; transpose++) {
    PetscCall(CheckVecFill(y, 10)); /* to be overwritten */
    PetscCall((transpose ? PCApplyTranspose : PCApply)(pc, x, y));
    PetscCall((transpose ? PCApplyTranspose : PCApply)(reference, xr, yr));
    PetscCall(CheckVec(y, yr, CHECK_TOLERANCE, transpose ? "PCApplyTranspose" : "PCApply"));
  }
  PetscCall(CheckDestroy(&x, &y, &xr, &yr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both solve from zero: the same reason, count and answer. good: they converge */
static PetscErrorCode CompareSolve(KSP ksp, KSP reference, PetscBool good)
{
  KSP                pair[2] = {ksp, reference};
  Vec                x[2], b;
  Mat                A;
  KSPConvergedReason reason[2];
  PetscInt           its[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPGetOperators(pair[k], &A, NULL));
    PetscCall(CheckVecs(A, &x[k], 0, &b, 5));
    PetscCall(CheckKSPSolve(pair[k], b, x[k], &its[k], &reason[k]));
    PetscCall(VecDestroy(&b));
  }
  PetscCall(CheckTrue(reason[0] == reason[1] && (reason[0] > 0) == good, KSPConvergedReasons[reason[0]]));
  if (good) {
    PetscCall(CheckTrue(its[0] == its[1], "the number of iterations"));
    PetscCall(CheckVec(x[0], x[1], PETSC_SQRT_MACHINE_EPSILON, "the solution"));
  }
  for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&x[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Column `column` of the block of a cell in the middle: zero, or a number that is none; then its block has no inverse */
static PetscErrorCode Spoil(const System *s, Mat A, PetscInt column, PetscScalar value)
{
  const PetscInt first = s->cells / 2 * s->bs, j = first + column;
  PetscInt       lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (PetscInt i = PetscMax(lo, first); i < PetscMin(hi, first + s->bs); i++) PetscCall(MatSetValues(A, 1, &i, 1, &j, &value, INSERT_VALUES));
  PetscCall(CheckAssemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solver(Mat A, KSP *ksp)
{
  return CheckKSPCreate(A, KSPBCGS, PCPBJACOBI, rtol, 200, ksp);
}

/* A as PETSc's type, and a solver with it */
static PetscErrorCode Reference(Mat A, Mat *R, KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(CheckDestroy(ksp, R));
  PetscCall(MatConvert(A, device ? MATAIJCUSPARSE : MATAIJ, MAT_INITIAL_MATRIX, R));
  PetscCall(Solver(*R, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Singular blocks: a reason where errors are not wanted, otherwise an error, as with PETSc's; then values that are good again */
static PetscErrorCode CompareFailure(const System *s, KSP ksp[2], Mat M[2])
{
  const PetscReal   none = 0;
  const PetscMPIInt size = CheckProcesses();
  PetscErrorCode    code;
  PC                pc;

  PetscFunctionBeginUser;
  PetscCall(Name(s, "a singular block"));
  for (int k = 0; k < 2; k++) PetscCall(Spoil(s, M[k], s->bs - 1, 0.0));
  PetscCall(CompareSolve(ksp[0], ksp[1], PETSC_FALSE));
  for (int k = 0; k < (s->bs < 8 ? 2 : 1) && size == 1; k++) { /* from block size 8 on PETSc loses the code and some memory */
    PetscCall(Spoil(s, M[k], s->bs - 1, 0.0));                 /* counts as a change: PETSc keeps inverses while the matrix stays */
    PetscCall(CheckPCCreate(M[k], PCPBJACOBI, &pc));
    PetscCall(PCSetErrorIfFailure(pc, PETSC_TRUE));
    CheckCode(code, PCSetUp(pc));
    PetscCall(CheckTrue(code == PETSC_ERR_MAT_LU_ZRPVT, k ? "PETSc's after PCSetErrorIfFailure()" : "after PCSetErrorIfFailure()"));
    PetscCall(PCDestroy(&pc));
  }
  PetscCall(MatSetErrorIfFailure(M[0], PETSC_FALSE));
  PetscCall(SystemFill(s, M[0]));
  PetscCall(Spoil(s, M[0], 0, none / none));
  PetscCall(Reference(M[0], &M[1], &ksp[1])); /* PETSc's keeps the failure */
  PetscCall(Name(s, "a value that is no number"));
  PetscCall(CompareSolve(ksp[0], ksp[1], PETSC_FALSE));
  PetscCall(SystemFill(s, M[0]));
  PetscCall(Reference(M[0], &M[1], &ksp[1]));
  PetscCall(Name(s, "after a failure"));
  PetscCall(CompareSolve(ksp[0], ksp[1], PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A set-up after values that changed where products run: neither blocks nor inverses cross, no memory is taken */
static PetscErrorCode CheckTraffic(const System *s, Mat A, PC pc)
{
  CudaCalls before;
  PetscInt  rows;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(MatScale(A, 0.5)); /* by 1 would be no change */
  before = cuda_calls;
  PetscCall(PCSetUp(pc));
  PetscCall(Name(s, "what a set-up asks of CUDA"));
  PetscCall(CheckTrue((cuda_calls.kernels > before.kernels) == (device && rows), "a kernel"));
  PetscCall(CheckTrue(cuda_calls.bytes - before.bytes <= 256, "copies between host and device"));
  PetscCall(CheckTrue(cuda_calls.allocations == before.allocations, "no memory"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareSystem(const System *system)
{
  System  s      = *system;
  Mat     M[2]   = {NULL, NULL};
  KSP     ksp[2] = {NULL, NULL};
  PC      pc[2];
  VecType type;

  PetscFunctionBeginUser;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &M[0]));
  PetscCall(MatGetVecType(M[0], &type));
  PetscCall(PetscStrendswith(type, "cuda", &device));
  PetscCall(Solver(M[0], &ksp[0]));
  PetscCall(Reference(M[0], &M[1], &ksp[1]));
  for (int k = 0; k < 2; k++) PetscCall(KSPGetPC(ksp[k], &pc[k]));
  for (int turn = 0; turn < 3; turn++) {
    PetscCall(Name(&s, turn == 0 ? "first values" : (turn == 1 ? "new values" : "scaled")));
    if (turn == 1) s.seed += 10;
    for (int k = 0; k < 2; k++) {
      if (turn == 1) PetscCall(SystemFill(&s, M[k]));
      if (turn == 2) PetscCall(MatScale(M[k], 0.25));
      PetscCall(KSPSetUp(ksp[k]));
      if (turn == 1 && k == 0) { /* the reference has the inverses of the old values */
        PetscInt before[2];

        RejectBegin(before);
        PetscCall(CompareApply(pc[0], pc[1], M[0], M[1], PETSC_FALSE));
        PetscCall(RejectEnd(before, "stale inverses are not told from the right ones"));
      }
    }
    PetscCall(CompareApply(pc[0], pc[1], M[0], M[1], PETSC_FALSE));
    PetscCall(CompareApply(pc[0], pc[1], M[0], M[1], PETSC_TRUE));
    PetscCall(CompareSolve(ksp[0], ksp[1], PETSC_TRUE));
  }
  PetscCall(CheckTraffic(&s, M[0], pc[0]));
  PetscCall(CompareFailure(&s, ksp, M));
  PetscCall(CheckDestroy(&ksp[0], &M[0], &ksp[1], &M[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt bs[32], cells = 67, n = 32, split = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-bs", bs, &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-cells", &cells, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-split", &split, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-rtol", &rtol, NULL));
  for (PetscInt k = 0; k < n; k++) {
    const System s = {.kind = "grid", .cells = cells, .bs = bs[k], .split = split, .seed = 4 + k};

    PetscCall(CompareSystem(&s));
  }
  return CheckFinish("pbjacobi");
}

/*TEST
  testset:
    args: -bs 1,2,3,4,5,6,7,8,9,16,17,31,32
    output_file: output/pbjacobi.out
    test:
      suffix: 1
      comments: quick
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  # tiles that are full and one that is not, of every size of blocks that goes by tiles
  testset:
    args: -bs 1,2,3,4,5,6,7,8 -cells 270
    output_file: output/pbjacobi_tiles.out
    test:
      suffix: tiles
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: tiles_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  # for compute-sanitizer, with which a launch takes 10 ms: few iterations; a block of the matrix a thread, in two tiles or three, and one in 16 or 32 lanes
  testset:
    args: -mat_type {{bdiagh sellp}} -bs 1,3,7,8,12,16,17,32 -cells 130 -rtol 0.3
    output_file: output/pbjacobi_small.out
    test:
      suffix: small
    test:
      suffix: cuda_small
      requires: cuda
      args: -expect_cuda

  testset:
    nsize: {{2 3}}
    args: -bs 1,3,8,20 -cells 50 -split {{0 1}}
    output_file: output/pbjacobi_2.out
    test:
      suffix: 2
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: groups
      args: -heptane_groups 2
    test:
      suffix: 2_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  # cells in another order, rows put aside, blocks of another size than those of the slices
  testset:
    args: -mat_type sellp -bs 2,3,8 -cells 50 -mat_sellp_sort_window {{1 64}} -mat_sellp_long_row {{5 64}} -mat_sellp_block_size {{0 1}}
    test:
      suffix: sellp
      output_file: output/pbjacobi_sellp.out
    test:
      suffix: sellp_cuda
      requires: cuda
      args: -expect_cuda
      output_file: output/pbjacobi_sellp.out
    test:
      suffix: sellp_2
      nsize: 2
TEST*/
