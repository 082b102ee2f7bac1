/*
   PCPBJACOBI with blocks inverted where the matrix lies.
*/
#pragma once

#include <petscpc.h>

namespace heptane
{

/* Registers the type under PETSc's name, in the place of PETSc's own, whose operations it calls for matrices that offer no blocks */
PetscErrorCode PCPBJacobiRegister();

} // namespace heptane
