/*
   The numbers that PETSc gives the rows of a DMDA, and those of its grid.
*/
#pragma once

#include "../../../pass/offers/stamp.hpp"
#include "region.hpp"
#include <petscdm.h>
#include <petscmat.h>
#include <vector>

namespace heptane
{

/* Collective. Rows by the numbers of PETSc from those of the grid, or the reverse; grid: a DMDA, or NULL, where they are the same */
PetscErrorCode grid_renumber(DM grid, std::vector<PetscInt> *numbers, bool to_petsc);
/* Whether they are the same: processes divide the grid along its last axis alone */
PetscErrorCode grid_numbers_are_natural(DM grid, bool *same);
/* The points of this process, which are a box; found: no, the DMDA has other extents */
PetscErrorCode grid_numbering_box(DM grid, const int extent[3], GridRegion *region, PetscBool *found);
/* Collective. What something of a parallel matrix is good for: the matrix, its pattern, its numbering, where it is; same: it is that of `before` on all processes */
PetscErrorCode grid_pattern(Mat A, DM grid, const Stamp &before, Stamp *now, PetscBool *same);

} // namespace heptane
