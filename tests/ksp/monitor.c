static char help[] =
  "Monitors, convergence tests and histories of the user's: called in order, every iteration, with iterates and residuals of that iteration.\n";

#include "compare.h"

#define SEEN_MAX 5 /* numbers a call leaves */

/* What a monitor or a convergence test saw; numbers: the norms given, of the iterate, of the residual, a weighted sum of the iterate */
typedef struct {
  Result    seen; /* as a history: SEEN_MAX numbers a call */
  PetscInt  calls;
  PetscBool ordered, build; /* iterations counted up from 0, one a call; look at iterate and residual */
  PetscInt  stop;           /* a convergence test stops here */
  KSP       inner;          /* solved in every call */
  Vec       weights, b, x;
  void     *own; /* context of PETSc's test, which then decides */
} Watch;

static PetscErrorCode See(KSP ksp, PetscInt it, PetscReal norm, Watch *w)
{
  PetscReal  *h = w->seen.history + SEEN_MAX * w->calls;
  PetscInt    its;
  Vec         v, built;
  PetscScalar dot;

  PetscFunctionBeginUser;
  PetscCall(KSPGetIterationNumber(ksp, &its));
  if (it != w->calls || its != it) w->ordered = PETSC_FALSE;
  h[0] = norm;
  h[1] = h[2] = h[3] = h[4] = 1;
  if (it) PetscCall(KSPGetResidualNorm(ksp, &h[4])); /* at the start PETSc's own solvers differ about when they set it */
  if (w->build) {
    PetscCall(VecDuplicate(w->b, &v));
    PetscCall(KSPBuildSolution(ksp, v, &built));
    PetscCall(VecNorm(built, NORM_2, &h[1]));
    PetscCall(VecDot(built, w->weights, &dot));
    h[2] = PetscAbsScalar(dot);
    PetscCall(KSPBuildResidual(ksp, NULL, v, &built));
    PetscCall(VecNorm(built, NORM_2, &h[3]));
    if (built != v) PetscCall(VecDestroy(&built));
    PetscCall(VecDestroy(&v));
  }
  if (w->inner) PetscCall(KSPSolve(w->inner, w->b, w->x));
  w->calls++;
  w->seen.n = SEEN_MAX * w->calls;
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

/* Solves with what the way says attached; all three KSPs are compared afterwards */
static PetscErrorCode Watched(const System *s, Mat A, Way way, const char type[], Vec b, Watch w[2], Result *r)
{
  System    t = *s;
  Mat       B = NULL;
  KSP       ksp;
  PetscBool test = (PetscBool)(way >= TEST_STOP);

  PetscFunctionBeginUser;
  PetscCall(SolverCreate(A, A, type, &ksp));
  for (int k = 0; k < 2; k++) {
    w[k].calls   = 0;
    w[k].ordered = PETSC_TRUE;
    w[k].build   = (PetscBool)(way == MONITOR_BUILD || way == TEST_BUILD || (way == TWO_MONITORS && k));
    w[k].stop    = 7;
  }
  if (way == INNER_SOLVE) {
    t.seed += 5;
    PetscCall(SystemCreate(PETSC_COMM_WORLD, &t, &B));
    PetscCall(SolverCreate(B, B, type, &w[0].inner));
    PetscCall(KSPSetTolerances(w[0].inner, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 5));
  }
  if (way == TEST_DEFAULT || way == TEST_AND_MONITOR) PetscCall(KSPConvergedDefaultCreate(&w[0].own));
  if (test) PetscCall(KSPSetConvergenceTest(ksp, Converged, &w[0], NULL));
  else PetscCall(KSPMonitorSet(ksp, Monitor, &w[0], NULL));
  if (way == TWO_MONITORS || way == TEST_AND_MONITOR) PetscCall(KSPMonitorSet(ksp, Monitor, &w[1], NULL));
  PetscCall(ResultSolve(ksp, KSPSolve, b, NULL, r));
  for (int k = 0; k < 2; k++) {
    if (!w[k].calls) continue;
    PetscCall(CheckTrue(w[k].ordered, "called once for every iteration, in order"));
    PetscCall(CheckTrue((PetscBool)(w[k].calls == r->n && r->n == r->its + 1), "called from iteration 0 to the last"));
    for (PetscInt it = 0; it < PetscMin(w[k].calls, r->n); it++)
      PetscCall(CheckTrue((PetscBool)(w[k].seen.history[SEEN_MAX * it] == r->history[it]), "the norm is that of the history"));
  }
  if (w[0].own) PetscCall(KSPConvergedDefaultDestroy(&w[0].own));
  w[0].own = NULL;
  PetscCall(KSPDestroy(&w[0].inner));
  PetscCall(MatDestroy(&B));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WatchAll(const System *s, Mat A, Vec b, Vec nudged, const char options[])
{
  static Result r[3];
  static Watch  w[3][2]; /* type, twin, twin nudged */
  Vec           weights, x;

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecDuplicate(b, &weights));
  PetscCall(CheckVecFill(weights, 13));
  for (int way = 0; way < WAYS; way++) {
    char text[128];

    PetscCall(PetscSNPrintf(text, sizeof(text), "%s, %s", options, ways[way]));
    PetscCall(Where(s, text));
    for (int k = 0; k < 3; k++) {
      for (int m = 0; m < 2; m++) {
        w[k][m].weights = weights;
        w[k][m].b       = b;
        w[k][m].x       = x;
      }
      PetscCall(Watched(s, A, (Way)way, k ? compare_twin : compare_type, k == 2 ? nudged : b, w[k], &r[k]));
    }
    PetscCall(CheckResult(&r[0], &r[1], &r[2], "solve"));
    if (way == TEST_STOP) PetscCall(CheckTrue((PetscBool)(r[0].its == 7 && r[0].reason == KSP_CONVERGED_HAPPY_BREAKDOWN), "stops where and as the test says"));
    for (int m = 0; m < 2; m++)
      if (w[1][m].calls) PetscCall(CheckHistory(&w[0][m].seen, &w[1][m].seen, &w[2][m].seen, m ? "seen by the second" : "seen by the first", NULL));
  }
  for (int k = 0; k < 3; k++) PetscCall(ResultDestroy(&r[k]));
  PetscCall(VecDestroy(&weights));
  PetscCall(VecDestroy(&x));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Monitors(void)
{
  const System s = {.kind = "grid", .cells = 140, .bs = 3, .seed = 8, .symmetric = TwinIs(KSPCG)};
  Mat          A;
  Vec          b, nudged;

  PetscFunctionBeginUser;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
  PetscCall(MatCreateVecs(A, &b, NULL));
  PetscCall(CheckVecFill(b, 5));
  PetscCall(VecNudge(b, 1, 7, &nudged));
  PetscCall(WatchAll(&s, A, b, nudged, "-pc_type jacobi"));
  PetscCall(WatchAll(&s, A, b, nudged, "-pc_type pbjacobi"));
  PetscCall(WatchAll(&s, A, b, nudged, "-pc_type bjacobi -sub_pc_type jacobi"));
  if (TwinIs(KSPBCGS)) PetscCall(WatchAll(&s, A, b, nudged, "-pc_type jacobi -ksp_pc_side right"));
  else PetscCall(WatchAll(&s, A, b, nudged, "-pc_type jacobi -ksp_norm_type unpreconditioned"));
  if (TwinIs(KSPCG)) PetscCall(WatchAll(&s, A, b, nudged, "-pc_type jacobi -ksp_norm_type natural"));
  PetscCall(VecDestroy(&nudged));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CompareEach(Monitors));
  return CompareFinish("monitor");
}

/*TEST

  testset:
    output_file: output/monitor.out
    args: -ksp_fused_check_interval {{0 5}}
    test:
      suffix: 1
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: fold
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
