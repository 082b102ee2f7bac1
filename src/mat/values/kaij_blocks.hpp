/*
   A parallel MATKAIJ matrix makes sequential KAIJ matrices of the blocks of its AIJ matrix, which PETSc refuses for
   blocks of a type derived from SEQAIJ. MatSetPreallocationCOO() makes the blocks matrices of our type, which still
   have the data of SEQAIJ.
*/
#pragma once

#include <petscmat.h>

namespace heptane
{

/* A: a MATKAIJ matrix just created */
PetscErrorCode KaijTakesBlocks(Mat A);

} // namespace heptane
