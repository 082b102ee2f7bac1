/*
   The same KSP, and its twin, again and again: a test is a list of steps, each changes something, then both solve and are compared.
*/
#pragma once

#include "compare.h"

typedef struct {
  System    s;
  Mat       A;
  KSP       ksp[2]; /* under test, twin */
  Vec       b;
  PetscReal scale; /* of the system in A */
} Pair;

PetscErrorCode PairSolve(Pair *p, const char what[]);
PetscErrorCode PairOperators(Pair *p, Mat P);

/* Diagonal values of each `every`-th row of the diagonal block, through its own array: the matrix is not told. A symmetric matrix
   stays one. */
PetscErrorCode CheckScaleDiagonal(Mat A, PetscInt every, PetscReal factor);

/* New values of the pattern the matrix has */
PetscErrorCode PairValues(Pair *p);

/* ILU on the host: with values that changed, that of aijcusparse solves with the transposed factor of the old ones (PETSc 3.26) */
static const char *const pair_variants[] = {"-pc_type jacobi", "-pc_type pbjacobi", "-pc_type none",
                                            "-pc_type bjacobi -sub_pc_type ilu -sub_pc_factor_mat_solver_type petsc"};

typedef struct {
  const char *name;
  PetscErrorCode (*change)(Pair *);
} Step;

PetscErrorCode PairSteps(const Step steps[], size_t n, const char options[]);
