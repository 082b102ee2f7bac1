#include "precision.h"

static PetscErrorCode PreciseTry(const Precise *c, KSP ksp, Vec b, Vec x, PreciseEnd *e)
{
  PetscReal history[1000], norm;
  PetscInt  n;

  PetscFunctionBeginUser;
  PetscCall(KSPSetType(ksp, c->type));
  PetscCall(KSPSetOperators(ksp, c->A, c->A));
  PetscCall(KSPSetTolerances(ksp, c->rtol, 0, PETSC_CURRENT, 999));
  PetscCall(KSPSetNormType(ksp, c->norm));
  PetscCall(KSPSetPCSide(ksp, c->side));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetResidualHistory(ksp, history, PETSC_STATIC_ARRAY_LENGTH(history), PETSC_TRUE));
  PetscCall(CheckKSPSolve(ksp, b, x, &e->its, &e->reason));
  PetscCall(KSPGetResidualNorm(ksp, &norm));
  PetscCall(KSPGetResidualHistory(ksp, NULL, &n));
  e->norm = n > 0 && history[0] > 0 ? norm / history[0] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PreciseSolve(const Precise *c, const char options[], PreciseEnd *e)
{
  PetscOptions   own;
  PetscReal      whole;
  PetscErrorCode code;
  KSP            ksp;
  Vec            b, x; /* after an error b stays locked */

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(e, sizeof(*e)));
  PetscCall(VecDuplicate(c->b, &x));
  PetscCall(VecDuplicate(c->b, &b));
  PetscCall(VecCopy(c->b, b));
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, options));
  PetscCall(PetscOptionsPush(own));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)c->A), &ksp));
  CheckCode(code, PreciseTry(c, ksp, b, x, e));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&own));
  if (code) e->reason = KSP_CONVERGED_ITERATING;
  else {
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatMult(c->A, x, b));
    PetscCall(VecAYPX(b, -1, c->b));
    PetscCall(VecNorm(b, NORM_2, &e->left));
    PetscCall(VecNorm(c->b, NORM_2, &whole));
    e->left /= whole;
    PetscCall(VecDestroy(&b));
  }
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PreciseCheck(const Precise *c, const PreciseEnd *twin, PetscBool must, const char options[])
{
  const PetscReal most = 10 * twin->left * PetscMax(1, twin->norm > 0 ? c->rtol / twin->norm : 1) + 1e-14;
  PetscBool       show = CheckOption("-show");
  PreciseEnd      e;
  char            text[256];

  PetscFunctionBeginUser;
  PetscCall(PreciseSolve(c, options, &e));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s, %s, %s, rtol %g, %s: %s after %d with %g of b, in double precision after %d with %g", c->type,
                          KSPNormTypes[c->norm], PCSides[c->side], (double)c->rtol, options, KSPConvergedReasons[e.reason], (int)e.its, (double)e.left,
                          (int)twin->its, (double)twin->left));
  if (show) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", text));
  PetscCall(CheckTrue(e.reason > 0 ? e.left <= most : !must, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
