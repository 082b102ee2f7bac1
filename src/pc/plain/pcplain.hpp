/*
   PETSc's preconditioners that accept plain AIJ only, also for our matrices.
*/
#pragma once

#include <petscpc.h>

namespace heptane
{

/* Registers PCCP and PCTFS under PETSc's names: PETSc's types, whose set-up receives a plain copy of our matrices */
PetscErrorCode PCPlainRegister();

} // namespace heptane
