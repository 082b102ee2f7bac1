/*
   PETSc's preconditioners that take plain AIJ alone, for our matrices too.
*/
#pragma once

#include <petscpc.h>

namespace heptane
{

/* Registers PCCP and PCTFS under PETSc's names: PETSc's own, whose set-up sees a plain copy of a matrix of ours */
PetscErrorCode PCPlainRegister();

} // namespace heptane
