/*
   The arrays of a matrix's sequential blocks.
*/
#pragma once

#include <petscmat.h>

/* The sequential blocks, the second null where there is one, and how many values each has */
PetscErrorCode SequentialBlocks(Mat A, Mat block[2], PetscInt values[2]);

/* All values of the blocks times 2 through their arrays */
PetscErrorCode DoubleArrays(Mat A);
