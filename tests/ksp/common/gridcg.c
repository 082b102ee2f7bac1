#include "gridcg.h"

PetscErrorCode CgCreate(Mat A, const char type[], KSPNormType norm, KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetType(*ksp, type));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, "gridmg"));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPSetNormType(*ksp, norm));
  PetscCall(KSPSetTolerances(*ksp, norm == KSP_NORM_NONE ? 0 : 1e-8, PETSC_CURRENT, PETSC_CURRENT, norm == KSP_NORM_NONE ? 6 : 300));
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
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(CheckVecFill(b, 3));
  PetscCall(CheckVecFill(x, 5));
  if (!guess) PetscCall(VecSet(x, 0));
  PetscCall(KSPSetInitialGuessNonzero(ksp, guess));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &o->its));
  PetscCall(KSPGetConvergedReason(ksp, &o->reason));
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
  char text[192];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(text, sizeof(text), "%d iterations, cg %d", (int)ours->its, (int)cg->its));
  PetscCall(CheckTrue((PetscBool)(PetscAbsInt(ours->its - cg->its) <= 1 + cg->its / 10), text));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s, cg %s", KSPConvergedReasons[ours->reason], KSPConvergedReasons[cg->reason]));
  PetscCall(CheckTrue((PetscBool)(ours->reason == cg->reason), text));
  PetscCall(PetscSNPrintf(text, sizeof(text), "first norm %g, cg %g", (double)ours->first, (double)cg->first));
  PetscCall(CheckTrue((PetscBool)(PetscAbsReal(ours->first - cg->first) <= 1e-5 * cg->first), text));
  PetscCall(PetscSNPrintf(text, sizeof(text), "true residual %g, cg %g", (double)ours->norm, (double)cg->norm));
  PetscCall(CheckTrue((PetscBool)(ours->norm <= times * cg->norm), text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
