/*
   Grids, and patterns without order, whose values are set all at once, for fill.c.
*/
#pragma once

#include <petscmat.h>

/* A grid of cells of b rows; far: so many cells are coupled with one far away; holes: every so many cells have no entry, 0 for none; irregular: columns anywhere */
typedef struct {
  PetscInt  n[3], b, far, holes;
  PetscBool irregular;
} Grid;

static const Grid grids[] = {
  {{400, 1, 1}, 1, 0, 0,  PETSC_FALSE},
  {{50, 4, 3},  1, 0, 0,  PETSC_FALSE},
  {{50, 4, 3},  1, 9, 0,  PETSC_FALSE},
  {{33, 5, 2},  3, 0, 7,  PETSC_FALSE},
  {{40, 3, 3},  3, 5, 0,  PETSC_FALSE},
  {{64, 2, 2},  8, 0, 0,  PETSC_FALSE},
  {{31, 3, 1},  2, 4, 11, PETSC_FALSE},
  {{300, 1, 1}, 1, 0, 0,  PETSC_TRUE },
  {{700, 1, 1}, 1, 0, 7,  PETSC_TRUE },
  {{90, 1, 1},  3, 0, 5,  PETSC_TRUE },
  {{1, 1, 1},   1, 0, 0,  PETSC_FALSE},
};

PetscInt       CellsOf(const Grid *g);
PetscErrorCode SetAll(const Grid *g, PetscInt round, Mat A);
PetscErrorCode FillGridCreate(const Grid *g, PetscBool twin, Mat *A);
