/*
   What a solve gives: solution, history, reason, and whether two of them are the same bit for bit. Knows no solver type.
*/
#pragma once

#include <petscksp.h>

#define RESULT_MAX 2000 /* iterations of a history */
/* How many roundings a value may be off, of the size of what it was computed from: see step.h */
#define RESULT_ROUNDING (500 * PETSC_MACHINE_EPSILON)

extern double result_values; /* values compared so far */

typedef struct {
  Vec                x;
  PetscInt           its, n; /* iterations, entries of the history */
  PetscReal          rnorm, history[RESULT_MAX];
  PetscReal          gap; /* of KSPBuildResidual() to b - A x, relative to b */
  KSPConvergedReason reason;
} Result;

PetscErrorCode ResultDestroy(Result *r);

/* Whether the solution says something */
PetscBool ResultMeans(const Result *r);

typedef PetscErrorCode SolveFn(KSP, Vec, Vec);

/* Solves with KSPSolve() or another function; x holds the guess, or zero, when it begins. twin: this is the solver that the one under test is compared with. */
PetscErrorCode ResultSolve(KSP ksp, PetscBool twin, SolveFn *solve, Vec b, Vec guess, Result *r);

/* The same bits */
PetscErrorCode CheckRepeat(const Result *a, const Result *b, const char what[]);
