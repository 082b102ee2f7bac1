/*
   A matrix whose newest values were set by coordinates, and lie where that left them.
*/
#pragma once

#include <petscmat.h>

/* The values of C times 3, set by coordinates */
PetscErrorCode Ahead(Mat C);
