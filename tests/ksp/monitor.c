static char help[] =
  "Monitors, convergence tests and histories of the user's: called in order, every iteration, with iterates and residuals of that iteration.\n";

#include "common/twin.h"
#include "common/watch.h"

static PetscErrorCode Monitor(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  return See(ksp, it, norm, (Watch *)ctx);
}

static PetscErrorCode Converged(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *ctx)
{
  Watch *w = (Watch *)ctx;

  PetscFunctionBeginUser;
  PetscCall(See(ksp, it, norm, w));
  if (w->own) PetscCall(KSPConvergedDefault(ksp, it, norm, reason, w->own));
  else *reason = it >= w->stop ? KSP_CONVERGED_HAPPY_BREAKDOWN : KSP_CONVERGED_ITERATING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum { MONITOR, MONITOR_BUILD, TWO_MONITORS, INNER_SOLVE, TEST_STOP, TEST_BUILD, TEST_DEFAULT, TEST_AND_MONITOR, WAYS } Way;
static const char *const ways[] = {"monitor",    "monitor builds", "two monitors",           "solve in a monitor",
                                   "test stops", "test builds",    "test calls the default", "test and monitor"};

/* Solves with what the way says attached */
static PetscErrorCode Watched(const System *s, Mat A, Way way, int twin, const Twins *p, Watch w[2], Result *r)
{
  const char *type = twin ? compare_twin : compare_type;
  System      t    = *s;
  Mat         B    = NULL;
  KSP         ksp;

  PetscFunctionBeginUser;
  PetscCall(SolverCreate(A, A, type, &ksp));
  for (int k = 0; k < 2; k++) {
    w[k].calls  = 0;
    w[k].gap[0] = w[k].gap[1] = 0;
    w[k].ordered              = PETSC_TRUE;
    w[k].build                = (PetscBool)(way == MONITOR_BUILD || way == TEST_BUILD || (way == TWO_MONITORS && k));
    w[k].stop                 = 7;
    w[k].twins                = p;
    w[k].b                    = p->b;
  }
  if (way == INNER_SOLVE) {
    t.seed += 5;
    PetscCall(SystemCreate(PETSC_COMM_WORLD, &t, &B));
    PetscCall(SolverCreate(B, B, type, &w[0].inner));
    PetscCall(KSPSetTolerances(w[0].inner, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 5));
  }
  if (way == TEST_DEFAULT || way == TEST_AND_MONITOR) PetscCall(KSPConvergedDefaultCreate(&w[0].own));
  if (way >= TEST_STOP) PetscCall(KSPSetConvergenceTest(ksp, Converged, &w[0], NULL));
  else PetscCall(KSPMonitorSet(ksp, Monitor, &w[0], NULL));
  if (way == TWO_MONITORS || way == TEST_AND_MONITOR) PetscCall(KSPMonitorSet(ksp, Monitor, &w[1], NULL));
  PetscCall(ResultSolve(ksp, (PetscBool)twin, KSPSolve, p->b, NULL, r));
  if (w[0].own) PetscCall(KSPConvergedDefaultDestroy(&w[0].own));
  w[0].own = NULL;
  PetscCall(CheckDestroy(&w[0].inner, &B, &ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A KSP of each kind that nobody watches, for norms and the limits of rounding */
static PetscErrorCode Prepare(const System *s, Mat A, Twins *p, StepScale *step)
{
  static Result r;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &p->ksp[k]));
  PetscCall(KSPSetTolerances(p->ksp[1], PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 5));
  twin_condition = 1;
  PetscCall(ResultSolve(p->ksp[1], PETSC_TRUE, KSPSolve, p->b, NULL, &r));
  PetscCall(TwinsReference(p, s, 1));
  PetscCall(StepScaleGet(p, NULL, step));
  step->rounding *= PetscMin(twin_condition, STEP_CONDITION);
  PetscCall(ResultDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WatchAll(const System *s, Mat A, Vec b, const char options[], int ways_)
{
  static Result r[2];
  static Watch  w[2][2]; /* type, twin */
  Twins         p = {.solve = KSPSolve, .b = b};
  StepScale     step;
  Vec           weights, x;

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(Prepare(s, A, &p, &step));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(CheckVecLike(b, 13, &weights));
  for (int way = 0; way < ways_; way++) {
    const char *const text = CheckText("%s, %s", options, ways[way]);
    PetscCall(Where(s, text));
    for (int k = 0; k < 2; k++) {
      for (int m = 0; m < 2; m++) w[k][m].weights = weights, w[k][m].x = x;
      PetscCall(Watched(s, A, (Way)way, k, &p, w[k], &r[k]));
    }
    PetscCall(CheckWhole(&p, NULL, &r[0], &r[1], "solve"));
    if (way == TEST_STOP) PetscCall(CheckTrue(r[0].its == 7 && r[0].reason == KSP_CONVERGED_HAPPY_BREAKDOWN, "stops where and as the test says"));
    for (int m = 0; m < 2; m++)
      if (w[1][m].calls) PetscCall(CheckSeen(&w[0][m], &w[1][m], &r[0], weights, &step));
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(ResultDestroy(&r[k]));
    PetscCall(KSPDestroy(&p.ksp[k]));
  }
  PetscCall(CheckDestroy(&p.R, &weights, &x));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Monitors(PetscBool reject)
{
  const System s = {.kind = "grid", .cells = 140, .bs = 3, .seed = 8, .symmetric = TwinIs(KSPCG)};
  Mat          A;
  Vec          b;

  PetscFunctionBeginUser;
  PetscCall(SystemWithSide(&s, &A, &b));
  PetscCall(WatchAll(&s, A, b, "-pc_type jacobi", reject ? 2 : WAYS));
  if (!reject) {
    PetscCall(WatchAll(&s, A, b, "-pc_type pbjacobi", WAYS));
    PetscCall(WatchAll(&s, A, b, "-pc_type bjacobi -sub_pc_type jacobi", WAYS));
    if (TwinIs(KSPBCGS)) PetscCall(WatchAll(&s, A, b, "-pc_type jacobi -ksp_pc_side right", WAYS));
    else PetscCall(WatchAll(&s, A, b, "-pc_type jacobi -ksp_norm_type unpreconditioned", WAYS));
    if (TwinIs(KSPCG)) PetscCall(WatchAll(&s, A, b, "-pc_type jacobi -ksp_norm_type natural", WAYS));
  }
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode All(void)
{
  return Monitors(PETSC_FALSE);
}

static PetscErrorCode Rejects(void)
{
  return Monitors(PETSC_TRUE);
}

COMPARE_MAIN(All, Rejects, "monitor", 20000)

/*TEST
  testset:
    output_file: output/monitor.out
    args: -ksp_fused_check_interval {{0 5}}
    test:
      suffix: 1
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: groups
      nsize: 2
      args: -mat_type {{bdiagh sellp}} -heptane_groups 2
    test:
      suffix: groups_3
      nsize: 3
      args: -type fusedcg,fusedbcgs -heptane_groups 2
    test:
      suffix: fold
      comments: quick
      args: -ksp_fused_fold yes
    test:
      suffix: fold_cuda
      requires: cuda
      args: -ksp_fused_fold yes -mode graph -type fusedcg,fusedbcgs -expect_cuda
    test:
      suffix: cuda
      requires: cuda
      args: -mode kernels,graph,persistent -expect_cuda
    test:
      suffix: cuda_aijcusparse
      # by default cuSPARSE adds up in another order every time, which BiCG may carry further than a nudged right-hand side does
      requires: cuda
      args: -mat_type aijcusparse -mat_cusparse_spmv_alg CSRMV_ALG2 -mat_form_explicit_transpose -mode auto -expect_cuda
TEST*/
