/*
   The form of an operation that reads a matrix: a function that makes a vector out of it, so that two matrices can be compared through any of them; and
   what such functions make their vectors by. Knows nothing of how the values came there.
*/
#pragma once

#include "loop.h"
#include <petscviewer.h>

typedef PetscErrorCode ReaderFn(Mat, Vec *);

/* M x for a matrix that is destroyed after */
static PetscErrorCode Apply(Mat *M, Vec *y)
{
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(*M, &x, y));
  PetscCall(CheckVecFill(x, 91));
  PetscCall(MatMult(*M, x, *y));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix as it is now, by a product; readers end with it after they changed the matrix */
static PetscErrorCode Now(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(Apply(&(Mat){A}, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* This rank's values as a vector */
static PetscErrorCode Local(Mat A, PetscInt n, const PetscScalar v[], Vec *y)
{
  PetscScalar *a;

  PetscFunctionBeginUser;
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)A), n, PETSC_DETERMINE, y));
  PetscCall(VecGetArrayWrite(*y, &a));
  PetscCall(PetscArraycpy(a, v, n));
  PetscCall(VecRestoreArrayWrite(*y, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A reader whose answer is one number per row: call fills *y */
#define ROW_READER(name, call) \
  static PetscErrorCode name(Mat A, Vec *y) \
  { \
    PetscFunctionBeginUser; \
    PetscCall(MatCreateVecs(A, NULL, y)); \
    PetscCall(call); \
    PetscFunctionReturn(PETSC_SUCCESS); \
  }
