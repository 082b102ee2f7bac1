/*
   A cycle of PCGRIDMG against the one of gridcycle.h.
*/
#pragma once

#include "grid.h"

/* Options of a cycle */
typedef struct {
  PetscInt    line;    /* the axis of the lines */
  const char *cycle;   /* v, w, ... */
  PetscInt    most;    /* levels at most, 0: all */
  PetscInt    smooths; /* sweeps on each level */
} GridCycle;

/* kind: double precision, single, single with rounded couplings */
PetscErrorCode GridSolverCreate(const Grid *g, const GridCycle *with, int kind, Mat A, PC *pc);

/* other: the dense cycle is that of other values, so that a difference is found */
PetscErrorCode CompareCycle(const Grid *g, GridCycle with, PetscBool other);
