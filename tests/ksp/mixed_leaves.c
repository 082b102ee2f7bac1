static char help[] = "Mixed precision that is left: solves that go on in double precision where single precision brings no progress.\n";

#include "common/compare.h"
#include "common/mixed.h"
#include "../mat/common/check_device.h"

/* n x n: -mat_type, by default bdiagh */
static PetscErrorCode Empty(PetscInt n, Mat *A)
{
  PetscBool given;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_type", &given));
  if (!given) PetscCall(MatSetType(*A, "bdiagh"));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Its values are set; R: the same in PETSc's aij; b: a right-hand side */
static PetscErrorCode Assembled(Mat A, Mat *R, Vec *b)
{
  PetscFunctionBeginUser;
  PetscCall(CheckAssemble(A));
  PetscCall(CheckDevice(A));
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, R));
  PetscCall(CheckVecs(A, b, 5, NULL, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver that has left mixed precision does not take it with `auto`, until it is reset */
static PetscErrorCode CheckRemembers(Mat A, Vec b)
{
  static const char *const options[] = {MIXED "-pc_type jacobi -ksp_max_it 9999 -ksp_rtol 1e-6", "-ksp_fused_precision auto -pc_type jacobi -ksp_max_it 1"};
  static Plan              p;
  KSP                      ksp;
  Vec                      x;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(OptionsSwitch(options[0], PETSC_TRUE));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(OptionsSwitch(options[1], PETSC_TRUE));
  PetscCall(KSPSetFromOptions(ksp));
  for (int reset = 0; reset < 2; reset++) {
    if (reset) PetscCall(KSPReset(ksp));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(Look(ksp, &p));
    PetscCall(CheckTrue((strstr(p.text, "precision: double: an earlier solve could not stay in mixed precision") == NULL) == reset, p.text));
  }
  PetscCall(OptionsSwitch(options[1], PETSC_FALSE));
  PetscCall(CheckDestroy(&ksp, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A chain of springs, fixed at both ends, with stiffnesses from 1e-4 to 1: its condition is beyond single precision */
static PetscErrorCode CheckGoesOn(PetscBool grid)
{
  const PetscInt n = 400;
  static Result  r;
  static Plan    p;
  const System   s = {.kind = "chain", .cells = n, .bs = 1};
  Mat            A, R;
  Vec            b;
  PetscReal      size, norm;

  PetscFunctionBeginUser;
  PetscCall(Where(&s, "goes on in double precision"));
  PetscCall(Empty(n, &A));
  for (PetscInt i = 0; i < n; i++) {
    const PetscReal left = PetscPowReal(1e-4, SystemNumber(&s, i, i)), right = PetscPowReal(1e-4, SystemNumber(&s, i + 1, i + 1));

    PetscCall(MatSetValue(A, i, i, left + right, INSERT_VALUES));
    if (i) PetscCall(MatSetValue(A, i, i - 1, -left, INSERT_VALUES));
    if (i + 1 < n) PetscCall(MatSetValue(A, i, i + 1, -right, INSERT_VALUES));
    for (int k = 0; grid && k < 2; k++) { /* no more than a pattern */
      const PetscInt far = k ? 20 : 5;

      if (i >= far) PetscCall(MatSetValue(A, i, i - far, -1e-12, INSERT_VALUES));
      if (i + far < n) PetscCall(MatSetValue(A, i, i + far, -1e-12, INSERT_VALUES));
    }
  }
  PetscCall(Assembled(A, &R, &b));
  PetscCall(MixedSolve(A, b, NULL, MIXED "-pc_type jacobi -ksp_max_it 9999 -ksp_rtol 1e-6", &r, &p));
  PetscCall(CheckTrue(r.reason > 0, "it converges"));
  PetscCall(CheckTrue(strstr(p.text, "on in double precision: ") != NULL, p.text));
  PetscCall(ResidualNorm(R, r.x, b, &norm));
  PetscCall(VecNorm(b, NORM_2, &size));
  PetscCall(CheckTrue(norm <= 1e-3 * size, "to a solution"));
  PetscCall(CheckRemembers(A, b));
  PetscCall(ResultDestroy(&r));
  PetscCall(CheckDestroy(&b, &R, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Chebyshev with a matrix whose residuals grow before they fall: lines of 12 cells, each coupled with the one before alone, seven times as much as with itself. All eigenvalues are 1. */
static PetscErrorCode CheckGrows(void)
{
  static const char *const options[] = {
    "-pc_type jacobi -ksp_chebyshev_eigenvalues 0.7,1.3 -ksp_rtol 1e-4 -ksp_divtol 1e30", /* converges, but single precision is far off by then */
    "-pc_type jacobi -ksp_chebyshev_eigenvalues 0.7,1.3",                                 /* exceeds the limit of growth */
    "-pc_type jacobi -ksp_chebyshev_eigenvalues 0.1,0.5",                                 /* diverges */
  };
  const PetscInt n = 240;
  static Result  r[2];
  static Plan    p;
  const System   s = {.kind = "lines", .cells = n, .bs = 1};
  Mat            A, R;
  Vec            b;
  KSP            twin;

  PetscFunctionBeginUser;
  PetscCall(Empty(n, &A));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatSetValue(A, i, i, 1, INSERT_VALUES));
    if (i % 12) PetscCall(MatSetValue(A, i, i - 1, -7, INSERT_VALUES));
  }
  PetscCall(Assembled(A, &R, &b));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); k++) {
    PetscReal size, norm;
    char      all[256];

    PetscCall(Where(&s, options[k]));
    PetscCall(PetscSNPrintf(all, sizeof(all), MIXED "%s", options[k]));
    PetscCall(TwinSolve(R, b, NULL, options[k], &twin, &r[1]));
    PetscCall(MixedSolve(A, b, NULL, all, &r[0], &p));
    PetscCall(CheckTrue(r[0].reason == r[1].reason && (r[1].reason > 0) == (k == 0), KSPConvergedReasons[r[0].reason]));
    PetscCall(CheckTrue(strstr(p.text, "precision: mixed, ") && strstr(p.text, "on in double precision: "), p.text));
    PetscCall(LongResidual(twin, R, b, r[0].x, &norm));
    PetscCall(MethodNorm(twin, KSPSolve, b, &size));
    PetscCall(CheckTrue(k || (norm <= 1.1e-4 * size && PetscAbsReal(norm - r[0].rnorm) <= 1e-5 * size), "the true residual is what is asked for"));
    for (int j = 0; j < 2; j++) PetscCall(ResultDestroy(&r[j]));
    PetscCall(KSPDestroy(&twin));
  }
  PetscCall(CheckDestroy(&b, &R, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MixedLeaves(void)
{
  PetscFunctionBeginUser;
  if (TwinIs(KSPCHEBYSHEV)) PetscCall(CheckGrows());
  for (int grid = 0; TwinIs(KSPCG) && grid < 2; grid++) PetscCall(CheckGoesOn((PetscBool)grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(MixedLeaves, NULL, "mixed_leaves", 10)

/*TEST
  testset:
    args: -rejects 0 -type fusedcg,fusedchebyshev
    output_file: output/mixed_leaves.out
    test:
      suffix: 1
      comments: quick
      requires: double
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 2
      requires: double
      nsize: 2
      args: -heptane_test_comm_check -heptane_comm {{mpi peer}}
    test:
      suffix: cuda_2
      requires: cuda double
      nsize: 2
      args: -mode kernels,graph -heptane_test_comm_check -heptane_comm peer -expect_cuda
    test:
      suffix: cuda
      requires: cuda double
      args: -mode kernels,graph,persistent -expect_cuda
    test:
      suffix: cuda_sellp
      requires: cuda double
      args: -mode kernels,graph -mat_type sellp -expect_cuda
TEST*/
