/*
   PETSc's preconditioners that accept plain AIJ only, also for our matrices.
*/
#pragma once

#include <petscpc.h>

namespace heptane
{

/* Registers PCCP and PCTFS under PETSc's names: PETSc's own, whose set-up sees a plain copy of a matrix of ours */
PetscErrorCode PCPlainRegister();

} // namespace heptane
