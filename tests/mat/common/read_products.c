/*
   Operations that compute with the values: products with vectors and matrices, relaxation, factors, inverses.
*/
#include "reader.h"

MATRIX_READER(Square, MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C))

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

static PetscErrorCode TransposeProduct(Mat A, Vec *y)
{
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(A, y, 0, &x, 93));
  PetscCall(MatMultTranspose(A, x, *y));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Residual(Mat A, Vec *y)
{
  Vec x, b;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, y));
  PetscCall(VecDuplicate(*y, &b));
  PetscCall(CheckVecFill(x, 95));
  PetscCall(CheckVecFill(b, 96));
  PetscCall(MatResidual(A, b, x, *y));
  PetscCall(CheckDestroy(&x, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Sweep(Mat A, Vec *y)
{
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(A, y, 0, &b, 94));
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
  PetscCall(CheckVecs(block, y, 0, &b, 95));
  PetscCall(MatSolve(F, b, *y));
  PetscCall(CheckDestroy(&b, &row, &col, &F));
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
  PetscCall(Now(A, y));
  PetscCall(MatBindToCPU(A, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Reader product_readers[] = {
  {"MatMatMult",                        Square          },
  {"MatPtAP",                           Galerkin        },
  {"MatMultTranspose",                  TransposeProduct},
  {"MatResidual",                       Residual        },
  {"MatSOR",                            Sweep           },
  {"MatLUFactor of the diagonal block", LocalLU         },
  {"MatInvertBlockDiagonal",            InverseBlocks   },
  {"MatMult bound to the host",         HostProduct     },
  {NULL,                                NULL            }
};
