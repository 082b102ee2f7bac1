/*
   Systems drawn from a seed: grids of any extents, some with wells, inactive cells, rows of zeros or other diagonals, and patterns that are no grid, on rows cut anywhere. An entry depends on its
   indices and the seed alone. Rows are diagonally dominant, so that every method converges. Knows nothing of solvers.
*/
#pragma once

#include <petscksp.h>

typedef struct {
  PetscInt  n[3], bs;        /* cells along the axes, unknowns of a cell */
  PetscInt  seed, pattern;   /* seeds of values, and of what is not there */
  PetscInt  axes;            /* bits of the axes along which neighbours are coupled */
  PetscInt  others[2];       /* further distances of coupled cells, or 0 */
  PetscInt  random;          /* couplings of a cell with cells anywhere, about */
  PetscInt  wells;           /* cells of columns that are coupled with each other */
  PetscInt  blocks;          /* couplings of neighbours 0: whole blocks, 1: each unknown with itself, 2: the first unknown; off the grid too */
  PetscBool single;          /* wells couple the first unknowns alone */
  PetscBool symmetric;       /* else also a pattern that is not */
  PetscInt  inactive, zeros; /* one of so many cells has no couplings, or rows of zeros, or 0: none */
  PetscInt  spread;          /* rows and columns are scaled by up to 10^spread */
  PetscReal scale;
  PetscInt  cut[17]; /* first cell of each process */
} Drawn;

void DrawFrom(PetscInt seed);

/* A number below n, the same on all processes */
PetscInt Below(PetscInt n);

PetscBool      OneIn(PetscInt n);
PetscInt       DrawnRows(const Drawn *s);
PetscErrorCode DrawSystem(Drawn *s, PetscBool symmetric);
PetscBool      DrawnZero(const Drawn *s, PetscInt c);

/* Values of the system by MatSetValues(), where the pattern may be another one so far, or by MatSetValuesCOO(), of a new pattern or that of the last call */
PetscErrorCode DrawnFill(const Drawn *s, Mat A, PetscBool coo, PetscBool anew);

PetscErrorCode DrawnCreate(const Drawn *s, const char type[], PetscBool options, PetscBool coo, Mat *A);
