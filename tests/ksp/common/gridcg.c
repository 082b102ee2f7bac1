#include "gridcg.h"

PetscErrorCode CgCreate(Mat A, const char type[], KSPNormType norm, KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(CheckKSPCreate(A, type, "gridmg", norm == KSP_NORM_NONE ? 0 : 1e-8, norm == KSP_NORM_NONE ? 6 : 300, ksp));
  PetscCall(KSPSetNormType(*ksp, norm));
  PetscCall(KSPSetResidualHistory(*ksp, NULL, 400, PETSC_TRUE));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CgRun(KSP ksp, Mat A, PetscBool guess, Outcome *o, Vec *solution)
{
  const PetscReal *history;
  PetscInt         n;
  Vec              x, b;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(A, &x, 5, &b, 3));
  if (!guess) PetscCall(VecSet(x, 0));
  PetscCall(KSPSetInitialGuessNonzero(ksp, guess));
  PetscCall(CheckKSPSolve(ksp, b, x, &o->its, &o->reason));
  PetscCall(KSPGetResidualNorm(ksp, &o->rnorm));
  PetscCall(KSPGetResidualHistory(ksp, &history, &n));
  o->first = n ? history[0] : 0;
  PetscCall(ResidualNorm(A, x, b, &o->norm));
  if (solution) *solution = x;
  else PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CgCompare(const Outcome *ours, const Outcome *cg, PetscReal times)
{
  PetscFunctionBeginUser;
  PetscCall(CheckTrue(PetscAbsInt(ours->its - cg->its) <= 1 + cg->its / 10, CheckText("%d iterations, cg %d", (int)ours->its, (int)cg->its)));
  PetscCall(CheckTrue(ours->reason == cg->reason, CheckText("%s, cg %s", KSPConvergedReasons[ours->reason], KSPConvergedReasons[cg->reason])));
  PetscCall(CheckTrue(PetscAbsReal(ours->first - cg->first) <= 1e-5 * cg->first, CheckText("first norm %g, cg %g", (double)ours->first, (double)cg->first)));
  PetscCall(CheckTrue(ours->norm <= times * cg->norm, CheckText("true residual %g, cg %g", (double)ours->norm, (double)cg->norm)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
