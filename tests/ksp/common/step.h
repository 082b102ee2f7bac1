/*
   A few iterations of a solver and of its twin from the same state, compared to rounding. A restart from an iterate begins a new Krylov space, so that one, two, three
   and five iterations run every pass of CG, BiCG and BiCGStab: the first, the ordinary, those where CG adds to x and where not. Errors have no time to grow.

   Values may differ by RESULT_ROUNDING of the size of what they are computed from:
     a norm of the history    of the largest norm up to there and of what the first residual b - A g is the difference of, N(b) + N(A g), N being the norm of the method
     the solution             of |x| + |g|; and of what changed, |x - g|, where it is the first residual's error that carries over, (N(b) + N(A g)) / N(b - A g)
   and both by the condition of BiCG's and BiCGStab's scalar products, which the twin's show; it is 1.5 in half of the cases, below 50 in 99 of 100. This holds in whatever
   order sums are formed: up to 25 epsilon was seen of the 500 allowed, in double and in single precision.
*/
#pragma once

#include "result.h"

typedef struct {
  KSP      ksp[2]; /* under test, twin */
  SolveFn *solve;
  Vec      b;
  Mat      R; /* the matrix in PETSc's aij, transposed in a transposed solve */
} Twins;

typedef struct {
  PetscReal start, size; /* N(b - A g), N(b) + N(A g) */
  PetscReal rounding;    /* RESULT_ROUNDING times the condition */
} StepScale;

#define STEP_CONDITION (PetscDefined(USE_REAL_SINGLE) ? 1e3 : 1e5) /* at most: rounding must stay far below what it is compared with */

/* The norm that the method prints, of a residual; 2-norm where it prints none */
PetscErrorCode MethodNorm(KSP ksp, SolveFn *solve, Vec r, PetscReal *norm);

/* r = b - A x */
PetscErrorCode TrueResidual(const Twins *p, Vec x, Vec r);

/* g: NULL is zero */
PetscErrorCode StepScaleGet(const Twins *p, Vec g, StepScale *s);

/* The first n entries of two histories: no numbers in the same places, the others as near as rounding of `size` and of the largest norm up to there */
PetscErrorCode CheckHistory(const PetscReal a[], const PetscReal b[], PetscInt n, const StepScale *s, const char what[]);

/* Both met an exact solution, up to rounding of `size`: then one may have stopped before the other, for another reason */
PetscBool      ResultsExact(const Result *f, const Result *t, PetscReal size);
PetscErrorCode CheckStep(const Result *f, const Result *t, Vec g, const StepScale *s, const char what[]);

/* Both from g one, two, three and five iterations, where that is no more than `most` and than the limit of the solvers */
PetscErrorCode CheckSteps(const Twins *p, Vec g, PetscInt most, const char what[]);
