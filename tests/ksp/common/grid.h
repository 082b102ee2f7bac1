/*
   Systems on structured grids: transmissibilities of random fields, with several unknowns per cell, inactive cells and wells. An entry depends on the cells and the seed alone. Knows nothing of
   solvers.
*/
#pragma once

#include "../../mat/common/check.h"
#include <petscksp.h>

typedef struct {
  PetscInt  n[3], bs, seed; /* cells along the axes, unknowns of a cell */
  PetscReal strength[3];    /* mean transmissibility along the axes */
  PetscReal std;            /* of the logarithm of the permeability of a cell */
  PetscReal accumulation;   /* on the diagonal, in units of the strengths; 0: singular */
  PetscReal inactive;       /* part of the cells that have no couplings */
  PetscInt  wells;          /* that couple every third cell of a column with the others of these */
  PetscBool symmetric;      /* several unknowns of a cell too: each is coupled with itself across faces, with all others within the cell */
} Grid;

/* Members of an initializer */
#define CELLS(x, y, z)     .n = {x, y, z}
#define STRENGTHS(x, y, z) .strength = {x, y, z}

#define GRID_MAX (16 * 8 + 8 * 64) /* entries of a row */

PetscInt  GridCells(const Grid *g);
void      GridPosition(const Grid *g, PetscInt cell, PetscInt at[3]);
PetscReal GridNumber(const Grid *g, PetscInt i, PetscInt j);

/* Row i: columns of the grid's neighbours even where nothing couples, so that the block diagonals are full */
PetscInt GridRow(const Grid *g, PetscInt i, PetscInt cols[], PetscScalar vals[]);

PetscErrorCode GridFill(const Grid *g, Mat A);

/* Of -mat_type, by default bdiagh; with -expect_cuda it must give CUDA vectors. planes: those of the grid are divided among the processes */
PetscErrorCode GridCreate(MPI_Comm comm, const Grid *g, Mat *A);

/* The option is what the text says, for what is set up next */
PetscErrorCode GridOption(const char name[], const char format[], PetscInt a, PetscInt b, PetscInt c);
