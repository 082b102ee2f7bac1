/*
   One solve in many ways: with and without somebody who looks at it, and with each option that changes only how it runs. What it comes to must not depend on that.
*/
#pragma once

#include "grid.h"
#include "program.h"

typedef enum { NOBODY, MONITOR_BUILDS, TEST_BUILDS } Looker;

typedef struct {
  PetscInt           its;
  KSPConvergedReason reason;
  PetscReal          left; /* true residual over the right-hand side */
  Vec                x;
} Run;

/* Cells whose rows are those of fixed values: the faces across the first axis */
PetscErrorCode FixFaces(const Grid *g, Mat A, PetscScalar diagonal);

/* A solver with the options of a path and of a variant of it, the former first; x is what lies there, which is no guess */
PetscErrorCode LookRun(Mat A, Vec b, const char path[], const char variant[], Looker looker, Run *run);

/* more: iterations that the run may take more or less than the first, -1: any number */
PetscErrorCode LookCompare(const Run *run, const Run *first, PetscInt more);
