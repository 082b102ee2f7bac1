#include "try.h"

PetscErrorCode TrySolve(KSP ksp, Vec b, Vec x, PetscErrorCode *code)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  *code = KSPSolve(ksp, b, x);
  PetscCall(PetscPopErrorHandler());
  PetscFunctionReturn(PETSC_SUCCESS);
}
