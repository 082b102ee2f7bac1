/*
   The entries of a parallel matrix derived from AIJ on each process, for another process that puts them into a matrix of
   its own by MatSetValuesCOO(). Order: compressed rows of the block on the diagonal, then of the other block.
*/
#pragma once

#include "../../device/scalar.hpp"
#include "../../device/space.hpp"
#include <petscmat.h>

namespace heptane
{

PetscErrorCode EntriesCount(Mat A, PetscCount *n);
/* Their rows in A, and their columns */
PetscErrorCode EntriesRows(Mat A, PetscInt i[]);
PetscErrorCode EntriesColumns(Mat A, PetscInt j[]);
/* Their values into memory of this side. done: on the device the copy is queued; false if a block's format is not up to date there */
PetscErrorCode EntriesValues(Mat A, Where side, Scalar v[], bool *done);
/* The side on which A's products run */
PetscErrorCode EntriesSide(Mat A, Where *side);

} // namespace heptane
