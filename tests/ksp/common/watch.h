/*
   What a monitor or a convergence test of the user's sees of a solve, and whether that is of its iteration: the norm, the iterate, the residual.
*/
#pragma once

#include "compare.h"

/* What a monitor or a convergence test sees in every call */
typedef enum { GIVEN, RNORM, ITERATE, WEIGHTED, BUILT, SEEN } Seen;
static const char *const seen_names[] = {"the norm given", "KSPGetResidualNorm()", "the iterate's norm", "a weighted sum of the iterate",
                                         "the residual's norm"};

typedef struct {
  PetscReal    seen[SEEN][RESULT_MAX];
  PetscReal    gap[2]; /* of the norm given and of the residual's norm to those of b - A x, x the iterate of that call: the largest of all calls */
  PetscInt     calls;
  PetscBool    ordered, build; /* iterations counted up from 0, one per call; look at iterate and residual */
  PetscInt     stop;           /* a convergence test stops here */
  KSP          inner;          /* solved in every call */
  const Twins *twins;          /* the twin is set up, where the gaps are wanted */
  Vec          weights, b, x;
  void        *own; /* context of PETSc's test, which then decides */
} Watch;

PetscErrorCode See(KSP ksp, PetscInt it, PetscReal norm, Watch *w);

/* In order and of their iteration, all calls; as the twin's, in the first ones */
PetscErrorCode CheckSeen(const Watch *f, const Watch *t, const Result *r, Vec weights, const StepScale *step);
