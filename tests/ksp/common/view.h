/*
   What -ksp_view says of a fused solver, as numbers.
*/
#pragma once

#include "program.h"

/* Two solves of fixed length, of which the difference counts: in single precision residuals are zero, and methods end, not much later */
#define SOLVE_SHORT (PetscDefined(USE_REAL_SINGLE) ? 10 : 20)
#define SOLVE_LONG  (PetscDefined(USE_REAL_SINGLE) ? 40 : 120)
#define SOLVE_MORE  (SOLVE_LONG - SOLVE_SHORT)

/* What the view printed */
typedef struct {
  char      text[16384], mode[32];
  PetscBool fused;
  int       interval, kernels, steps; /* interval 0: nothing is tested; steps: lines of kernels, not of calls */
  double    bytes, launches, waits;   /* an iteration */
  int       reductions;
  long      its, all_launches, all_reductions, all_waits; /* of the last solve */
} Plan;

/* Reads the KSP's view */
PetscErrorCode Look(KSP ksp, Plan *p);

/* A solve with these options, by the type that is compared, and what the view says of it */
PetscErrorCode LookAtSolve(Mat A, Vec b, const char options[], Plan *p, PetscBool *persistent);

/* Whether the last solve was made by the leaders of groups: -heptane_groups */
PetscErrorCode CheckGroups(KSP ksp, PetscBool wanted, const char what[]);
