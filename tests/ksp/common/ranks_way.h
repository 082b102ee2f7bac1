/*
   The two ways by which processes exchange sums and halo, and what -ksp_view says of them.
*/
#pragma once

#include "view.h"

/* Options of the ways; the second is -heptane_comm nccl if the program has the option -by_nccl */
extern const char *ranks_ways[2];
extern PetscBool   ranks_by_nccl;
PetscErrorCode     RanksWaysGet(void);

/* Where the matrix is multiplied */
PetscErrorCode OnDevice(Mat A, PetscBool *device);

/* Whether the mode is that under test */
PetscErrorCode ModeIs(const char mode[], PetscBool *is);

/* What the view says of the way, and of the mode, after a solve of the system */
PetscErrorCode CheckRanksWay(const System *s, KSP ksp, int way);
