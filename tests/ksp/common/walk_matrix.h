/*
   Steps that change the matrix of a walk: values, pattern, type, or another matrix. Each is done to the matrix under test and to that in AIJ.
*/
#pragma once

#include "walk.h"

/* The matrices of the system that is drawn */
PetscErrorCode WalkMatrix(Walk *w);

/* Another matrix for both solvers; a solver may keep its settings where the matrix allows them */
PetscErrorCode StepAnother(Walk *w);

/* A step of both matrices */
PetscErrorCode StepMatrix(Walk *w);
