/*
   What a solve gives, and how two of them are compared. How far rounding may carry two runs apart is not guessed: the twin solves once more
   with the right-hand side nudged by its last bits, and the other may differ by a multiple of what that changed. Knows no solver type.
*/
#pragma once

#include "system.h"

#define RESULT_MAX 2000 /* iterations of a history */
/* Rounding in every operation against one nudge of the right-hand side: up to 34 was seen in double precision, up to 180 in single */
#define RESULT_FACTOR 500
#define RESULT_LOST   (PetscDefined(USE_REAL_SINGLE) ? 0.2 : 0.05) /* a relative change beyond which a history has nothing to say */
#define RESULT_SHARE  (PetscDefined(USE_REAL_SINGLE) ? 5 : 2)      /* one part in so many must have something to say */

typedef struct {
  Vec                x;
  PetscInt           its, n;             /* iterations, entries of the history */
  PetscInt           least, most;        /* iterations of this solve and of those in ResultSpread() */
  PetscReal          spread[RESULT_MAX]; /* how far the histories of those went from the twin's, relative, for a nudge of the last bit */
  PetscReal          rnorm, rtol, history[RESULT_MAX];
  PetscReal          gap; /* of KSPBuildResidual() to b - A x, relative to b */
  KSPConvergedReason reason;
  PetscBool          otherwise; /* one of those ended for another reason than the twin */
} Result;

static inline PetscErrorCode ResultDestroy(Result *r)
{
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&r->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the solution says something */
static inline PetscBool ResultMeans(const Result *r)
{
  return (PetscBool)(r->reason != KSP_DIVERGED_NANORINF && r->reason != KSP_DIVERGED_PC_FAILED);
}

typedef PetscErrorCode SolveFn(KSP, Vec, Vec);

/* What KSPBuildResidual() gives after the solve, against b - A x. A sign of the solver's own vectors: not a check of x. */
static inline PetscErrorCode ResidualGap(KSP ksp, Vec b, Vec x, PetscReal *gap)
{
  Mat       A;
  Vec       v, built, r;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(VecDuplicate(b, &v));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(KSPBuildResidual(ksp, NULL, v, &built));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecAXPY(r, -1.0, built));
  PetscCall(VecNorm(r, NORM_2, gap));
  PetscCall(VecNorm(b, NORM_2, &norm));
  if (norm > 0) *gap /= norm;
  if (built != v) PetscCall(VecDestroy(&built));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with KSPSolve() or another function; x holds the guess, or zero, when it begins */
static inline PetscErrorCode ResultSolve(KSP ksp, SolveFn *solve, Vec b, Vec guess, Result *r)
{
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&r->x));
  PetscCall(VecDuplicate(b, &r->x));
  if (guess) PetscCall(VecCopy(guess, r->x));
  else PetscCall(VecSet(r->x, 0.0));
  PetscCall(KSPSetResidualHistory(ksp, r->history, RESULT_MAX, PETSC_TRUE));
  PetscCall(solve(ksp, b, r->x));
  PetscCall(KSPGetResidualHistory(ksp, NULL, &r->n));
  PetscCall(KSPGetIterationNumber(ksp, &r->its));
  PetscCall(KSPGetResidualNorm(ksp, &r->rnorm));
  PetscCall(KSPGetConvergedReason(ksp, &r->reason));
  PetscCall(KSPGetTolerances(ksp, &r->rtol, NULL, NULL, NULL));
  PetscCall(KSPSetResidualHistory(ksp, NULL, 0, PETSC_TRUE));
  r->least = r->most = r->its;
  r->otherwise       = PETSC_FALSE;
  PetscCall(PetscArrayzero(r->spread, RESULT_MAX));
  r->gap = 0;
  if (solve == KSPSolve && ResultMeans(r)) PetscCall(ResidualGap(ksp, b, r->x, &r->gap));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y: b with every entry changed by about so many of its last bits, one way or the other by the seed */
static inline PetscErrorCode VecNudge(Vec b, PetscReal bits, PetscInt seed, Vec *y)
{
  PetscScalar *a;
  PetscInt     lo, hi;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, y));
  PetscCall(VecCopy(b, *y));
  PetscCall(VecGetOwnershipRange(*y, &lo, &hi));
  PetscCall(VecGetArray(*y, &a));
  for (PetscInt i = lo; i < hi; i++) a[i - lo] *= 1 + (ProblemHash(seed, i, i) % 2 ? 1 : -1) * bits * PETSC_MACHINE_EPSILON;
  PetscCall(VecRestoreArray(*y, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |a - b| / |b| of entry k of a history and the twin's, if both have it and it is a number above 0 */
static inline PetscReal HistoryChange(const Result *a, const Result *t, PetscInt k)
{
  if (k >= a->n || k >= t->n || !(t->history[k] > 0) || PetscIsInfOrNanReal(t->history[k])) return 0;
  return PetscAbsReal(a->history[k] - t->history[k]) / t->history[k];
}

/* Whether entry k of both histories is as near as rounding makes it, which changed entries by so much up to there, relatively */
static inline PetscBool HistoryAgrees(const Result *f, const Result *t, PetscInt k, PetscReal change)
{
  const PetscReal b = t->history[k];

  return (PetscBool)(PetscAbsReal(f->history[k] - b) <= RESULT_FACTOR * (change * b + PETSC_MACHINE_EPSILON * PetscMax(b, t->history[PetscMax(k, 1) - 1])));
}

/* Whether two runs went further apart than one nudged solve shows: then ResultSpread() measures it with more */
static inline PetscBool ResultsPart(const Result *f, const Result *t, const Result *nudged)
{
  PetscReal change = 0;

  if (PetscAbsInt(f->its - t->its) > 1) return PETSC_TRUE;
  for (PetscInt k = 0; k < PetscMin(f->n, t->n); k++) {
    change = PetscMax(change, HistoryChange(nudged, t, k));
    if (RESULT_FACTOR * change > RESULT_LOST) break;
    if (!PetscIsInfOrNanReal(t->history[k]) && !HistoryAgrees(f, t, k, change)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/*
   How far rounding may carry the number of iterations and the history: those of the twin with right-hand sides nudged as much as rounding in every operation may count, into nudged. Both solve, so
   that both have solved as often. Where histories go together there is nothing to measure. BiCG may go up to 400 times as far as these: rounding that differs between A and its transpose parts the two
   residuals, a nudged right-hand side does not.
*/
static inline PetscErrorCode ResultSpread(KSP type, KSP twin, SolveFn *solve, Vec b, Vec guess, const Result *f, const Result *t, Result *nudged)
{
  static Result   r;
  const PetscBool counts = (PetscBool)(PetscAbsInt(f->its - t->its) > 1); /* otherwise both have to end alike, whatever nudged solves do */
  Vec             y;

  PetscFunctionBeginUser;
  nudged->otherwise = (PetscBool)(counts && nudged->reason != t->reason);
  for (PetscInt seed = 8; seed < 12; seed++) {
    PetscCall(VecNudge(b, RESULT_FACTOR, seed, &y));
    PetscCall(ResultSolve(type, solve, y, guess, &r));
    PetscCall(ResultSolve(twin, solve, y, guess, &r));
    nudged->least = PetscMin(nudged->least, r.its);
    nudged->most  = PetscMax(nudged->most, r.its);
    for (PetscInt k = 0; k < PetscMin(r.n, t->n); k++) nudged->spread[k] = PetscMax(nudged->spread[k], HistoryChange(&r, t, k) / RESULT_FACTOR);
    if (counts && r.reason != t->reason) nudged->otherwise = PETSC_TRUE;
    PetscCall(VecDestroy(&y));
  }
  PetscCall(ResultDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* |x - y| / |y| */
static inline PetscErrorCode VecDistance(Vec x, Vec y, PetscReal *distance)
{
  Vec       d;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(y, &d));
  PetscCall(VecWAXPY(d, -1.0, x, y));
  PetscCall(VecNorm(d, NORM_2, distance));
  PetscCall(VecNorm(y, NORM_2, &norm));
  if (norm > 0) *distance /= norm;
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both histories as far as rounding lets them say something, which must be a good part of the twin's */
static inline PetscErrorCode CheckHistory(const Result *f, const Result *t, const Result *nudged, const char what[], PetscBool *lost)
{
  const PetscInt n = PetscMin(f->n, t->n), shortest = nudged->otherwise ? PetscMin(t->n - 1, nudged->least) : t->n - 1;
  PetscReal      change = 0;
  PetscInt       k;
  char           text[256];

  PetscFunctionBeginUser;
  for (k = 0; k < n; k++) {
    const PetscReal a = f->history[k], b = t->history[k];

    change = PetscMax(change, PetscMax(HistoryChange(nudged, t, k), nudged->spread[k]));
    if (PetscIsInfOrNanReal(b)) {
      PetscCall(PetscSNPrintf(text, sizeof(text), "%s: history[%" PetscInt_FMT "] is no number in both", what, k));
      PetscCall(CheckTrue(PetscIsInfOrNanReal(a), text));
      continue;
    }
    if (RESULT_FACTOR * change > RESULT_LOST) break;
    if (f->rnorm == 0 && k > 0 && k == f->n - 1 && a == f->history[k - 1])
      continue; /* BiCGStab ended because t = 0: it logs the norm before once more, as PETSc's does */
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s: history[%" PetscInt_FMT "]: %.15g, the twin's %.15g, nudged by %.2g", what, k, (double)a, (double)b,
                            (double)change));
    PetscCall(CheckTrue(HistoryAgrees(f, t, k, change), text));
  }
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: %" PetscInt_FMT " entries of the history compared of the twin's %" PetscInt_FMT, what, k, t->n));
  PetscCall(CheckTrue((PetscBool)(RESULT_SHARE * k >= shortest || t->reason == KSP_DIVERGED_DTOL), text));
  if (lost) *lost = (PetscBool)(k < n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The two ended in the same way; below the rounding of the first residual the absolute and the relative tolerance are one */
static inline PetscErrorCode CheckResult(const Result *f, const Result *t, const Result *nudged, const char what[])
{
  const PetscReal floor = 100 * PETSC_MACHINE_EPSILON * (t->n ? t->history[0] : 0);
  const PetscBool ended = (PetscBool)(f->reason > 0 && t->reason > 0 && f->rnorm <= floor && t->rnorm <= floor);
  PetscReal       distance, allowed;
  PetscInt        least = t->its, most = t->its, more = t->reason <= 0 ? 0 : 1;
  PetscBool       lost = PETSC_FALSE;
  char            text[256];

  PetscFunctionBeginUser;
  PetscCall(CheckHistory(f, t, nudged, what, &lost));
  if (lost && (t->reason == KSP_DIVERGED_DTOL || nudged->otherwise))
    PetscFunctionReturn(PETSC_SUCCESS); /* BiCG in single precision: whether and when it converges or diverges is rounding's choice */
  if (lost && t->reason > 0) {
    least = PetscMin(least, nudged->least);
    most  = PetscMax(most, nudged->most);
    more += t->its / 10;
  }
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: %" PetscInt_FMT " iterations, the twin %" PetscInt_FMT ", nudged %" PetscInt_FMT " to %" PetscInt_FMT, what,
                          f->its, t->its, nudged->least, nudged->most));
  PetscCall(CheckTrue((PetscBool)(f->its >= least - more && f->its <= most + more), text));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: %" PetscInt_FMT " entries in the history, the twin %" PetscInt_FMT, what, f->n, t->n));
  PetscCall(CheckTrue((PetscBool)(f->n - f->its == t->n - t->its), text));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: %s, the twin %s", what, KSPConvergedReasons[f->reason], KSPConvergedReasons[t->reason]));
  PetscCall(CheckTrue((PetscBool)(f->reason == t->reason || ended), text));
  if (PetscIsInfOrNanReal(t->rnorm)) {
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s: residual norm is no number in both", what));
    PetscCall(CheckTrue(PetscIsInfOrNanReal(f->rnorm), text));
  }
  if (!ResultMeans(t)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: residual norm is the last of the history, as the twin's", what));
  if (t->n && t->rnorm == t->history[t->n - 1] && f->rnorm != 0) PetscCall(CheckTrue((PetscBool)(f->n && f->rnorm == f->history[f->n - 1]), text));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: the residual built is %.2g from b - A x, the twin's %.2g", what, (double)f->gap, (double)t->gap));
  PetscCall(CheckTrue((PetscBool)(f->gap <= RESULT_FACTOR * PetscMax(t->gap, 10 * PETSC_MACHINE_EPSILON)), text));
  PetscCall(VecDistance(nudged->x, t->x, &allowed));
  allowed = RESULT_FACTOR * PetscMax(allowed, 10 * PETSC_MACHINE_EPSILON);
  if (f->its != t->its) allowed = PetscMax(allowed, RESULT_FACTOR * t->rtol);
  PetscCall(VecDistance(f->x, t->x, &distance));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: solution %.2g from the twin's, allowed %.2g", what, (double)distance, (double)allowed));
  PetscCall(CheckTrue((PetscBool)(distance <= allowed), text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same bits */
static inline PetscErrorCode CheckRepeat(const Result *a, const Result *b, const char what[])
{
  const PetscScalar *x, *y;
  PetscInt           n;
  PetscBool          same = PETSC_FALSE, equal = PETSC_FALSE;
  char               text[256];

  PetscFunctionBeginUser;
  if (a->n == b->n && a->its == b->its && a->reason == b->reason) PetscCall(PetscMemcmp(a->history, b->history, sizeof(PetscReal) * (size_t)a->n, &same));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: the same history bit for bit", what));
  PetscCall(CheckTrue(same, text));
  PetscCall(VecGetLocalSize(a->x, &n));
  PetscCall(VecGetArrayRead(a->x, &x));
  PetscCall(VecGetArrayRead(b->x, &y));
  PetscCall(PetscMemcmp(x, y, sizeof(PetscScalar) * (size_t)n, &equal));
  PetscCall(VecRestoreArrayRead(a->x, &x));
  PetscCall(VecRestoreArrayRead(b->x, &y));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: the same solution bit for bit", what));
  PetscCall(CheckTrue(equal, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
