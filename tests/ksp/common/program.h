/*
   What every test program of solvers does: runs its tests for each type of -type (by default all) in each mode of -mode (by default without
   -ksp_fused_mode), the twin being the type's name without "fused", or -twin; shows that it rejects wrong twins; ends with a count.
*/
#pragma once

#include "result.h"
#include "system.h"

extern char compare_type[64], compare_twin[64], compare_mode[64];

PetscBool TwinIs(const char name[]);

/* The method is for symmetric matrices */
PetscBool TwinIsSymmetric(void);

/* What a failing comparison prints first */
PetscErrorCode Where(const System *s, const char more[]);

/* The program's options and these, or without them again: the sub-solvers of a preconditioner read theirs as late as in the first solve */
PetscErrorCode OptionsSwitch(const char options[], PetscBool on);
/* Where() and the options */
PetscErrorCode WhereWith(const System *s, const char options[]);

/* The matrix of a system, and a right-hand side */
PetscErrorCode SystemWithSide(const System *s, Mat *A, Vec *b);
PetscErrorCode SystemDestroy(Mat *A, Vec *b);

/*
   Calls f with the matrix of a system and a right-hand side. Not with 32 rows in aijcusparse: cuSPARSE's product of them is wrong now and then where processes share a GPU, so that PETSc's
   own solver differs from itself: bench/results/2026-11-22-h200, 2026-11-24-h200x2-tests.
*/
PetscErrorCode SystemUse(const System *s, PetscErrorCode (*f)(const System *, Mat, Vec));

/* Calls the test for each type and mode asked for; before, for each type, a comparison of the test's kind has to reject wrong twins (-rejects 0: not, for compute-sanitizer,
   with which a launch takes 10 ms) */
PetscErrorCode CompareEach(PetscErrorCode (*test)(void), PetscErrorCode (*rejects)(void));

/* In single precision rounding decides when BiCG reaches 1e-4, and coefficients of PETSc's Chebyshev, which grow, are no numbers any more after some 140 iterations */
PetscReal      SolverTolerance(void);
PetscErrorCode SolverCreate(Mat A, Mat P, const char type[], KSP *ksp);

/* Ends a test program: "name: ok, at least so many values compared", or how many comparisons failed; the figure itself goes to standard error */
int CompareFinish(const char name[], int least);

/* A test program: what main() does */
int CompareMain(int argc, char **argv, const char help[], PetscErrorCode (*test)(void), PetscErrorCode (*rejects)(void), const char name[], int least);

#define COMPARE_MAIN(test, rejects, name, least) \
  int main(int argc, char **argv) \
  { \
    return CompareMain(argc, argv, help, test, rejects, name, least); \
  }
