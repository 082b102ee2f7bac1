/*
   Structured multigrid for matrices on block diagonals.
*/
#pragma once

#include <petscpc.h>

namespace heptane
{

PetscErrorCode PCGridMGRegister();

} // namespace heptane
