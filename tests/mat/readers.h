/*
   Operations that read the values of a matrix, each in the form of a function that makes a vector out of it, so that two matrices can be
   compared through any of them. Knows nothing of how the values came there.
*/
#pragma once

#include "loop.h"
#include <petscviewer.h>

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
  Mat                block[2] = {A, NULL};
  PetscBool          seq;
  PetscScalar        sum[2] = {0, 0};
  const PetscScalar *v;
  MatInfo            info;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
  if (!seq) PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
  for (int k = 0; k < 2 && block[k]; k++) {
    PetscCall(MatGetInfo(block[k], MAT_LOCAL, &info));
    PetscCall(MatSeqAIJGetArrayRead(block[k], &v));
    for (PetscInt i = 0; i < (PetscInt)info.nz_used; i++) sum[k] += v[i] * (PetscScalar)(1 + i % 3);
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
  PetscCall(MatCreateVecs(block, &x, y));
  PetscCall(CheckVecFill(x, 92));
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

static PetscErrorCode Square(Mat A, Vec *y)
{
  Mat C;

  PetscFunctionBeginUser;
  PetscCall(MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Galerkin(Mat A, Vec *y)
{
  Mat C, P;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &P));
  PetscCall(MatZeroEntries(P));
  PetscCall(MatShift(P, 2.0));
  PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(Apply(&C, y));
  PetscCall(MatDestroy(&P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

static PetscErrorCode Duplicated(Mat A, Vec *y)
{
  Mat C;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &C));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Converted(Mat A, Vec *y)
{
  Mat C;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &C));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Densified(Mat A, Vec *y)
{
  Mat C;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, &C));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Transposed(Mat A, Vec *y)
{
  Mat C;

  PetscFunctionBeginUser;
  PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &C));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

static PetscErrorCode RowSum(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, NULL, y));
  PetscCall(MatGetRowSum(A, *y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RowMax(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, NULL, y));
  PetscCall(MatGetRowMaxAbs(A, *y, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Diagonal(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, NULL, y));
  PetscCall(MatGetDiagonal(A, *y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TransposeProduct(Mat A, Vec *y)
{
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, y, &x));
  PetscCall(CheckVecFill(x, 93));
  PetscCall(MatMultTranspose(A, x, *y));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Sweep(Mat A, Vec *y)
{
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, y, &b));
  PetscCall(CheckVecFill(b, 94));
  PetscCall(VecSet(*y, 0.25));
  PetscCall(MatSOR(A, b, 1.0, SOR_LOCAL_SYMMETRIC_SWEEP, 0.0, 1, 1, *y));
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* LU of the diagonal block */
static PetscErrorCode LocalLU(Mat A, Vec *y)
{
  Mat           block, F;
  Vec           b;
  IS            row, col;
  MatFactorInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatGetDiagonalBlock(A, &block));
  PetscCall(MatGetOrdering(block, MATORDERINGNATURAL, &row, &col));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 5;
  PetscCall(MatGetFactor(block, NULL, MAT_FACTOR_LU, &F));
  PetscCall(MatLUFactorSymbolic(F, block, row, col, &info));
  PetscCall(MatLUFactorNumeric(F, block, &info));
  PetscCall(MatCreateVecs(block, y, &b));
  PetscCall(CheckVecFill(b, 95));
  PetscCall(MatSolve(F, b, *y));
  PetscCall(VecDestroy(&b));
  PetscCall(ISDestroy(&row));
  PetscCall(ISDestroy(&col));
  PetscCall(MatDestroy(&F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode InverseBlocks(Mat A, Vec *y)
{
  const PetscScalar *v;
  PetscInt           m, bs;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetBlockSize(A, &bs));
  PetscCall(MatInvertBlockDiagonal(A, &v));
  PetscCall(Local(A, m * bs, v, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HostProduct(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatBindToCPU(A, PETSC_TRUE));
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(Apply(&(Mat){A}, y));
  PetscCall(MatBindToCPU(A, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Redundant(Mat A, Vec *y)
{
  Mat         C;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatCreateRedundantMatrix(A, size, MPI_COMM_NULL, MAT_INITIAL_MATRIX, &C));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Changes that start from the present values; the product shows them */
static PetscErrorCode OneAdded(Mat A, Vec *y)
{
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  if (hi > lo) PetscCall(MatSetValue(A, lo, lo, 3.0, ADD_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(Apply(&(Mat){A}, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Shifted(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatShift(A, 1.25));
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(Apply(&(Mat){A}, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Scaled(Mat A, Vec *y)
{
  Vec d;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &d, NULL));
  PetscCall(CheckVecFill(d, 96));
  PetscCall(MatDiagonalScale(A, d, NULL));
  PetscCall(VecDestroy(&d));
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(Apply(&(Mat){A}, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RowsZeroed(Mat A, Vec *y)
{
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatZeroRows(A, hi > lo ? 1 : 0, &lo, 1.0, NULL, NULL));
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(Apply(&(Mat){A}, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StoredAndRetrieved(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PetscCall(MatStoreValues(A));
  PetscCall(MatScale(A, 7.0));
  PetscCall(MatRetrieveValues(A));
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(Apply(&(Mat){A}, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef PetscErrorCode ReaderFn(Mat, Vec *);

static const struct {
  const char *name;
  ReaderFn   *read;
} readers[] = {
  {"MatGetValues",                         GetValues         },
  {"MatGetRow",                            GetRow            },
  {"MatSeqAIJGetArrayRead of the blocks",  BlockArrays       },
  {"MatGetDiagonalBlock",                  DiagonalBlock     },
  {"MatView and MatLoad",                  FileRoundTrip     },
  {"MatMatMult",                           Square            },
  {"MatPtAP",                              Galerkin          },
  {"MatAXPY into AIJ",                     AddedToAIJ        },
  {"MatCopy into AIJ",                     CopiedToAIJ       },
  {"MatDuplicate",                         Duplicated        },
  {"MatConvert to AIJ",                    Converted         },
  {"MatConvert to dense",                  Densified         },
  {"MatTranspose",                         Transposed        },
  {"MatCreateSubMatrix",                   OwnRows           },
  {"MatCreateSubMatrices",                 AllRows           },
  {"MatNorm and MatGetTrace",              Norms             },
  {"MatGetRowSum",                         RowSum            },
  {"MatGetRowMaxAbs",                      RowMax            },
  {"MatGetDiagonal",                       Diagonal          },
  {"MatMultTranspose",                     TransposeProduct  },
  {"MatSOR",                               Sweep             },
  {"MatLUFactor of the diagonal block",    LocalLU           },
  {"MatInvertBlockDiagonal",               InverseBlocks     },
  {"MatMult bound to the host",            HostProduct       },
  {"MatCreateRedundantMatrix",             Redundant         },
  {"MatSetValue",                          OneAdded          },
  {"MatShift",                             Shifted           },
  {"MatDiagonalScale",                     Scaled            },
  {"MatZeroRows",                          RowsZeroed        },
  {"MatStoreValues and MatRetrieveValues", StoredAndRetrieved},
};
