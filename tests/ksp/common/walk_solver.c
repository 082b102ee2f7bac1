#include "walk_solver.h"
#include "walk_draw.h"
#include <petscsys.h>

/* Sets the options of the list, each with a value, for the prefix; names: those that are set now */
static PetscErrorCode SetOptions(const char list[], const char prefix[], char names[], size_t size)
{
  PetscToken  token;
  const char *name = NULL, *value = NULL;
  char        full[128];

  PetscFunctionBeginUser;
  PetscCall(PetscTokenCreate(list, ' ', &token));
  for (;;) {
    PetscCall(PetscTokenFind(token, &name));
    if (!name) break;
    PetscCall(PetscTokenFind(token, &value));
    PetscCall(PetscSNPrintf(full, sizeof(full), "-%s%s", prefix, name + 1));
    PetscCall(PetscOptionsSetValue(NULL, full, value));
    PetscCall(PetscStrlcat(names, full, size));
    PetscCall(PetscStrlcat(names, " ", size));
  }
  PetscCall(PetscTokenDestroy(&token));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ClearOptions(char names[])
{
  PetscToken  token;
  const char *name = NULL;

  PetscFunctionBeginUser;
  PetscCall(PetscTokenCreate(names, ' ', &token));
  for (;;) {
    PetscCall(PetscTokenFind(token, &name));
    if (!name) break;
    PetscCall(PetscOptionsClearValue(NULL, name));
  }
  PetscCall(PetscTokenDestroy(&token));
  names[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolvingCreate(Walk *w, Solving *v, const char prefix[])
{
  PetscFunctionBeginUser;
  if (prefix != v->prefix) PetscCall(PetscStrncpy(v->prefix, prefix, sizeof(v->prefix)));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &v->ksp));
  PetscCall(KSPSetOptionsPrefix(v->ksp, prefix));
  PetscCall(KSPSetOperators(v->ksp, w->A, w->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolvingReset(Walk *w, Solving *v)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&v->P));
  PetscCall(KSPReset(v->ksp));
  PetscCall(KSPSetOperators(v->ksp, w->A, w->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolvingDestroy(Solving *v)
{
  PetscFunctionBeginUser;
  PetscCall(ClearOptions(v->set));
  PetscCall(CheckDestroy(&v->P, &v->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UseSettings(Walk *w, Solving *v, PetscBool twin)
{
  Settings *s = &v->s;
  PC        pc;

  PetscFunctionBeginUser;
  if (s->norm == KSP_NORM_NONE) s->test = 0;
  PetscCall(ClearOptions(v->set));
  if (!twin && v->given != (s->norm == KSP_NORM_NONE)) { /* PETSc's Chebyshev does not estimate eigenvalues once they were given */
    PetscCall(SolvingDestroy(v));
    PetscCall(SolvingCreate(w, v, v->prefix));
    v->given = (PetscBool)(s->norm == KSP_NORM_NONE);
  }
  PetscCall(KSPSetType(v->ksp, solver_names[s->solver][twin || w->plain]));
  PetscCall(KSPGetPC(v->ksp, &pc));
  PetscCall(PCSetType(pc, pc_names[s->pc]));
  if (s->pc == SHELL) {
    PetscCall(PCShellSetContext(pc, w));
    PetscCall(PCShellSetApply(pc, ShellApply));
    PetscCall(PCShellSetApplyTranspose(pc, ShellApply));
  }
  if (!twin && !w->plain) PetscCall(SetOptions(s->fused, v->prefix, v->set, sizeof(v->set)));
  PetscCall(SetOptions(s->options, v->prefix, v->set, sizeof(v->set)));
  PetscCall(SetOptions(s->pc_options, v->prefix, v->set, sizeof(v->set)));
  PetscCall(KSPSetNormType(v->ksp, s->norm));
  PetscCall(KSPSetPCSide(v->ksp, s->side));
  PetscCall(KSPSetTolerances(v->ksp, s->rtol, s->atol, PETSC_CURRENT, s->most));
  PetscCall(KSPSetMinimumIterations(v->ksp, s->least));
  PetscCall(KSPSetCheckNormIteration(v->ksp, s->check_from));
  PetscCall(KSPSetInitialGuessNonzero(v->ksp, s->guess));
  PetscCall(KSPSetInitialGuessKnoll(v->ksp, s->knoll));
  if (s->pc == PBJACOBI || s->pc == BJACOBI) s->reuse = PETSC_FALSE; /* PETSc's have something that is the matrix's, or of matrices that are set up anew */
  PetscCall(KSPSetReusePreconditioner(v->ksp, s->reuse));
  PetscCall(KSPSetFromOptions(v->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SaySettings(Walk *w, const Settings *s)
{
  return Say(w, "[%s %s %s norm %d side %d rtol %g atol %g most %d least %d from %d guess %d knoll %d reuse %d monitor %d test %d %s%s%s] ",
             solver_names[s->solver][w->plain], pc_names[s->pc], s->pc_options, (int)s->norm, (int)s->side, (double)s->rtol, (double)s->atol, (int)s->most,
             (int)s->least, (int)s->check_from, (int)s->guess, (int)s->knoll, (int)s->reuse, (int)s->monitor, (int)s->test, s->options,
             s->options[0] && !w->plain ? " " : "", w->plain ? "" : s->fused);
}

/* Views into a string and into nothing */
static PetscErrorCode LookAt(KSP ksp)
{
  char        text[4096];
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerStringOpen(PETSC_COMM_WORLD, text, sizeof(text), &viewer));
  PetscCall(KSPView(ksp, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "/dev/null", &viewer));
  PetscCall(KSPView(ksp, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EstimateAnew(Walk *w, const Settings *s)
{
  PetscFunctionBeginUser;
  if (s->solver != CHEBYSHEV) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckAssemble(w->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StepSolver(Walk *w, Solving *v)
{
  Settings       *s     = &v->s;
  const PetscInt  kind  = Below(14);
  const PetscBool stale = (PetscBool)((s->solver == BCGS && s->guess && s->side == PC_RIGHT) || s->solver == CHEBYSHEV);
  PC              pc;

  PetscFunctionBeginUser;
  if (kind == 0) DrawTolerances(s);
  if (kind == 1) {
    DrawNorm(s);
    DrawTolerances(s);
    PetscCall(DrawFused(w, s));
  }
  if (kind == 2) PetscCall(DrawPC(w, s));
  if (kind == 3) PetscCall(DrawFused(w, s));
  if (kind == 4 || kind == 5) PetscCall(DrawSolver(w, s));
  if (kind == 6) s->guess = (PetscBool)!s->guess, s->knoll = (PetscBool)(!s->guess && OneIn(3));
  if (kind == 7) s->reuse = (PetscBool)!s->reuse;
  if (kind == 8) s->monitor = Below(4);
  if (kind == 9) s->test = Below(3);
  if (kind == 10 && (v->P || s->pc != BJACOBI)) PetscCall(LookAt(v->ksp)); /* PETSc's view of factors that are not there crashes */
  if (kind == 2 || kind == 4 || kind == 5) {                               /* PETSc's preconditioners look at most settings when they are set up */
    PetscCall(KSPGetPC(v->ksp, &pc));
    PetscCall(PCReset(pc));
    PetscCall(KSPSetOperators(v->ksp, w->A, w->A));
    PetscCall(MatDestroy(&v->P));
  }
  if (kind == 11 ||
      stale) { /* PETSc's BiCGStab (3.26) adds the guess of an earlier solve with preconditioning from the right; a polynomial has its kind from the set-up */
    PetscCall(SolvingReset(w, v));
  }
  PetscCall(EstimateAnew(w, s));
  if (kind == 12) {
    PetscCall(SolvingDestroy(v));
    PetscCall(SolvingCreate(w, v, v->prefix));
  }
  PetscCall(Say(w, kind == 10 ? "KSPView " : kind == 11 ? "KSPReset " : kind == 12 ? "KSPDestroy " : ""));
  PetscCall(UseSettings(w, v, PETSC_FALSE));
  PetscCall(SaySettings(w, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
