#include "watch.h"

static PetscErrorCode SeeVectors(KSP ksp, PetscReal given, Watch *w)
{
  Vec         v, built, r;
  PetscScalar dot;
  PetscReal   norm;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(w->b, &v));
  PetscCall(VecDuplicate(w->b, &r));
  PetscCall(KSPBuildSolution(ksp, v, &built));
  PetscCall(VecNorm(built, NORM_2, &w->seen[ITERATE][w->calls]));
  PetscCall(VecDot(built, w->weights, &dot));
  w->seen[WEIGHTED][w->calls] = PetscAbsScalar(dot);
  PetscCall(TrueResidual(w->twins, built, r));
  PetscCall(KSPBuildResidual(ksp, NULL, v, &built));
  PetscCall(VecNorm(built, NORM_2, &w->seen[BUILT][w->calls]));
  PetscCall(MethodNorm(w->twins->ksp[1], KSPSolve, r, &norm));
  w->gap[0] = PetscMax(w->gap[0], PetscAbsReal(norm - given));
  PetscCall(VecAXPY(r, -1.0, built));
  PetscCall(VecNorm(r, NORM_2, &norm));
  w->gap[1] = PetscMax(w->gap[1], norm);
  if (built != v) PetscCall(VecDestroy(&built));
  PetscCall(CheckDestroy(&v, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode See(KSP ksp, PetscInt it, PetscReal norm, Watch *w)
{
  PetscInt its;

  PetscFunctionBeginUser;
  PetscCall(KSPGetIterationNumber(ksp, &its));
  if (it != w->calls || its != it) w->ordered = PETSC_FALSE;
  for (int k = 0; k < SEEN; k++) w->seen[k][w->calls] = 1;
  w->seen[GIVEN][w->calls] = norm;
  if (it) PetscCall(KSPGetResidualNorm(ksp, &w->seen[RNORM][w->calls])); /* at the start PETSc's own solvers differ about when they set it */
  if (w->build) PetscCall(SeeVectors(ksp, norm, w));
  if (w->inner) PetscCall(KSPSolve(w->inner, w->b, w->x));
  w->calls++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckSeen(const Watch *f, const Watch *t, const Result *r, Vec weights, const StepScale *step)
{
  StepScale s = *step;
  PetscReal norms[3], sizes[SEEN];
  PetscInt  equal = 0;

  PetscFunctionBeginUser;
  PetscCall(CheckTrue(f->ordered, "called once for every iteration, in order"));
  PetscCall(CheckTrue(f->calls == r->n && r->n == r->its + 1, "called from iteration 0 to the last"));
  while (equal < PetscMin(f->calls, r->n) && f->seen[GIVEN][equal] == r->history[equal]) equal++;
  PetscCall(CheckTrue(equal == r->n, "the norm is that of the history"));
  PetscCall(VecNorm(r->x, NORM_2, &norms[0]));
  PetscCall(VecNorm(weights, NORM_2, &norms[1]));
  PetscCall(VecNorm(f->b, NORM_2, &norms[2]));
  sizes[GIVEN] = sizes[RNORM] = step->size;
  sizes[ITERATE]              = norms[0];
  sizes[WEIGHTED]             = norms[0] * norms[1];
  sizes[BUILT]                = norms[2];
  for (int k = 0; k < SEEN; k++) {
    s.size = sizes[k];
    PetscCall(CheckHistory(f->seen[k], t->seen[k], PetscMin(6, PetscMin(f->calls, t->calls)), &s, seen_names[k]));
  }
  s.size = step->size;
  for (PetscInt k = 0; k < f->calls; k++) s.size = PetscMax(s.size, f->seen[GIVEN][k]);
  PetscCall(CheckTrue(f->gap[0] <= 10 * t->gap[0] + RESULT_ROUNDING * s.size, "the norm is that of the iterate"));
  PetscCall(CheckTrue(f->gap[1] <= 10 * t->gap[1] + RESULT_ROUNDING * norms[2], "the residual is that of the iterate"));
  result_values += 2 * f->calls;
  PetscFunctionReturn(PETSC_SUCCESS);
}
