/*
   Which program walks each operation and each composed function of AIJ, or why none needs to. One that PETSc has and this list has not fails the test, so that somebody
   decides.
*/
#pragma once

#include <petscmat.h>

/* Every operation that the base class has */
PetscErrorCode CheckOperations(Mat R);

/* Every composed function that it has */
PetscErrorCode CheckFunctions(Mat R);
