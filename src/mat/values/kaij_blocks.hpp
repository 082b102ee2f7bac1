/*
   A parallel MATKAIJ matrix makes sequential ones of the blocks of its AIJ matrix, which PETSc refuses for blocks of a type derived from SEQAIJ. Blocks of ours become such when
   MatSetPreallocationCOO() makes them; they are SEQAIJ all the same.
*/
#pragma once

#include <petscmat.h>

namespace heptane
{

/* A: a MATKAIJ matrix just created */
PetscErrorCode KaijTakesBlocks(Mat A);

} // namespace heptane
