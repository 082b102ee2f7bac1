/* solve_matrix: a linear system with a matrix that is loaded or generated, solved with one matrix type after another. */
#pragma once

#include <petscksp.h>

/* The matrix `name` of size n (see help in solve_matrix.c), of type aij. The same entries on any number of processes. */
PetscErrorCode MatrixGenerate(MPI_Comm comm, const char name[], PetscInt n, PetscInt seed, Mat *A);
/* Linear elasticity in a cube of n x n x n nodes, clamped at x = 0: trilinear elements, three unknowns a node */
PetscErrorCode MatrixElasticity(MPI_Comm comm, PetscInt n, Mat *A);

typedef enum { RHS_ONES, RHS_RANDOM, RHS_FILE } Rhs;

typedef struct {
  char        file[PETSC_MAX_PATH_LEN], kind[64];
  PetscInt    n, seed, block_size;
  PetscBool   from_file, blocks;
  Rhs         rhs;
  PetscViewer viewer; /* of the file, behind the matrix */
} Input;

PetscErrorCode InputGetOptions(MPI_Comm comm, Input *in);
/* The matrix as it was loaded or generated, of type aij */
PetscErrorCode ObtainMatrix(MPI_Comm comm, Input *in, Mat *A);
/* The right-hand side b; x is for scratch */
PetscErrorCode ObtainRhs(Input *in, Mat A, Vec x, Vec b);
