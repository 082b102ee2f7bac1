/*
   Block Jacobi with dense blocks of up to 112 rows that are inverted in registers.
*/
#pragma once

#include <petscpc.h>

namespace heptane
{

PetscErrorCode PCBlockJacobiRegRegister();

} // namespace heptane
