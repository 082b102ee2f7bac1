/*
   Factorisations by packages read the compressed rows past every operation and accessor.
*/
#pragma once

#include <petscmat.h>

namespace heptane
{

/* Hooks on the packages that are there by now; called for each new matrix, since packages may be registered at any time */
PetscErrorCode FactorPackagesFind();

} // namespace heptane
