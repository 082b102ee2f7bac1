/*
   A solve that may end with an error.
*/
#pragma once

#include "compare.h"

/* Solves and takes the error, if there is one */
static inline PetscErrorCode TrySolve(KSP ksp, Vec b, Vec x, PetscErrorCode *code)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  *code = KSPSolve(ksp, b, x);
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}
