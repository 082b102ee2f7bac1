#include "try.h"

PetscErrorCode TrySolve(KSP ksp, Vec b, Vec x, PetscErrorCode *code)
{
  PetscFunctionBeginUser;
  CheckCode(*code, KSPSolve(ksp, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
