/*
   Whether the running PETSc is the one that this library was compiled with.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/*
   An error names the difference and the remedy: the library uses PETSc's private structures, whose layout depends on
   version and configuration
*/
PetscErrorCode CheckABI();

} // namespace heptane
