#include "walk_check.h"
#include "solution.h"
#include <petscsys.h>

PetscErrorCode WalkTwinSolve(const Solve *a, Vec guess, Vec y, KSP *ksp, Outcome *o)
{
  Solving        t = {.s = a->v->s};
  Solve          s = *a;
  PetscErrorCode code;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &t.ksp));
  PetscCall(PetscStrncpy(t.prefix, "twin_", sizeof(t.prefix)));
  PetscCall(KSPSetOptionsPrefix(t.ksp, t.prefix));
  PetscCall(KSPSetOperators(t.ksp, a->w->R, a->v->P));
  t.s.monitor = t.s.test == 2 ? 0 : t.s.monitor == 0;
  if (t.s.test == 2) t.s.test = 1;
  if (t.s.pc == REGISTERS) t.s.pc = PBJACOBI;
  if (t.s.pc == GRIDMG) t.s.pc = JACOBI, t.s.pc_options[0] = 0;
  if (t.s.pc == PBJACOBI) t.s.pc_options[0] = 0;
  PetscCall(UseSettings(a->w, &t, PETSC_TRUE));
  s.v = &t;
  PetscCall(VecCopy(guess, y));
  PetscCall(SolveWith(&s, t.ksp, a->b, y, o, &code));
  PetscCheck(!code, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "PETSc's solver: %s", walk_error);
  PetscCall(ClearOptions(t.set));
  *ksp = t.ksp;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Distance(Vec x, Vec y, PetscReal *distance)
{
  Vec here;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(y, &here));
  PetscCall(Carry(x, here));
  PetscCall(VecDistance(here, y, NULL, distance));
  PetscCall(VecDestroy(&here));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckPC(const Solve *a, KSP twin)
{
  const PetscReal tolerance = strstr(a->v->s.pc_options, "single") ? 1e-4 : 1e-9;
  Vec             x, y, z;
  PetscReal       distance;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(a->b, &x));
  PetscCall(VecDuplicate(a->b, &y));
  PetscCall(VecDuplicate(a->b, &z));
  PetscCall(CheckVecFill(x, 9));
  PetscCall(OwnPC(a->v->ksp, a->transpose, x, y));
  PetscCall(OwnPC(twin, a->transpose, x, z));
  PetscCall(Distance(y, z, &distance));
  PetscCall(Check(a->w, (PetscBool)(distance <= tolerance), "the preconditioner is off by %g", (double)distance));
  PetscCall(CheckDestroy(&x, &y, &z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckClaim(Solve *a, const Outcome *o, Vec x)
{
  const Settings *s       = &a->v->s;
  const PetscBool limited = (PetscBool)(s->norm != KSP_NORM_NONE && o->its > s->check_from);
  const PetscBool tiny    = (PetscBool)(DrawnRows(&a->w->drawn) < 12 || a->hard || o->most == 0); /* methods end by breaking down */
  const PetscBool early   = (PetscBool)(s->solver == CHEBYSHEV || s->solver == BCGS || o->reason == KSP_CONVERGED_HAPPY_BREAKDOWN || o->reason < 0);
  const PetscBool single  = (PetscBool)(s->pc == GRIDMG && strstr(s->pc_options, "precision single")); /* linear to that */
  PetscReal       norm, relative, slack, bound;
  Vec             r;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(a->b, &r));
  PetscCall(Residual(a, x, r));
  PetscCall(TestedNorm(a, r, &norm));
  PetscCall(TestedNorm(a, a->b, &relative));
  PetscCall(VecDestroy(&r));
  if (relative == 0) relative = o->n ? o->history[0] : 0;
  slack = (single ? 1e-4 : 3e-12) * PetscMax(o->most, relative);
  bound = s->test ? 1e-3 * o->history[0] : PetscMax(s->rtol * relative, s->atol);
  PetscCall(Check(a->w, (PetscBool)(!PetscIsInfOrNanReal(norm) || tiny || o->reason == KSP_DIVERGED_NANORINF || o->reason == KSP_DIVERGED_PC_FAILED),
                  "the solution is no number, reason %d", (int)o->reason));
  PetscCall(Check(a->w, (PetscBool)(o->its <= PetscMax(1, s->most)), "%d iterations", (int)o->its));
  if (o->reason == KSP_DIVERGED_ITS) PetscCall(Check(a->w, (PetscBool)(o->its >= s->most), "limit after %d iterations", (int)o->its));
  if (limited && o->reason > 0)
    PetscCall(Check(a->w, (PetscBool)(norm <= 1.01 * bound + slack), "reason %d after %d, norm %g, of the right-hand side %g", (int)o->reason, (int)o->its,
                    (double)norm, (double)relative));
  if (limited && (o->reason > 0 || (o->reason == KSP_DIVERGED_ITS && o->most <= 1e3 * relative)))
    PetscCall(Check(a->w, (PetscBool)(PetscAbsReal(norm - o->rnorm) <= 0.01 * norm + slack), "reason %d after %d: KSPGetResidualNorm %g, true %g",
                    (int)o->reason, (int)o->its, (double)o->rnorm, (double)norm));
  if (limited && o->reason > 0)
    PetscCall(Check(a->w, (PetscBool)(o->its >= s->least || tiny || s->test || o->rnorm <= slack || o->reason == KSP_CONVERGED_HAPPY_BREAKDOWN),
                    "%d iterations are too few", (int)o->its));
  PetscCall(
    Check(a->w, (PetscBool)(tiny || single || a->gap <= 1e-9 * PetscMax(o->most, relative)), "an iterate with a norm that is off by %g", (double)a->gap));
  PetscCall(Check(a->w,
                  (PetscBool)(!s->monitor || tiny || !limited || o->reason == KSP_DIVERGED_PC_FAILED ||
                              (!a->failing && (a->next == o->its + 1 || (a->next == o->its && early)))),
                  "monitors up to %d of %d, reason %d", (int)a->next - 1, (int)o->its, (int)o->reason));
  PetscCall(Check(a->w,
                  (PetscBool)(!s->test || tiny || !limited || o->reason == KSP_DIVERGED_PC_FAILED ||
                              (!a->failing && (a->tests == o->its + 1 || (a->tests == o->its && early)))),
                  "tests up to %d of %d, reason %d", (int)a->tests - 1, (int)o->its, (int)o->reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many iterations more or fewer than the twin's are as good */
static PetscInt Margin(const Settings *s, PetscInt its)
{
  const PetscReal few[2][4] = {
    {0.1, 0.6, 0.6, 0.35},
    {0.8, 1.2, 0.6, 0.8 }
  };

  return (PetscInt)(few[s->mixed][s->solver] * (PetscReal)its) + (s->mixed ? 8 : 3);
}

PetscErrorCode CheckTwin(Solve *a, const Outcome *o, const Outcome *t, Vec x, Vec y)
{
  const Settings *s      = &a->v->s;
  const PetscInt  margin = Margin(s, t->its);
  const PetscBool tiny   = (PetscBool)(DrawnRows(&a->w->drawn) < 12 || a->hard);
  const PetscBool same = (PetscBool)(s->pc != GRIDMG && !tiny), fails = (PetscBool)(t->reason == KSP_DIVERGED_PC_FAILED);
  const PetscBool stalls = (PetscBool)(s->solver == CHEBYSHEV && a->w->drawn.zeros);         /* what no iterate reduces: rounding decides */
  const PetscBool wild   = (PetscBool)(s->solver == BICG && o->reason == KSP_DIVERGED_DTOL); /* its norms may pass any bound on their way */
  PetscReal       distance, norm, of;
  PetscBool       means; /* far from the solution: beyond that a method breaks down */
  Vec             r;

  PetscFunctionBeginUser;
  if (fails) {
    PetscCall(Check(a->w, (PetscBool)(!same || o->reason == KSP_DIVERGED_PC_FAILED), "PC_FAILED: reason %d, PETSc's %d", (int)o->reason, (int)t->reason));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (s->norm == KSP_NORM_NONE) {
    PetscCall(Distance(x, y, &distance));
    PetscCall(VecDuplicate(a->b, &r));
    PetscCall(Residual(a, y, r));
    PetscCall(VecNorm(r, NORM_2, &norm));
    PetscCall(VecNorm(a->b, NORM_2, &of));
    PetscCall(VecDestroy(&r));
    means = (PetscBool)(norm > 1e-5 * of || s->solver == CHEBYSHEV);
    PetscCall(Check(a->w, (PetscBool)(o->reason == t->reason || (o->reason < 0 && t->reason < 0) || !same || !means), "without norms: reason %d, PETSc's %d",
                    (int)o->reason, (int)t->reason));
    if (same && t->reason > 0 && !a->w->drawn.zeros && means)
      PetscCall(Check(a->w, (PetscBool)(distance <= (s->mixed || strstr(s->pc_options, "single") ? 1e-4 : 1e-6)), "without norms: the solution is off by %g",
                      (double)distance));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (t->reason > 0 && t->its + margin <= s->most && s->check_from <= 0 && !tiny && !stalls && !wild && (same || s->pc != GRIDMG || a->w->nice))
    PetscCall(Check(a->w, (PetscBool)(o->reason > 0 || (s->least && o->its <= s->least + 1)), "reason %d after %d, norm %g of %g; PETSc's %d after %d",
                    (int)o->reason, (int)o->its, (double)o->rnorm, (double)o->most, (int)t->reason, (int)t->its));
  if (t->reason > 0 && o->reason > 0 && same)
    PetscCall(Check(a->w, (PetscBool)(PetscAbsInt(o->its - t->its) <= margin), "reason %d after %d, PETSc's %d after %d", (int)o->reason, (int)o->its,
                    (int)t->reason, (int)t->its));
  if (t->reason == KSP_DIVERGED_ITS && same && o->reason > 0 && !stalls)
    PetscCall(Check(a->w, (PetscBool)(t->its - o->its <= margin), "converged after %d, PETSc's not after %d", (int)o->its, (int)t->its));
  if (o->n && t->n && same && !s->knoll)
    PetscCall(Check(a->w, (PetscBool)(PetscAbsReal(o->history[0] - t->history[0]) <= (strstr(s->pc_options, "single") ? 1e-4 : 1e-9) * t->history[0]),
                    "first norm %g, PETSc's %g", (double)o->history[0], (double)t->history[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
