/*
   A cycle of PCGRIDMG against the one of gridcycle.h.
*/
#pragma once

#include "grid.h"

/* kind: double precision, single, single with rounded couplings */
PetscErrorCode GridSolverCreate(const Grid *g, PetscInt line, const char cycle[], PetscInt most, PetscInt smooths, int kind, Mat A, PC *pc);

PetscErrorCode Compare(const Grid *g, PetscInt line, const char cycle[], PetscInt most, PetscInt smooths, PetscBool other);
