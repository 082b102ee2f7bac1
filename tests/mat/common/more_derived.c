/*
   Operations that make something of the values: other matrices, factors, inverses.
*/
#include "reader.h"

static PetscErrorCode Permuted(Mat A, Vec *y)
{
  Mat      C;
  IS       is;
  PetscInt lo, hi, *index;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(PetscMalloc1(hi - lo, &index));
  for (PetscInt i = lo; i < hi; i++) index[i - lo] = hi - 1 - (i - lo);
  PetscCall(ISCreateGeneral(PETSC_COMM_WORLD, hi - lo, index, PETSC_OWN_POINTER, &is));
  PetscCall(ISSetPermutation(is));
  PetscCall(MatPermute(A, is, is, &C));
  PetscCall(ISDestroy(&is));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

MATRIX_READER(Graph, MatCreateGraph(A, PETSC_FALSE, PETSC_FALSE, -1, 0, NULL, &C))
MATRIX_READER(TransposeTimes, MatTransposeMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C))

/* On a communicator of all ranks */
static PetscErrorCode MultiProcBlock(Mat A, Vec *y)
{
  Mat      C;
  MPI_Comm comm;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_dup(PETSC_COMM_WORLD, &comm));
  PetscCall(MatGetMultiProcBlock(A, comm, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatScale(A, 0.5));
  PetscCall(MatGetMultiProcBlock(A, comm, MAT_REUSE_MATRIX, &C));
  PetscCall(Apply(&C, y));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ParallelSubMatrices(Mat A, Vec *y)
{
  Mat              *C;
  IS                is;
  PetscInt          lo, hi;
  const PetscMPIInt size = CheckProcesses();

  PetscFunctionBeginUser;
  if (size == 1) { /* SEQAIJ has none */
    PetscCall(Now(A, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, hi - lo, lo, 1, &is));
  PetscCall(MatCreateSubMatricesMPI(A, 1, &is, &is, MAT_INITIAL_MATRIX, &C));
  PetscCall(ISDestroy(&is));
  PetscCall(PetscObjectReference((PetscObject)C[0]));
  PetscCall(Apply(&(Mat){C[0]}, y));
  PetscCall(MatDestroySubMatrices(1, &C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of one process, whose matrix has all columns */
static PetscErrorCode Concatenated(Mat A, Vec *y)
{
  Mat               C;
  const PetscMPIInt size = CheckProcesses();

  PetscFunctionBeginUser;
  if (size == 1) {
    PetscCall(MatCreateMPIMatConcatenateSeqMat(PETSC_COMM_WORLD, A, PETSC_DECIDE, MAT_INITIAL_MATRIX, &C));
    PetscCall(Apply(&C, y));
  } else PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LocalRows(Mat A, Vec *y)
{
  Mat         C;
  PetscReal   norm;
  PetscBool   seq;
  PetscScalar v;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
  if (seq) PetscCall(PetscObjectReference((PetscObject)(C = A)));
  else PetscCall(MatMPIAIJGetLocalMat(A, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatNorm(C, NORM_FROBENIUS, &norm));
  PetscCall(MatDestroy(&C));
  v = norm;
  PetscCall(Local(A, 1, &v, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix with dof unknowns per row that reads A's values at each product, made before they change */
static PetscErrorCode MultipleOfA(Mat A, Vec *y)
{
  Mat      M;
  Vec      x;
  PetscInt m, n;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, &n));
  PetscCall(MatCreateMAIJ(A, 2, &M));
  PetscCall(MatScale(A, 1.25));
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)A), 2 * n, PETSC_DETERMINE, &x));
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)A), 2 * m, PETSC_DETERMINE, y));
  PetscCall(CheckVecFill(x, 99));
  PetscCall(MatMult(M, x, *y));
  PetscCall(MatScale(A, 0.5));
  PetscCall(MatMultAdd(M, x, *y, *y));
  PetscCall(CheckDestroy(&x, &M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Factored(Mat A, MatFactorType type, Vec *y)
{
  Mat           C;
  IS            row, col;
  Vec           b;
  MatFactorInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &C));
  PetscCall(MatGetOrdering(C, MATORDERINGNATURAL, &row, &col));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 5;
  PetscCall(CheckVecs(A, y, 0, &b, 98));
  if (type == MAT_FACTOR_LU) PetscCall(MatLUFactor(C, row, col, &info));
  else PetscCall(MatILUFactor(C, row, col, &info));
  PetscCall(MatSolve(C, b, *y));
  PetscCall(CheckDestroy(&b, &row, &col, &C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FactoredInPlace(Mat A, Vec *y)
{
  const PetscMPIInt size = CheckProcesses();

  PetscFunctionBeginUser;
  if (size > 1) PetscCall(Now(A, y)); /* MPIAIJ has none */
  else PetscCall(Factored(A, MAT_FACTOR_LU, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode InverseVariableBlocks(Mat A, Vec *y)
{
  PetscInt     m, bs, n, *sizes;
  PetscScalar *v;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetBlockSize(A, &bs));
  n = m / bs;
  PetscCall(PetscMalloc2(n, &sizes, m * bs, &v));
  for (PetscInt k = 0; k < n; k++) sizes[k] = bs;
  PetscCall(MatInvertVariableBlockDiagonal(A, n, sizes, v));
  PetscCall(Local(A, m * bs, v, y));
  PetscCall(PetscFree2(sizes, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Reader derived_readers[] = {
  {"MatPermute",                       Permuted             },
  {"MatInvertVariableBlockDiagonal",   InverseVariableBlocks},
  {"MatCreateGraph",                   Graph                },
  {"MatTransposeMatMult",              TransposeTimes       },
  {"MatLUFactor in place",             FactoredInPlace      },
  {"MatCreateMAIJ",                    MultipleOfA          },
  {"MatGetMultiProcBlock",             MultiProcBlock       },
  {"MatCreateSubMatricesMPI",          ParallelSubMatrices  },
  {"MatCreateMPIMatConcatenateSeqMat", Concatenated         },
  {"MatMPIAIJGetLocalMat",             LocalRows            },
  {NULL,                               NULL                 }
};
