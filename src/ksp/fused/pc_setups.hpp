/*
   How often a preconditioner was set up. Its inverses may have changed where no state of its matrix shows it: after PCReset(), when values of the blocks of a parallel matrix
   were changed, which PETSc does not count as a change of that matrix.
*/
#pragma once

#include <petscpc.h>

namespace heptane
{

/* Counts from the first call on; *setups is another number where P was set up since the last one */
PetscErrorCode FusedPcSetups(PC P, PetscInt64 *setups);

} // namespace heptane
