/*
   Solutions of solvers: how far one is from another, and whose they are.
*/
#pragma once

#include <petscksp.h>

/* |x - y|, and relative to y */
PetscErrorCode VecDistance(Vec x, Vec y, PetscReal *distance, PetscReal *relative);

/* Where a norm is no number PETSc's Chebyshev (3.26) leaves one of its work vectors in the place of the solution, and destroys it twice. It gets the reference that x has. */
PetscErrorCode ResultSolution(KSP ksp, Vec x);
