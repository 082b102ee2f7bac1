/*
   The numbers that PETSc gives the rows of a DMDA, and those of its grid.
*/
#pragma once

#include <petscdm.h>
#include <vector>

namespace heptane
{

/* Collective. Rows by the numbers of PETSc from those of the grid, or the reverse; grid: a DMDA, or NULL, where they are the same */
PetscErrorCode grid_renumber(DM grid, std::vector<PetscInt> *numbers, bool to_petsc);
/* Whether they are the same: processes divide the grid along its last axis alone */
PetscErrorCode grid_numbers_are_natural(DM grid, bool *same);

} // namespace heptane
