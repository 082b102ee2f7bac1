static char help[] = "Mixed precision with limits of the iterations, other convergence tests, and values and precisions that change between solves.\n";

#include "common/mixed.h"

/* Limits of the iterations, and tests that are not the default one */
static PetscErrorCode CheckLimits(void)
{
  const System             s        = {.kind = "grid", .cells = 700, .bs = 1, .seed = 7, .symmetric = TwinIsSymmetric()};
  static const char *const limits[] = {"-ksp_max_it 13", "-ksp_min_it 40", "-ksp_max_it 25 -ksp_convergence_test skip", "-ksp_rtol 1e-30 -ksp_atol 1e-7",
                                       "-ksp_converged_maxits -ksp_max_it 13"};
  static Result            r[2];
  static Plan              p;
  Mat                      A, R;
  Vec                      b;
  KSP                      twin;

  PetscFunctionBeginUser;
  PetscCall(SystemWithSide(&s, &A, &b));
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &R));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(limits); k++) {
    char      all[256];
    PetscReal norm;

    PetscCall(PetscSNPrintf(all, sizeof(all), MIXED "-pc_type jacobi %s", limits[k]));
    PetscCall(Where(&s, all));
    PetscCall(TwinSolve(R, b, NULL, all + sizeof(MIXED) - 1, &twin, &r[1]));
    PetscCall(MixedSolve(A, b, NULL, all, &r[0], &p));
    PetscCall(CheckTrue(r[0].reason == r[1].reason && (k == 3 || r[0].its == r[1].its), "reason and iterations are the twin's"));
    PetscCall(LongResidual(twin, R, b, r[0].x, &norm));
    PetscCall(CheckTrue(PetscAbsReal(norm - r[0].rnorm) <= 1e-12 * r[0].history[0], "the norm is that of the solution"));
    PetscCall(CheckTrue(strstr(p.text, "precision: mixed") && !strstr(p.text, "precision: double"), p.text));
    for (int j = 0; j < 2; j++) PetscCall(ResultDestroy(&r[j]));
    PetscCall(KSPDestroy(&twin));
  }
  PetscCall(CheckDestroy(&b, &R, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One KSP: other values, another precision and back */
static PetscErrorCode CheckChanges(void)
{
  const System  s = {.kind = "grid", .cells = 700, .bs = 1, .seed = 7, .symmetric = TwinIsSymmetric()};
  static Result r[2];
  Mat           A, R = NULL;
  Vec           b;
  KSP           ksp;

  PetscFunctionBeginUser;
  PetscCall(SystemWithSide(&s, &A, &b));
  PetscCall(Where(&s, "changes"));
  PetscCall(OptionsSwitch("-pc_type jacobi " MIXED, PETSC_TRUE));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  for (int k = 0; k < 4; k++) {
    if (k) {
      PetscCall(MatScale(A, 3.0));
      PetscCall(MatShift(A, 0.5));
    }
    PetscCall(OptionsSwitch("-ksp_fused_precision double", PETSC_TRUE));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(ResultSolve(ksp, PETSC_FALSE, KSPSolve, b, NULL, &r[1]));
    PetscCall(OptionsSwitch(MIXED, PETSC_TRUE));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(MatDestroy(&R));
    PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &R));
    PetscCall(ResultSolve(ksp, PETSC_FALSE, KSPSolve, b, NULL, &r[0]));
    PetscCall(CheckPromise(ksp, R, b, NULL, &r[0], &r[1], "other values"));
  }
  PetscCall(KSPReset(ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(ResultSolve(ksp, PETSC_FALSE, KSPSolve, b, NULL, &r[1]));
  PetscCall(CheckRepeat(&r[1], &r[0], "after KSPReset()"));
  PetscCall(OptionsSwitch("-pc_type jacobi " MIXED, PETSC_FALSE));
  for (int j = 0; j < 2; j++) PetscCall(ResultDestroy(&r[j]));
  PetscCall(CheckDestroy(&ksp, &b, &R, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MixedLimits(void)
{
  PetscFunctionBeginUser;
  PetscCall(CheckLimits());
  PetscCall(CheckChanges());
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(MixedLimits, NULL, "mixed_limits", 30)

/*TEST
  testset:
    args: -type fusedcg,fusedbcgs,fusedchebyshev -rejects 0
    output_file: output/mixed_limits.out
    test:
      suffix: 1
      comments: quick
      requires: double
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 3
      requires: double
      nsize: 3
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
