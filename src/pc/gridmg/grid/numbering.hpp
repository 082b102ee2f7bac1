/*
   PETSc's numbers of the rows of a DMDA, and the numbers of its grid.
*/
#pragma once

#include "../../../pass/offers/stamp.hpp"
#include "region.hpp"
#include <petscdm.h>
#include <petscmat.h>
#include <vector>

namespace heptane
{

/* Collective. Converts grid numbers of rows to PETSc's, or the reverse; grid: a DMDA, or NULL if both are the same */
PetscErrorCode grid_renumber(DM grid, std::vector<PetscInt> *numbers, bool to_petsc);
/* Tests whether both numberings agree: processes divide the grid along its last axis only */
PetscErrorCode grid_numbers_are_natural(DM grid, bool *same);
/* The points of this process, which are a box; found: no, the DMDA has other extents */
PetscErrorCode grid_numbering_box(DM grid, const int extent[3], GridRegion *region, PetscBool *found);
/* Collective. Stamp of data that depends on a parallel matrix: the matrix, its pattern, numbering, memory space; same:
   it equals `before` on all processes */
PetscErrorCode grid_pattern(Mat A, DM grid, const Stamp &before, Stamp *now, PetscBool *same);

} // namespace heptane
