/*
   A fused solver against PETSc's own on grids: -cells, -bs, -split, -pc and -every_norm say which. What solve.c runs.
*/
#pragma once

#include "compare.h"

PetscErrorCode Solve(void);
