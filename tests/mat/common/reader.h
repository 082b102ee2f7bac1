/*
   The form of an operation that reads a matrix: a function that makes a vector out of it, so that two matrices can be compared through any of them; and
   what such functions make their vectors by. Knows nothing of how the values came there.
*/
#pragma once

#include "check.h"

typedef PetscErrorCode ReaderFn(Mat, Vec *);

typedef struct {
  const char *name;
  ReaderFn   *read;
} Reader;

/* Ended by one without a name */
extern const Reader value_readers[], product_readers[], copy_readers[], change_readers[];
extern const Reader answer_readers[], more_change_readers[], derived_readers[], pattern_readers[], result_readers[];

/* The most common ones, and those that PETSc has besides; ended by NULL */
extern const Reader *const readers[], *const more_readers[];

/* M x for a matrix that is destroyed after */
PetscErrorCode Apply(Mat *M, Vec *y);

/* The matrix as it is now, by a product; readers end with it after they changed the matrix */
PetscErrorCode Now(Mat A, Vec *y);

/* This rank's values as a vector */
PetscErrorCode Local(Mat A, PetscInt n, const PetscScalar v[], Vec *y);

/* A reader whose answer is one number per row: call fills *y */
#define ROW_READER(name, call) \
  static PetscErrorCode name(Mat A, Vec *y) \
  { \
    PetscFunctionBeginUser; \
    PetscCall(MatCreateVecs(A, NULL, y)); \
    PetscCall(call); \
    PetscFunctionReturn(PETSC_SUCCESS); \
  }

/* A reader whose answer is the product of a matrix C that call makes */
#define MATRIX_READER(name, call) \
  static PetscErrorCode name(Mat A, Vec *y) \
  { \
    Mat C; \
\
    PetscFunctionBeginUser; \
    PetscCall(call); \
    PetscCall(Apply(&C, y)); \
    PetscFunctionReturn(PETSC_SUCCESS); \
  }

/* A reader whose answer is the product after call */
#define CHANGE_READER(name, call) \
  static PetscErrorCode name(Mat A, Vec *y) \
  { \
    PetscFunctionBeginUser; \
    PetscCall(call); \
    PetscCall(Now(A, y)); \
    PetscFunctionReturn(PETSC_SUCCESS); \
  }
