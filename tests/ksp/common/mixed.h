/*
   Solves in mixed precision: what they have to promise, whatever their recurrences are stored in. The norm that a solver reports at its end is that of a residual in double precision, as small as
   the tolerance says; and such a residual, formed here in long double, agrees with it.
*/
#pragma once

#include "view.h"

#define MIXED "-ksp_fused_precision mixed "

typedef long double Long;

/* The norm of the method, preconditioned by z = M^-1 r with PETSc's PC, of b - A x with sums in long double */
PetscErrorCode LongResidual(KSP ksp, Mat R, Vec b, Vec x, PetscReal *norm);

/* By elimination with pivots in long double; for few rows on one process */
PetscErrorCode LongSolve(Mat R, Vec b, Vec x);

/* What a solve that has converged in mixed precision promises. t: the twin's, in double precision; R: the matrix in PETSc's aij; x: the exact solution, or NULL */
PetscErrorCode CheckPromise(KSP ksp, Mat R, Vec b, Vec exact, const Result *f, const Result *t, const char what[]);

/* A solver with these options, solved twice; the view of the last. Both solves have the same bits. */
PetscErrorCode MixedSolve(Mat A, Vec b, Vec guess, const char options[], Result *r, Plan *p);

/* Whether the persistent kernel in single precision is to have run, where each process has so many cells: seven diagonals that come in pairs, scaled to ones on the main one */
PetscErrorCode WantsPersistent(const System *s, PetscInt cells, const char options[], PetscBool *wants);

/* PETSc's own, in double precision */
PetscErrorCode TwinSolve(Mat R, Vec b, Vec guess, const char options[], KSP *ksp, Result *r);
