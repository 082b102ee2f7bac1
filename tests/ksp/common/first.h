/*
   The matrix of PCGRIDMG on the first process against MatCreateSubMatrices(), and what a set-up sends there by MPI.
*/
#pragma once

#include <petscdmda.h>
#include <petscksp.h>

extern PetscBool first_by_nccl; /* a solver has joined the processes */

/* pc on a vector against a matrix of one process with the rows of A, bit for bit on the host. wrong: this one has other values, which has to be noticed */
PetscErrorCode FirstCompare(DM da, Mat A, PC pc, PetscBool wrong, const char what[]);

typedef enum {
  NEW_PLACE, /* for PETSc possibly none */
  NEW_PATTERN,
  NEW_VALUES,
  NEW_VALUES_ON_HOST /* of a matrix that is bound there, so that a link of GPUs is no use */
} FirstChange;

/* The set-up after a change: a new pattern sends rows and columns, new values nothing by MPI if there is NCCL */
PetscErrorCode FirstSetUp(DM da, Mat A, PC pc, FirstChange change, const char what[]);
