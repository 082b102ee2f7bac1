/*
   Solutions of solvers: how far one is from another, and whose they are.
*/
#pragma once

#include <petscksp.h>

/* |x - y|, and relative to y */
static inline PetscErrorCode VecDistance(Vec x, Vec y, PetscReal *distance, PetscReal *relative)
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

/* Where a norm is no number PETSc's Chebyshev (3.26) leaves one of its work vectors in the place of the solution, and destroys it twice. It gets the reference that x has. */
static inline PetscErrorCode ResultSolution(KSP ksp, Vec x)
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
