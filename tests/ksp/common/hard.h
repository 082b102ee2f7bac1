/*
   Systems that are hard for single precision: dense matrices of a known condition, blocks of a known condition, frames of bars. In the matrix type of -mat_type, by default bdiagh.
*/
#pragma once

#include "mixed.h"

PetscErrorCode HardWhere(const char what[]);

/* b = A x with sums in long double, x between 1/2 and 1: residuals as small as those of such an x can be had */
PetscErrorCode HardRhs(Mat A, Vec *b);

/* Symmetric, eigenvalues from 1 to 1 / condition in equal ratios */
PetscErrorCode HardDense(PetscInt n, PetscReal condition, Mat *A);

/* The rows of each cell of the grid multiplied by a block of that condition */
PetscErrorCode HardBlocks(PetscInt cells, PetscInt bs, PetscReal condition, Mat *A);

/* n x n x n nodes, `stretch` times as far from each other in one direction, each held by a weak spring and by bars to its neighbours, those across too: stiffness from 1 to `most` */
PetscErrorCode HardFrame(PetscInt n, PetscReal stretch, PetscReal most, Mat *A);
