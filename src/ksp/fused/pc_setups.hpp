/*
   Number of set-ups of a preconditioner. Its inverses may change without a new state of its matrix: after PCReset(), or
   when values of the blocks of a parallel matrix change, which PETSc does not count as a change of that matrix.
*/
#pragma once

#include <petscpc.h>

namespace heptane
{

/* Counts from the first call on; *setups differs from the last result if P was set up in between */
PetscErrorCode FusedPcSetups(PC P, PetscInt64 *setups);

} // namespace heptane
