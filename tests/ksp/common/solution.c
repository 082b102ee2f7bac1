#include "solution.h"

PetscErrorCode VecDistance(Vec x, Vec y, PetscReal *distance, PetscReal *relative)
{
  Vec       d;
  PetscReal norm, change;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(y, &d));
  PetscCall(VecWAXPY(d, -1.0, x, y));
  PetscCall(VecNorm(d, NORM_2, &change));
  PetscCall(VecNorm(y, NORM_2, &norm));
  if (distance) *distance = change;
  if (relative) *relative = norm > 0 ? change / norm : change;
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ResultSolution(KSP ksp, Vec x)
{
  PetscBool chebyshev;
  Vec       v;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPCHEBYSHEV, &chebyshev));
  PetscCall(KSPGetSolution(ksp, &v));
  if (!chebyshev || v == x) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectReference((PetscObject)v));
  PetscCall(PetscObjectDereference((PetscObject)x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
