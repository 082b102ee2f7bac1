/*
   Factorisations by packages read the compressed rows past every operation and accessor.
*/
#pragma once

#include <petscmat.h>

namespace heptane
{

/* Wraps the packages registered so far; called for each new matrix, since packages may be registered at any time */
PetscErrorCode FactorPackagesFind();

} // namespace heptane
