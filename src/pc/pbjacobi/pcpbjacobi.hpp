/*
   PCPBJACOBI with blocks inverted in the memory space of the matrix.
*/
#pragma once

#include <petscpc.h>

namespace heptane
{

/* Registers the type under PETSc's name. It calls the operations of PETSc's type for matrices that offer no blocks. */
PetscErrorCode PCPBJacobiRegister();

} // namespace heptane
