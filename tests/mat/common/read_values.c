/*
   Operations that give values of a matrix as they are: entries, rows, arrays, blocks, a file, sums and norms.
*/
#include "block_arrays.h"
#include "reader.h"

static PetscErrorCode GetValues(Mat A, Vec *y)
{
  PetscInt    lo, hi;
  PetscScalar v[3] = {0, 0, 0};

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (PetscInt i = 0; i < 3 && lo + i < hi; i++) {
    const PetscInt row = lo + i;

    PetscCall(MatGetValues(A, 1, &row, 1, &row, &v[i]));
  }
  PetscCall(Local(A, 3, v, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetRow(Mat A, Vec *y)
{
  PetscInt           lo, hi, n;
  const PetscScalar *v;
  PetscScalar        sum[2] = {0, 0};

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++) {
    PetscCall(MatGetRow(A, i, &n, NULL, &v));
    for (PetscInt k = 0; k < n; k++) sum[k % 2] += v[k];
    PetscCall(MatRestoreRow(A, i, &n, NULL, &v));
  }
  PetscCall(Local(A, 2, sum, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays of the sequential blocks */
static PetscErrorCode BlockArrays(Mat A, Vec *y)
{
  Mat                block[2];
  PetscInt           n[2];
  PetscScalar        sum[2] = {0, 0};
  const PetscScalar *v;

  PetscFunctionBeginUser;
  PetscCall(SequentialBlocks(A, block, n));
  for (int k = 0; k < 2 && block[k]; k++) {
    PetscCall(MatSeqAIJGetArrayRead(block[k], &v));
    for (PetscInt i = 0; i < n[k]; i++) sum[k] += v[i] * (PetscScalar)(1 + i % 3);
    PetscCall(MatSeqAIJRestoreArrayRead(block[k], &v));
  }
  PetscCall(Local(A, 2, sum, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diagonal block as PETSc's preconditioners take it */
static PetscErrorCode DiagonalBlock(Mat A, Vec *y)
{
  Mat block;
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(MatGetDiagonalBlock(A, &block));
  PetscCall(CheckVecs(block, &x, 92, y, 0));
  PetscCall(MatMult(block, x, *y));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FileRoundTrip(Mat A, Vec *y)
{
  PetscViewer viewer;
  Mat         B;
  PetscInt    m, n;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, "readers.bin", FILE_MODE_WRITE, &viewer));
  PetscCall(MatView(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &B));
  PetscCall(MatSetType(B, MATAIJ));
  PetscCall(MatSetSizes(B, m, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, "readers.bin", FILE_MODE_READ, &viewer));
  PetscCall(MatLoad(B, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(CheckRemove("readers.bin"));
  PetscCall(Apply(&B, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Norms(Mat A, Vec *y)
{
  PetscScalar v[4];
  PetscReal   norm;

  PetscFunctionBeginUser;
  PetscCall(MatNorm(A, NORM_1, &norm));
  v[0] = norm;
  PetscCall(MatNorm(A, NORM_FROBENIUS, &norm));
  v[1] = norm;
  PetscCall(MatNorm(A, NORM_INFINITY, &norm));
  v[2] = norm;
  PetscCall(MatGetTrace(A, &v[3]));
  PetscCall(Local(A, 4, v, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

ROW_READER(RowSum, MatGetRowSum(A, *y))
ROW_READER(RowMax, MatGetRowMaxAbs(A, *y, NULL))
ROW_READER(Diagonal, MatGetDiagonal(A, *y))

const Reader value_readers[] = {
  {"MatGetValues",                        GetValues    },
  {"MatGetRow",                           GetRow       },
  {"MatSeqAIJGetArrayRead of the blocks", BlockArrays  },
  {"MatGetDiagonalBlock",                 DiagonalBlock},
  {"MatView and MatLoad",                 FileRoundTrip},
  {"MatNorm and MatGetTrace",             Norms        },
  {"MatGetRowSum",                        RowSum       },
  {"MatGetRowMaxAbs",                     RowMax       },
  {"MatGetDiagonal",                      Diagonal     },
  {NULL,                                  NULL         }
};
