/*
   Whole solves: the same reason, nearly as many iterations, and a solution whose true residual, with the matrix in PETSc's aij, is the one that the solver reports
   and its tolerance promises. How errors grow over many iterations is not compared: step.h looks at the iterations.
*/
#pragma once

#include "step.h"

/* The norm of the true residual: of the method, and the 2-norm */
PetscErrorCode TrueNorms(const Twins *p, Vec x, PetscReal norm[2]);

PetscErrorCode CheckWhole(const Twins *p, Vec g, const Result *f, const Result *t, const char what[]);
