/*
   Changes that start from the present values; the product shows them.
*/
#include "reader.h"

static PetscErrorCode OneAdded(Mat A, Vec *y)
{
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  if (hi > lo) PetscCall(MatSetValue(A, lo, lo, 3.0, ADD_VALUES));
  PetscCall(CheckAssemble(A));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHANGE_READER(Shifted, MatShift(A, 1.25))

static PetscErrorCode Scaled(Mat A, Vec *y)
{
  Vec d;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(A, &d, 96, NULL, 0));
  PetscCall(MatDiagonalScale(A, d, NULL));
  PetscCall(VecDestroy(&d));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RowsZeroed(Mat A, Vec *y)
{
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatZeroRows(A, hi > lo ? 1 : 0, &lo, 1.0, NULL, NULL));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StoredAndRetrieved(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PetscCall(MatStoreValues(A));
  PetscCall(MatScale(A, 7.0));
  PetscCall(MatRetrieveValues(A));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Reader change_readers[] = {
  {"MatSetValue",                          OneAdded          },
  {"MatShift",                             Shifted           },
  {"MatDiagonalScale",                     Scaled            },
  {"MatZeroRows",                          RowsZeroed        },
  {"MatStoreValues and MatRetrieveValues", StoredAndRetrieved},
  {NULL,                                   NULL              }
};
