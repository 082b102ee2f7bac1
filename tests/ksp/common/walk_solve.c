#include "walk_solve.h"
#include "solution.h"
#include <petscsys.h>

char      walk_error[2048];
PetscBool walk_errors;

/* Keeps the first message and goes on */
static PetscErrorCode WalkCatch(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *message,
                                void *ctx)
{
  (void)comm, (void)ctx;
  if (walk_errors) (void)fprintf(stderr, "[%d] %s (%s:%d)\n", (int)PetscGlobalRank, function, file, line);
  if (type == PETSC_ERROR_INITIAL) (void)PetscSNPrintf(walk_error, sizeof(walk_error), "%s (%s, %s:%d)", message ? message : "", function, file, line);
  return code;
}

PetscErrorCode OwnPC(KSP ksp, PetscBool transpose, Vec r, Vec z)
{
  PC  pc;
  Mat A;
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(Carry(r, x));
  PetscCall((transpose ? PCApplyTranspose : PCApply)(pc, x, y));
  PetscCall(Carry(y, z));
  PetscCall(CheckDestroy(&x, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TestedNorm(const Solve *a, Vec r, PetscReal *norm)
{
  const KSPNormType type = a->v->s.norm;
  Vec               z;
  PetscScalar       product;

  PetscFunctionBeginUser;
  if (type == KSP_NORM_UNPRECONDITIONED || type == KSP_NORM_NONE) {
    PetscCall(VecNorm(r, NORM_2, norm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(VecDuplicate(r, &z));
  PetscCall(OwnPC(a->v->ksp, a->transpose, r, z));
  if (type == KSP_NORM_PRECONDITIONED) PetscCall(VecNorm(z, NORM_2, norm));
  else {
    PetscCall(VecDot(r, z, &product));
    *norm = PetscSqrtReal(PetscAbsScalar(product));
  }
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Residual(const Solve *a, Vec x, Vec r)
{
  Vec y;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(a->b, &y));
  PetscCall(Carry(x, y));
  PetscCall((a->transpose ? MatMultTranspose : MatMult)(a->w->R, y, r));
  PetscCall(VecAYPX(r, -1.0, a->b));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the iterate, or the residual that the solver builds, and compares its norm with that of the iteration */
static PetscErrorCode ReadIterate(Solve *a, PetscInt it, PetscReal norm, PetscBool residual)
{
  KSPConvergedReason reason;
  Vec                v, x, r;
  PetscReal          is;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(a->b, &r));
  PetscCall(KSPGetRhs(a->v->ksp, &v));
  PetscCall(VecDuplicate(v, &v));
  if (residual) {
    PetscCall(KSPBuildResidual(a->v->ksp, NULL, v, &x));
    PetscCall(Carry(x, r));
    if (x != v) PetscCall(VecDestroy(&x));
  } else {
    PetscCall(KSPBuildSolution(a->v->ksp, v, &x));
    PetscCall(Residual(a, v, r)); /* PETSc's BiCGStab with preconditioning from the right does not set x */
  }
  PetscCall(TestedNorm(a, r, &is));
  /* PETSc's Chebyshev shows the iterate before, norms may not be formed in all iterations, and where BiCGStab ends early with preconditioning from the right x is not what it will be */
  PetscCall(KSPGetConvergedReason(a->v->ksp, &reason));
  if (a->v->s.solver != CHEBYSHEV && a->v->s.norm != KSP_NORM_NONE && it > a->v->s.check_from && !reason) a->gap = PetscMax(a->gap, PetscAbsReal(is - norm));
  PetscCall(CheckDestroy(&v, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WalkMonitor(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  Solve *a = (Solve *)ctx;

  PetscFunctionBeginUser;
  (void)ksp;
  if (it != a->next) a->failing = PETSC_TRUE;
  a->next = it + 1;
  if (a->v->s.monitor > 1) PetscCall(ReadIterate(a, it, norm, (PetscBool)(a->v->s.monitor == 3)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WalkTest(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *ctx)
{
  Solve *a = (Solve *)ctx;

  PetscFunctionBeginUser;
  (void)ksp;
  if (it == 0) a->first = norm;
  if (it != a->tests) a->failing = PETSC_TRUE;
  a->tests = it + 1;
  if (a->v->s.test == 2) PetscCall(ReadIterate(a, it, norm, PETSC_FALSE));
  *reason = PetscIsInfOrNanReal(norm) ? KSP_DIVERGED_NANORINF : norm <= 1e-3 * a->first ? KSP_CONVERGED_RTOL_NORMAL_EQUATIONS : KSP_CONVERGED_ITERATING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UseWatchers(Solve *a, KSP ksp)
{
  void *ctx;

  PetscFunctionBeginUser;
  PetscCall(KSPMonitorCancel(ksp));
  if (a->v->s.monitor) PetscCall(KSPMonitorSet(ksp, WalkMonitor, a, NULL));
  if (a->v->s.test) PetscCall(KSPSetConvergenceTest(ksp, WalkTest, a, NULL));
  else {
    PetscCall(KSPConvergedDefaultCreate(&ctx));
    PetscCall(KSPSetConvergenceTest(ksp, KSPConvergedDefault, ctx, KSPConvergedDefaultDestroy));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DrawRightHandSide(Walk *w, Vec b, PetscBool *hard)
{
  const PetscInt     kind = Below(8), seed = Below(1000);
  PetscScalar       *a;
  const PetscScalar *v;
  PetscInt           lo, hi, n;

  PetscFunctionBeginUser;
  PetscCall(CheckVecFill(b, seed));
  if (kind == 0) PetscCall(VecSet(b, 0.0));
  if (kind == 1) PetscCall(VecSet(b, 1.0));
  if (kind == 2) PetscCall(VecScale(b, 1e9));
  if (kind == 3) PetscCall(VecScale(b, 1e-9));
  PetscCall(MatGetOwnershipRange(w->R, &lo, &hi));
  PetscCall(VecGetArray(b, &a));
  for (PetscInt i = lo; i < hi; i++) {
    PetscReal sum = 0;

    if (kind == 4 && i != DrawnRows(&w->drawn) / 2) a[i - lo] = 0;
    PetscCall(MatGetRow(w->R, i, &n, NULL, &v));
    for (PetscInt k = 0; k < n; k++) sum += PetscAbsScalar(v[k]);
    PetscCall(MatRestoreRow(w->R, i, &n, NULL, &v));
    if (sum == 0) a[i - lo] = 0;
  }
  PetscCall(VecRestoreArray(b, &a));
  *hard = (PetscBool)(kind == 4 && !w->symmetric);
  PetscCall(Say(w, "b %d ", (int)kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveWith(Solve *a, KSP ksp, Vec b, Vec x, Outcome *o, PetscErrorCode *code)
{
  PetscFunctionBeginUser;
  walk_error[0] = 0;
  PetscCall(UseWatchers(a, ksp));
  a->next = a->tests = 0;
  a->failing = PETSC_FALSE, a->gap = a->first = 0;
  PetscCall(KSPSetResidualHistory(ksp, o->history, WALK_MAX, PETSC_TRUE));
  PetscCall(PetscPushErrorHandler(WalkCatch, NULL));
  *code = (a->transpose ? KSPSolveTranspose : KSPSolve)(ksp, b, x);
  PetscCall(PetscPopErrorHandler());
  if (*code) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPGetConvergedReason(ksp, &o->reason));
  if (o->reason < 0) PetscCall(ResultSolution(ksp, x));
  PetscCall(KSPGetIterationNumber(ksp, &o->its));
  PetscCall(KSPGetResidualNorm(ksp, &o->rnorm));
  PetscCall(KSPGetResidualHistory(ksp, NULL, &o->n));
  o->most = 0;
  for (PetscInt k = 0; k < o->n; k++) o->most = PetscMax(o->most, o->history[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
