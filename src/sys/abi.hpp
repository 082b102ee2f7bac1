/*
   Whether the running PETSc is the one that this library was compiled against.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

/* Error naming what differs and what to do: the library uses PETSc's private structures, whose layout version and configuration decide */
PetscErrorCode CheckABI();

} // namespace heptane
