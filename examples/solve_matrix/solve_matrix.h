/* solve_matrix: a linear system with a matrix that is loaded or generated, solved with one matrix type after another. */
#pragma once

#include <petscksp.h>

/* Names that -generate understands, NULL at the end */
extern const char *const matrix_kinds[];

/* The matrix `kind` of size n (see help in solve_matrix.c), of type aij. The same entries on any number of processes. */
PetscErrorCode MatrixGenerate(MPI_Comm comm, const char kind[], PetscInt n, PetscInt seed, Mat *A);
/* Linear elasticity in a cube of n x n x n nodes, clamped at x = 0: trilinear elements, three unknowns a node */
PetscErrorCode MatrixElasticity(MPI_Comm comm, PetscInt n, Mat *A);
