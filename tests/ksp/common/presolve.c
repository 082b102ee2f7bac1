#include "presolve.h"

PetscErrorCode SolveCreate(Grid g, const char type[], PetscScalar diagonal, Solve *s)
{
  PetscFunctionBeginUser;
  PetscCall(GridCreate(PETSC_COMM_WORLD, &g, &s->A));
  if (diagonal != 0.0) PetscCall(FixFaces(&g, s->A, diagonal));
  PetscCall(MatCreateVecs(s->A, &s->x, &s->b));
  PetscCall(VecDuplicate(s->x, &s->r));
  PetscCall(CheckVecFill(s->b, 3));
  PetscCall(CheckKSPCreate(s->A, type, "gridmg", 1e-8, 60, &s->ksp));
  PetscCall(KSPSetNormType(s->ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetFromOptions(s->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveDestroy(Solve *s)
{
  return CheckDestroy(&s->ksp, &s->b, &s->x, &s->r, &s->A);
}

PetscErrorCode SolveCheck(Solve *s, const char what[])
{
  KSPConvergedReason reason;
  PetscReal          left, size, rtol;

  PetscFunctionBeginUser;
  PetscCall(KSPGetConvergedReason(s->ksp, &reason));
  PetscCall(KSPGetTolerances(s->ksp, &rtol, NULL, NULL, NULL));
  PetscCall(MatMult(s->A, s->x, s->r));
  PetscCall(VecAYPX(s->r, -1, s->b));
  PetscCall(VecNorm(s->r, NORM_2, &left));
  PetscCall(VecNorm(s->b, NORM_2, &size));
  PetscCall(CheckTrue(reason == KSP_CONVERGED_RTOL && left <= 2 * rtol * size,
                      CheckText("%s: %s, true residual %g of %g", what, KSPConvergedReasons[reason], (double)left, (double)size)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
