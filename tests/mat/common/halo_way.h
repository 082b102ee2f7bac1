/*
   Which way the halo of products is expected to go, and what the matrix's view says of it.
*/
#pragma once

#include "check.h"

extern PetscBool peers, cuda; /* products go from memory to memory; they run on a device */

/* With -heptane_comm peer they do on a device; without it the machine decides */
PetscErrorCode ExpectWay(void);

/* What the view says of the last products */
PetscErrorCode CheckWay(Mat A, PetscBool expected);
