static char help[] = "Transposed solves, several right-hand sides, eigenvalue estimates, and vectors in another place than the matrix, against PETSc's own.\n";

#include "common/compare.h"

/* Three columns by KSPMatSolve(): the last column is what is compared */
static PetscErrorCode SolveColumns(KSP ksp, Vec b, Vec x)
{
  Mat      B, X;
  Vec      column;
  PetscInt n, N;
  VecType  type;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(VecGetSize(b, &N));
  PetscCall(VecGetType(b, &type));
  PetscCall(MatCreateDenseFromVecType(PetscObjectComm((PetscObject)b), type, n, PETSC_DECIDE, N, 3, PETSC_DECIDE, NULL, &B));
  for (PetscInt k = 0; k < 3; k++) {
    PetscCall(MatDenseGetColumnVecWrite(B, k, &column));
    PetscCall(VecCopy(b, column));
    PetscCall(VecScale(column, 3.0 - k));
    PetscCall(MatDenseRestoreColumnVecWrite(B, k, &column));
  }
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  PetscCall(KSPMatSolve(ksp, B, X));
  PetscCall(MatDenseGetColumnVecRead(X, 2, &column));
  PetscCall(VecCopy(column, x));
  PetscCall(MatDenseRestoreColumnVecRead(X, 2, &column));
  PetscCall(CheckDestroy(&B, &X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves, and leaves the extreme singular values and the eigenvalues in place of the history */
static PetscReal values[RESULT_MAX];
static PetscInt  nvalues;

static PetscErrorCode SolveSpectrum(KSP ksp, Vec b, Vec x)
{
  PetscReal *c;
  PetscInt   n;

  PetscFunctionBeginUser;
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(PetscMalloc1(RESULT_MAX, &c));
  PetscCall(KSPComputeExtremeSingularValues(ksp, &values[1], &values[0]));
  PetscCall(KSPComputeEigenvalues(ksp, RESULT_MAX - 2, values + 2, c, &n));
  nvalues = n + 2;
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After a few iterations: later the eigenvalues of the tridiagonal matrix depend on rounding */
static PetscErrorCode Spectrum(const System *s, Mat A, Vec b, const char options[])
{
  static Result    r;
  static PetscReal spectra[2][RESULT_MAX];
  PetscInt         n[2];
  StepScale        scale = {.rounding = RESULT_ROUNDING};

  PetscFunctionBeginUser;
  PetscCall(WhereWith(s, options));
  for (int k = 0; k < 2; k++) {
    KSP ksp;

    PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp));
    PetscCall(KSPSetComputeSingularValues(ksp, PETSC_TRUE));
    PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 8));
    for (int twice = 0; twice < 2; twice++) PetscCall(ResultSolve(ksp, (PetscBool)(k == 1), SolveSpectrum, b, NULL, &r));
    PetscCall(PetscArraycpy(spectra[k], values, nvalues));
    n[k] = nvalues;
    PetscCall(KSPDestroy(&ksp));
  }
  scale.size = spectra[1][0];
  PetscCall(CheckTrue(n[0] == n[1] && n[1] > 4, "as many eigenvalues"));
  PetscCall(CheckHistory(spectra[0], spectra[1], PetscMin(n[0], n[1]), &scale, "extreme singular values, then eigenvalues"));
  PetscCall(ResultDestroy(&r));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors of the host's types, whatever the matrix prefers; then the matrix kept on the host */
static PetscErrorCode OnHost(const System *s, Mat A, Vec b, const char options[])
{
  PetscInt  n;
  Vec       host;
  PetscBool cusparse, device;
  char     *pbjacobi;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &cusparse, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, ""));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)b, &device, VECSEQCUDA, VECMPICUDA, ""));
  PetscCall(PetscStrstr(options, "pbjacobi", &pbjacobi));
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(VecCreate(PETSC_COMM_WORLD, &host));
  PetscCall(VecSetSizes(host, n, PETSC_DETERMINE));
  PetscCall(VecSetType(host, VECSTANDARD));
  PetscCall(VecCopy(b, host));
  /* cuSPARSE's products take no host vectors, and PETSc's pbjacobi on the device does not write to them */
  if (!cusparse && !(device && pbjacobi)) PetscCall(CompareSolver(s, A, A, host, NULL, options, KSPSolve, NULL, NULL));
  PetscCall(MatBindToCPU(A, PETSC_TRUE));
  if (!(cusparse && pbjacobi)) PetscCall(CompareSolver(s, A, A, host, NULL, options, KSPSolve, NULL, NULL));
  PetscCall(CompareSolver(s, A, A, b, NULL, options, KSPSolve, NULL, NULL));
  PetscCall(MatBindToCPU(A, PETSC_FALSE));
  PetscCall(CompareSolver(s, A, A, b, NULL, options, KSPSolve, NULL, NULL));
  PetscCall(VecDestroy(&host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TransposeOf(const System *s, Mat A, Vec b)
{
  const char *const options[] = {"-pc_type jacobi", "-pc_type pbjacobi", "-pc_type none", "-pc_type bjacobi -sub_pc_type ilu"};

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); k++) {
    PetscCall(CompareSolver(s, A, A, b, NULL, options[k], KSPSolveTranspose, NULL, NULL));
    PetscCall(CompareSolver(s, A, A, b, NULL, options[k], SolveColumns, NULL, NULL));
    PetscCall(OnHost(s, A, b, options[k]));
    if (TwinIs(KSPCG)) PetscCall(Spectrum(s, A, b, options[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Transpose(void)
{
  const System s = {.kind = "grid", .cells = 120, .bs = 3, .seed = 14, .symmetric = TwinIs(KSPCG)};

  PetscFunctionBeginUser;
  PetscCall(SystemUse(&s, TransposeOf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Transpose, CompareSmall, "transpose", 20000)

/*TEST
  testset:
    output_file: output/transpose.out
    test:
      suffix: 1
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: groups
      nsize: 2
      args: -mat_type bdiagh -heptane_groups 2
    test:
      suffix: cuda
      requires: cuda
      args: -mode kernels,graph,persistent -expect_cuda
    test:
      suffix: cuda_sellp
      requires: cuda
      args: -mat_type sellp -mode graph -expect_cuda
    test:
      suffix: cuda_aijcusparse
      # by default cuSPARSE adds up in another order every time, which BiCG may carry further than a nudged right-hand side does
      requires: cuda
      args: -mat_type aijcusparse -mat_cusparse_spmv_alg CSRMV_ALG2 -mat_form_explicit_transpose -mode auto -expect_cuda

  # for compute-sanitizer: few iterations
  testset:
    args: -type fusedbicg -mode kernels -ksp_max_it 2 -rejects 0 -mat_type {{bdiagh sellp}}
    output_file: output/transpose.out
    test:
      suffix: small
    test:
      suffix: cuda_small
      requires: cuda
      args: -expect_cuda

  test:
    suffix: chebyshev
    comments: quick
    nsize: {{1 2}}
    args: -type fusedchebyshev
    output_file: output/transpose.out
TEST*/
