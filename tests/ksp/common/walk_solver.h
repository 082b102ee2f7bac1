/*
   Gives a solver what its settings say, and steps that change them.
*/
#pragma once

#include "walk.h"

PetscErrorCode ClearOptions(char names[]);
PetscErrorCode SolvingCreate(Walk *w, Solving *v, const char prefix[]);

/* Forgets what it was set up with */
PetscErrorCode SolvingReset(Walk *w, Solving *v);

PetscErrorCode SolvingDestroy(Solving *v);

/* The settings; twin: by PETSc's own types */
PetscErrorCode UseSettings(Walk *w, Solving *v, PetscBool twin);

PetscErrorCode SaySettings(Walk *w, const Settings *s);

/* PETSc's Chebyshev estimates eigenvalues anew where the matrix is another, but not where the preconditioner is */
PetscErrorCode EstimateAnew(Walk *w, const Settings *s);

/* A step of one solver */
PetscErrorCode StepSolver(Walk *w, Solving *v);
