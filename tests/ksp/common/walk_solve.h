/*
   A solve and what must hold behind it: the true residual by the matrix in AIJ, the norm that was tested, the iterates that monitors read, and PETSc's own solver on the same system.
*/
#pragma once

#include "walk.h"

#define WALK_MAX 2001

/* One solve, as those see it who are called from it */
typedef struct {
  Walk     *w;
  Solving  *v;
  PetscBool hard;               /* a right-hand side with one entry: BiCGStab and BiCG break down where products do not come back to it */
  PetscBool transpose, failing; /* failing: numbers seen that cannot be */
  Vec       b;                  /* on the host */
  PetscInt  next, tests;        /* iteration that a monitor and a test expect */
  PetscReal first, gap;         /* norm of iteration 0; largest difference between a norm and that of the iterate then */
} Solve;

extern char      walk_error[2048];
extern PetscBool walk_errors; /* -errors: print the functions that errors come through */

/* The solver's own preconditioner on a vector of the host */
PetscErrorCode OwnPC(KSP ksp, PetscBool transpose, Vec r, Vec z);

/* The norm of r that the solver tests, or the true one where it tests none */
PetscErrorCode TestedNorm(const Solve *a, Vec r, PetscReal *norm);

/* r = b - A x by AIJ, x of any type */
PetscErrorCode Residual(const Solve *a, Vec x, Vec r);

/* A right-hand side on the host: any, smooth, of one process, or zero; no entries where rows are zero */
PetscErrorCode DrawRightHandSide(Walk *w, Vec b, PetscBool *hard);

typedef struct {
  KSPConvergedReason reason;
  PetscInt           its, n;
  PetscReal          rnorm, most; /* most: largest norm of the history */
  PetscReal          history[WALK_MAX];
} Outcome;

PetscErrorCode SolveWith(Solve *a, KSP ksp, Vec b, Vec x, Outcome *o, PetscErrorCode *code);
