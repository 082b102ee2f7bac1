/*
   A multigrid cycle written down once more, as plainly as possible: dense matrices, one for each level, and lines solved by elimination. What PCGRIDMG is compared with.
*/
#pragma once

#include "grid.h"

#define CYCLE_LEVELS 16
#define CYCLE_LINE   400 /* rows of a line */

typedef struct {
  PetscInt   n[3], bs, N; /* cells along the axes; N = rows */
  PetscInt   pair[3];     /* cells that are joined along the axes: 1 or 2 */
  PetscBool  whole;       /* lines are solved with all entries that couple their cells, not with those of neighbours alone */
  PetscReal *A, *b, *x;
} CycleLevel;

typedef struct {
  CycleLevel level[CYCLE_LEVELS];
  PetscInt   levels, line, smooths;
  PetscInt   more; /* visits of a coarse level: 1 V, 2 W, 3 F */
} Cycle;

void CyclePosition(const CycleLevel *l, PetscInt row, PetscInt at[3]);

/* The axis along which two cells are neighbours; -1: they are none, 3: they are the same */
PetscInt CycleNeighbours(const PetscInt a[3], const PetscInt b[3]);

PetscErrorCode CycleRun(const Cycle *c, PetscInt level, PetscInt more);

/* Levels until one column is left, or so many; every axis across is coarsened */
PetscErrorCode CycleCreate(const Grid *g, PetscInt line, PetscInt most, PetscInt smooths, PetscInt more, Cycle *c);

/* The right-hand side of a cycle from a vector, and its result into one */
PetscErrorCode CycleTake(const Cycle *c, Vec x);

PetscErrorCode CycleGive(const Cycle *c, Vec r);
PetscErrorCode CycleDestroy(Cycle *c);
