/*
   Operations that give the values to another matrix: of another type, of some rows, on other processes.
*/
#include "reader.h"

static PetscErrorCode AddedToAIJ(Mat A, Vec *y)
{
  Mat C;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &C));
  PetscCall(MatConvert(C, MATAIJ, MAT_INPLACE_MATRIX, &C));
  PetscCall(MatAXPY(C, 1.5, A, SAME_NONZERO_PATTERN));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CopiedToAIJ(Mat A, Vec *y)
{
  Mat C;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &C));
  PetscCall(MatConvert(C, MATAIJ, MAT_INPLACE_MATRIX, &C));
  PetscCall(MatCopy(A, C, SAME_NONZERO_PATTERN));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

MATRIX_READER(Duplicated, MatDuplicate(A, MAT_COPY_VALUES, &C))
MATRIX_READER(Converted, MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &C))
MATRIX_READER(Densified, MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, &C))
MATRIX_READER(Transposed, MatTranspose(A, MAT_INITIAL_MATRIX, &C))

static PetscErrorCode OwnRows(Mat A, Vec *y)
{
  Mat      C;
  IS       is;
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, (hi - lo + 1) / 2, lo, 2, &is));
  PetscCall(MatCreateSubMatrix(A, is, is, MAT_INITIAL_MATRIX, &C));
  PetscCall(ISDestroy(&is));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All rows on each rank: other ranks' values must be up to date too */
static PetscErrorCode AllRows(Mat A, Vec *y)
{
  Mat     *C;
  IS       is;
  PetscInt n;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n, 0, 1, &is));
  PetscCall(MatCreateSubMatrices(A, 1, &is, &is, MAT_INITIAL_MATRIX, &C));
  PetscCall(ISDestroy(&is));
  PetscCall(PetscObjectReference((PetscObject)C[0]));
  PetscCall(Apply(&(Mat){C[0]}, y));
  PetscCall(MatDestroySubMatrices(1, &C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

MATRIX_READER(Redundant, MatCreateRedundantMatrix(A, CheckProcesses(), MPI_COMM_NULL, MAT_INITIAL_MATRIX, &C))

const Reader copy_readers[] = {
  {"MatAXPY into AIJ",         AddedToAIJ },
  {"MatCopy into AIJ",         CopiedToAIJ},
  {"MatDuplicate",             Duplicated },
  {"MatConvert to AIJ",        Converted  },
  {"MatConvert to dense",      Densified  },
  {"MatTranspose",             Transposed },
  {"MatCreateSubMatrix",       OwnRows    },
  {"MatCreateSubMatrices",     AllRows    },
  {"MatCreateRedundantMatrix", Redundant  },
  {NULL,                       NULL       }
};
