#include "whole.h"
#include "../../mat/common/check.h"

/* How a solve ended, against its twin's end */
static PetscErrorCode CheckEnding(const Result *f, const Result *t, PetscBool exact, const char what[])
{
  const PetscInt more = t->reason > 0 ? PetscMax(2, t->its / 10) : 0;

  PetscFunctionBeginUser;
  PetscCall(CheckTrue(PetscAbsInt(f->its - t->its) <= more, CheckText("%s: %" PetscInt_FMT " iterations, the twin %" PetscInt_FMT, what, f->its, t->its)));
  PetscCall(CheckTrue(f->n - f->its == t->n - t->its, CheckText("%s: %" PetscInt_FMT " entries in the history, the twin %" PetscInt_FMT, what, f->n, t->n)));
  PetscCall(CheckTrue(f->reason == t->reason || exact, CheckText("%s: %s, the twin %s", what, KSPConvergedReasons[f->reason], KSPConvergedReasons[t->reason])));
  PetscCall(CheckTrue(PetscIsInfOrNanReal(f->rnorm) == PetscIsInfOrNanReal(t->rnorm),
                      CheckText("%s: residual norm %g, the twin's %g", what, (double)f->rnorm, (double)t->rnorm)));
  result_values += 4;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No numbers in the same places of both histories */
static PetscErrorCode CheckNumbers(const Result *f, const Result *t, const char what[])
{
  PetscBool same = PETSC_TRUE;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < PetscMin(f->n, t->n); k++)
    if (PetscIsInfOrNanReal(f->history[k]) != PetscIsInfOrNanReal(t->history[k])) same = PETSC_FALSE;
  PetscCall(CheckTrue(same, CheckText("%s: the history has no numbers where the twin's has none", what)));
  result_values += PetscMin(f->n, t->n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TrueNorms(const Twins *p, Vec x, PetscReal norm[2])
{
  Vec r;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(p->b, &r));
  PetscCall(TrueResidual(p, x, r));
  PetscCall(MethodNorm(p->ksp[1], p->solve, r, &norm[0]));
  PetscCall(VecNorm(r, NORM_2, &norm[1]));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The true residual is the norm reported, to rounding of the largest norm of the history, or as near as the twin's (a method without norms, or with a preconditioner that
   is no matrix, reports something else); it is as small as the tolerance promises, and not ten times the twin's, a hundred times
   where the numbers of iterations differ: one iteration may bring as much.
*/
static PetscErrorCode CheckTrueResidual(const Twins *p, Vec g, const Result *f, const Result *t, const char what[])
{
  StepScale s;
  PetscReal norm[2][2], gap[2], most, rtol, x, A, rounding;
  PetscInt  N;

  PetscFunctionBeginUser;
  PetscCall(StepScaleGet(p, g, &s));
  for (int k = 0; k < 2; k++) {
    const Result *r = k ? t : f;

    PetscCall(TrueNorms(p, r->x, norm[k]));
    gap[k] = PetscAbsReal(norm[k][0] - r->rnorm);
  }
  most = s.size;
  for (PetscInt k = 0; k < t->n; k++) most = PetscMax(most, t->history[k]);
  PetscCall(CheckTrue(gap[0] <= 10 * gap[1] + RESULT_ROUNDING * most,
                      CheckText("%s: residual norm %.3g, of the solution %.3g; the twin's %.3g and %.3g, size %.3g", what, (double)f->rnorm, (double)norm[0][0],
                                (double)t->rnorm, (double)norm[1][0], (double)most)));
  if (f->reason == KSP_CONVERGED_RTOL) {
    PetscCall(KSPGetTolerances(p->ksp[0], &rtol, NULL, NULL, NULL));
    PetscCall(CheckTrue(f->rnorm <= rtol * PetscMax(s.size, t->history[0]) * (1 + RESULT_ROUNDING), "the tolerance is met"));
  }
  if (t->reason > 0) {
    PetscCall(VecNorm(t->x, NORM_2, &x));
    PetscCall(VecNorm(p->b, NORM_2, &rounding));
    PetscCall(MatNorm(p->R, NORM_INFINITY, &A));
    rounding = RESULT_ROUNDING * (rounding + A * x);
    PetscCall(CheckTrue(norm[0][1] <= (f->its == t->its ? 10 : 100) * norm[1][1] + rounding,
                        CheckText("%s: true residual %.2g, the twin's %.2g", what, (double)norm[0][1], (double)norm[1][1])));
  }
  PetscCall(VecGetSize(p->b, &N));
  result_values += N;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckWhole(const Twins *p, Vec g, const Result *f, const Result *t, const char what[])
{
  const PetscBool exact = ResultsExact(f, t, t->n ? t->history[0] : 0);

  PetscFunctionBeginUser;
  PetscCall(CheckEnding(f, t, exact, what));
  PetscCall(CheckNumbers(f, t, what));
  if (!ResultMeans(t)) PetscFunctionReturn(PETSC_SUCCESS);
  if (t->n && t->rnorm == t->history[t->n - 1] && f->rnorm != 0)
    PetscCall(CheckTrue(f->n && f->rnorm == f->history[f->n - 1], CheckText("%s: residual norm is the last of the history, as the twin's", what)));
  PetscCall(CheckTrue(f->gap <= 10 * t->gap + RESULT_ROUNDING,
                      CheckText("%s: the residual built is %.2g from b - A x, the twin's %.2g", what, (double)f->gap, (double)t->gap)));
  if (p->R) PetscCall(CheckTrueResidual(p, g, f, t, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}
