/*
   A solve that may end with an error.
*/
#pragma once

#include "compare.h"

/* Solves and takes the error, if there is one */
PetscErrorCode TrySolve(KSP ksp, Vec b, Vec x, PetscErrorCode *code);
