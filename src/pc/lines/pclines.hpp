/*
   PCLINES and PCREDBLACK: exact solves of lines as a preconditioner, and the elimination of every other column of lines around an inner solver.
*/
#pragma once

#include <petscsys.h>

namespace heptane
{

PetscErrorCode PCLinesRegister();
PetscErrorCode PCRedBlackRegister();

} // namespace heptane
