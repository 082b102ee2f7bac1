#include "step.h"
#include "solution.h"
#include "twin.h"
#include "../../mat/common/check.h"

PetscErrorCode MethodNorm(KSP ksp, SolveFn *solve, Vec r, PetscReal *norm)
{
  KSPNormType type;
  PCSide      side;
  PC          pc;
  Vec         z;
  PetscScalar dot;

  PetscFunctionBeginUser;
  PetscCall(KSPGetNormType(ksp, &type));
  PetscCall(KSPGetPCSide(ksp, &side));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(VecNorm(r, NORM_2, norm));
  if (side == PC_RIGHT || (type != KSP_NORM_PRECONDITIONED && type != KSP_NORM_NATURAL)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(r, &z));
  PetscCall((solve == KSPSolveTranspose ? PCApplyTranspose : PCApply)(pc, r, z));
  PetscCall(VecNorm(z, NORM_2, norm));
  if (type == KSP_NORM_NATURAL) {
    PetscCall(VecDot(z, r, &dot));
    *norm = PetscSqrtReal(PetscAbsScalar(dot));
  }
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TrueResidual(const Twins *p, Vec x, Vec r)
{
  PetscFunctionBeginUser;
  PetscCall(MatMult(p->R, x, r));
  PetscCall(VecAYPX(r, -1.0, p->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StepScaleGet(const Twins *p, Vec g, StepScale *s)
{
  PetscReal part;
  Vec       r;

  PetscFunctionBeginUser;
  s->rounding = RESULT_ROUNDING;
  PetscCall(MethodNorm(p->ksp[1], p->solve, p->b, &s->size));
  s->start = s->size;
  if (g) {
    PetscCall(VecDuplicate(p->b, &r));
    PetscCall(TrueResidual(p, g, r));
    PetscCall(MethodNorm(p->ksp[1], p->solve, r, &s->start));
    PetscCall(MatMult(p->R, g, r));
    PetscCall(MethodNorm(p->ksp[1], p->solve, r, &part));
    s->size += part;
    PetscCall(VecDestroy(&r));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckHistory(const PetscReal a[], const PetscReal b[], PetscInt n, const StepScale *s, const char what[])
{
  PetscInt  bad  = -1;
  PetscReal most = s->size;
  char      text[256];

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < n && bad < 0; k++) {
    if (PetscIsInfOrNanReal(a[k]) || PetscIsInfOrNanReal(b[k])) {
      if (!PetscIsInfOrNanReal(a[k]) || !PetscIsInfOrNanReal(b[k])) bad = k;
      continue;
    }
    most = PetscMax(most, b[k]);
    if (!(PetscAbsReal(a[k] - b[k]) <= s->rounding * most)) bad = k;
  }
  result_values += n;
  if (bad < 0) PetscCall(PetscSNPrintf(text, sizeof(text), "%s: %" PetscInt_FMT " norms", what, n));
  else
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s: norm %" PetscInt_FMT " of %" PetscInt_FMT ": %.15g, the twin's %.15g, size %.3g", what, bad, n,
                            (double)a[bad], (double)b[bad], (double)most));
  PetscCall(CheckTrue(bad < 0, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool ResultsExact(const Result *f, const Result *t, PetscReal size)
{
  return (PetscBool)(f->reason > 0 && t->reason > 0 && f->rnorm <= RESULT_ROUNDING * size && t->rnorm <= RESULT_ROUNDING * size);
}

/* Entries that both histories have. BiCGStab with t = 0 logs the norm before once more, as PETSc's does, while the other may have had some rounding in its t. */
static PetscInt CommonEntries(const Result *f, const Result *t)
{
  const PetscInt  n     = PetscMin(f->n, t->n);
  const PetscBool again = (PetscBool)(n > 1 && ((f->rnorm == 0 && f->n == n && f->history[n - 1] == f->history[n - 2]) ||
                                                (t->rnorm == 0 && t->n == n && t->history[n - 1] == t->history[n - 2])));

  return n - (again ? 1 : 0);
}

PetscErrorCode CheckStep(const Result *f, const Result *t, Vec g, const StepScale *s, const char what[])
{
  const PetscBool exact = ResultsExact(f, t, s->size);
  PetscReal       x, change, distance = 0, from = 0;
  PetscInt        N;

  PetscFunctionBeginUser;
  PetscCall(CheckTrue(exact || (f->reason == t->reason && f->its == t->its && f->n == t->n),
                      CheckText("%s: %s after %" PetscInt_FMT ", the twin %s after %" PetscInt_FMT, what, KSPConvergedReasons[f->reason], f->its,
                                KSPConvergedReasons[t->reason], t->its)));
  PetscCall(CheckHistory(f->history, t->history, CommonEntries(f, t), s, what));
  if (!ResultMeans(t)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecNorm(t->x, NORM_2, &x));
  change = x;
  if (g) {
    PetscCall(VecNorm(g, NORM_2, &from));
    PetscCall(VecDistance(t->x, g, &change, NULL));
  }
  if (s->start > 0) change *= s->size / s->start;
  PetscCall(VecDistance(f->x, t->x, &distance, NULL));
  PetscCall(CheckTrue(distance <= s->rounding * (x + from + change),
                      CheckText("%s: solution %.2g from the twin's, of size %.2g", what, (double)distance, (double)(x + from + change))));
  PetscCall(VecGetSize(t->x, &N));
  result_values += N;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckSteps(const Twins *p, Vec g, PetscInt most, const char what[])
{
  static Result r[2];
  StepScale     s;
  PetscInt      limit[2];

  PetscFunctionBeginUser;
  PetscCall(StepScaleGet(p, g, &s));
  for (int k = 0; k < 2; k++) PetscCall(KSPGetTolerances(p->ksp[k], NULL, NULL, NULL, &limit[k]));
  for (PetscInt its = 1; its <= PetscMin(most, limit[1]); its += its < 3 ? 1 : 2) {
    twin_condition = 1;
    for (int k = 0; k < 2; k++) {
      PetscCall(KSPSetTolerances(p->ksp[k], PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, its));
      PetscCall(ResultSolve(p->ksp[k], (PetscBool)(k == 1), p->solve, p->b, g, &r[k]));
    }
    s.rounding = RESULT_ROUNDING * PetscMin(twin_condition, STEP_CONDITION);
    PetscCall(CheckStep(&r[0], &r[1], g, &s, CheckText("%s, %" PetscInt_FMT " iterations", what, its)));
  }
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPSetTolerances(p->ksp[k], PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, limit[k]));
    PetscCall(ResultDestroy(&r[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
