/*
   Conjugate gradients with PCGRIDMG and what a run of it came to, ours against PETSc's. The right-hand side follows from the cells, whoever has them.
*/
#pragma once

#include "grid.h"

typedef struct {
  PetscInt           its;
  KSPConvergedReason reason;
  PetscReal          rnorm, first, norm; /* the last and the first norm of the history; the true 2-norm */
} Outcome;

/* With KSP_NORM_NONE a few iterations, else to convergence */
PetscErrorCode CgCreate(Mat A, const char type[], KSPNormType norm, KSP *ksp);

/* guess: begin with some vector. solution: the caller's to destroy, or null */
PetscErrorCode CgRun(KSP ksp, Mat A, PetscBool guess, Outcome *o, Vec *solution);

/* times: what the true residual may be of that of PETSc's cg */
PetscErrorCode CgCompare(const Outcome *ours, const Outcome *cg, PetscReal times);
