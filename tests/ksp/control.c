static char help[] = "What stops a solve: tolerances, limits, guesses, right-hand sides of zero, each against PETSc's own.\n";

#include "common/compare.h"
#include "common/solution.h"

typedef enum { FROM_ZERO, FROM_GUESS, FROM_SOLUTION } Guess;

static const struct {
  const char        *options;
  Guess              guess;
  PetscBool          zero;   /* right-hand side */
  KSPConvergedReason reason; /* what the twin must say for the case to test what it is for, 0: any */
} cases[] = {
  {"-ksp_initial_guess_nonzero",                                              FROM_GUESS,    PETSC_FALSE, KSP_CONVERGED_RTOL},
  {"-ksp_initial_guess_nonzero -ksp_converged_use_initial_residual_norm",     FROM_GUESS,    PETSC_FALSE, KSP_CONVERGED_RTOL},
  {"-ksp_initial_guess_nonzero -ksp_converged_use_min_initial_residual_norm", FROM_GUESS,    PETSC_FALSE, KSP_CONVERGED_RTOL},
  {"-ksp_initial_guess_nonzero -ksp_rtol 1e-3",                               FROM_SOLUTION, PETSC_FALSE, KSP_CONVERGED_RTOL},
  {"-ksp_initial_guess_nonzero -ksp_max_it 5",                                FROM_GUESS,    PETSC_FALSE, KSP_DIVERGED_ITS  },
  {"-ksp_initial_guess_nonzero",                                              FROM_GUESS,    PETSC_TRUE,  KSP_CONVERGED_RTOL},
  {"-ksp_initial_guess_nonzero -ksp_norm_type none -ksp_max_it 6",            FROM_GUESS,    PETSC_FALSE, 0                 },
  {"-ksp_knoll",                                                              FROM_ZERO,     PETSC_FALSE, KSP_CONVERGED_RTOL},
  {"",                                                                        FROM_ZERO,     PETSC_TRUE,  KSP_CONVERGED_ATOL},
  {"-ksp_max_it 0",                                                           FROM_ZERO,     PETSC_FALSE, 0                 },
  {"-ksp_max_it 1",                                                           FROM_ZERO,     PETSC_FALSE, KSP_DIVERGED_ITS  },
  {"-ksp_max_it 2",                                                           FROM_ZERO,     PETSC_FALSE, KSP_DIVERGED_ITS  },
  {"-ksp_max_it 7",                                                           FROM_ZERO,     PETSC_FALSE, KSP_DIVERGED_ITS  },
  {"-ksp_max_it 8",                                                           FROM_ZERO,     PETSC_FALSE, KSP_DIVERGED_ITS  },
  {"-ksp_max_it 7 -ksp_converged_maxits",                                     FROM_ZERO,     PETSC_FALSE, KSP_CONVERGED_ITS },
  {"-ksp_max_it 0 -ksp_converged_maxits",                                     FROM_ZERO,     PETSC_FALSE, 0                 },
  {"-ksp_max_it 9 -ksp_norm_type none",                                       FROM_ZERO,     PETSC_FALSE, 0                 },
  {"-ksp_max_it 9 -ksp_norm_type none -ksp_converged_maxits",                 FROM_ZERO,     PETSC_FALSE, 0                 },
  {"-ksp_max_it 9 -ksp_convergence_test skip",                                FROM_ZERO,     PETSC_FALSE, KSP_CONVERGED_ITS },
  {"-ksp_divtol 0.5",                                                         FROM_ZERO,     PETSC_FALSE, KSP_DIVERGED_DTOL },
  {"-ksp_initial_guess_nonzero -ksp_divtol 1.001",                            FROM_GUESS,    PETSC_FALSE, KSP_DIVERGED_DTOL },
  {"-ksp_rtol 0.5",                                                           FROM_ZERO,     PETSC_FALSE, KSP_CONVERGED_RTOL},
  {"-ksp_rtol 1e-2",                                                          FROM_ZERO,     PETSC_FALSE, KSP_CONVERGED_RTOL},
  {"-ksp_rtol 0 -ksp_atol 1e-4",                                              FROM_ZERO,     PETSC_FALSE, KSP_CONVERGED_ATOL},
  {"-ksp_atol 1e3",                                                           FROM_ZERO,     PETSC_FALSE, KSP_CONVERGED_ATOL},
  {"-ksp_min_it 12 -ksp_rtol 1e-2",                                           FROM_ZERO,     PETSC_FALSE, KSP_CONVERGED_RTOL},
  {"-ksp_min_it 6 -ksp_rtol 0.9 -ksp_max_it 6",                               FROM_ZERO,     PETSC_FALSE, KSP_CONVERGED_RTOL},
  {"-ksp_check_norm_iteration 3",                                             FROM_ZERO,     PETSC_FALSE, KSP_CONVERGED_RTOL},
  {"-ksp_check_norm_iteration 12 -ksp_rtol 1e-2",                             FROM_ZERO,     PETSC_FALSE, KSP_CONVERGED_RTOL},
  {"-ksp_check_norm_iteration 12 -ksp_rtol 1e-2 -ksp_max_it 6",               FROM_ZERO,     PETSC_FALSE, KSP_DIVERGED_ITS  },
  {"-ksp_diagonal_scale -ksp_diagonal_scale_fix",                             FROM_ZERO,     PETSC_FALSE, KSP_CONVERGED_RTOL},
};

/* Without norms PETSc's bicg leaves the preconditioner out after the first iteration, so that it cannot be the twin: it is asked for norms that nobody looks at */
static PetscErrorCode WithoutNorms(const System *s, Mat A, Vec b)
{
  const char   *options[2] = {"-pc_type jacobi -ksp_max_it 9 -ksp_norm_type none", "-pc_type jacobi -ksp_max_it 9 -ksp_convergence_test skip"};
  static Result r[2];
  KSP           ksp;
  PetscReal     distance = 0;

  PetscFunctionBeginUser;
  PetscCall(Where(s, options[0]));
  for (int k = 0; k < 2; k++) {
    PetscCall(OptionsSwitch(options[k], PETSC_TRUE));
    PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp));
    PetscCall(ResultSolve(ksp, (PetscBool)(k == 1), KSPSolve, b, NULL, &r[k]));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(OptionsSwitch(options[k], PETSC_FALSE));
  }
  PetscCall(VecDistance(r[0].x, r[1].x, NULL, &distance));
  PetscCall(CheckTrue(r[0].its == 9 && r[0].rnorm == 0 && distance <= 10 * RESULT_ROUNDING, "without norms"));
  for (int k = 0; k < 2; k++) PetscCall(ResultDestroy(&r[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareCase(const System *s, Mat A, Vec b, size_t k, const char variant[])
{
  Vec   guess = NULL, zero;
  char *scaled, *none;
  KSP   ksp;

  PetscFunctionBeginUser;
  PetscCall(PetscStrstr(cases[k].options, "norm_type none", &none));
  if (none && TwinIs(KSPBICG)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(b, &zero));
  if (cases[k].guess != FROM_ZERO) {
    PetscCall(CheckVecLike(b, 9, &guess));
    PetscCall(VecScale(guess, PetscDefined(USE_REAL_SINGLE) ? 10.0 : 100.0)); /* more digits than the tolerance asks for must be left */
  }
  if (cases[k].guess == FROM_SOLUTION) {
    PetscCall(SolverCreate(A, A, KSPGMRES, &ksp));
    PetscCall(KSPSolve(ksp, b, guess));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(PetscStrstr(cases[k].options, "diagonal_scale", &scaled));
  compare_bits = (PetscBool)!scaled; /* scaling there and back changes the matrix */
  PetscCall(CompareSolver(s, A, A, cases[k].zero ? zero : b, guess, CheckText("%s %s", variant, cases[k].options), KSPSolve, NULL, NULL));
  PetscCall(CheckTrue(!cases[k].reason || cases[k].reason == compare_reason, KSPConvergedReasons[compare_reason]));
  PetscCall(CheckDestroy(&zero, &guess));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Preconditioner, norm and side; the cases' own options win */
static const char *const variants[3][4] = {
  {"-pc_type jacobi", "-pc_type pbjacobi", "-pc_type jacobi -ksp_norm_type unpreconditioned", "-pc_type jacobi -ksp_norm_type natural"},
  {"-pc_type jacobi", "-pc_type pbjacobi", "-pc_type jacobi -ksp_pc_side right",              "-pc_type bjacobi -sub_pc_type jacobi"  },
  {"-pc_type jacobi", "-pc_type pbjacobi", "-pc_type jacobi -ksp_norm_type unpreconditioned", "-pc_type bjacobi -sub_pc_type jacobi"  },
};

static PetscErrorCode Control(void)
{
  const int    method = TwinIs(KSPCG) ? 0 : (TwinIs(KSPBCGS) ? 1 : 2);
  const System s      = {.kind = "grid", .cells = 150, .bs = 3, .seed = 4, .symmetric = TwinIs(KSPCG)};
  Mat          A;
  Vec          b;

  PetscFunctionBeginUser;
  PetscCall(SystemWithSide(&s, &A, &b));
  if (TwinIs(KSPBICG)) PetscCall(WithoutNorms(&s, A, b));
  for (int v = 0; v < 4; v++)
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++) PetscCall(CompareCase(&s, A, b, k, variants[method][v]));
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Control, CompareSmall, "control", 400000)

/*TEST
  testset:
    nsize: {{1 2}}
    output_file: output/control.out
    args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: 1
    test:
      suffix: intervals
      args: -ksp_fused_check_interval {{1 2 7 100}}

  test:
    suffix: groups
    nsize: 2
    args: -mat_type bdiagh -heptane_groups 2
    output_file: output/control.out

  testset:
    output_file: output/control.out
    args: -ksp_fused_fold {{yes auto}} -ksp_fused_fold_after 3 -type fusedcg,fusedbcgs
    test:
      suffix: fold
    test:
      suffix: fold_cuda
      requires: cuda
      args: -mode kernels,graph -expect_cuda

  testset:
    output_file: output/control.out
    requires: cuda
    args: -expect_cuda
    test:
      suffix: cuda
      args: -mode kernels,graph,persistent
    test:
      suffix: cuda_aijcusparse
      # by default cuSPARSE adds up in another order every time, which BiCG may carry further than a nudged right-hand side does
      args: -mat_type aijcusparse -mat_cusparse_spmv_alg CSRMV_ALG2 -mat_form_explicit_transpose -mode auto
    test:
      suffix: cuda_intervals
      args: -mode graph,persistent -ksp_fused_check_interval {{1 7 100}}
    test:
      suffix: cuda_blocking
      args: -mode kernels,persistent -ksp_fused_wait blocking

  testset:
    output_file: output/control.out
    args: -type fusedchebyshev
    test:
      suffix: chebyshev
      comments: quick
    test:
      suffix: chebyshev_cuda
      requires: cuda
      args: -mode kernels,graph -expect_cuda
TEST*/
