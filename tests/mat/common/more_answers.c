/*
   Operations that answer with numbers, truth or rows: reductions, comparisons, places.
*/
#include "ahead.h"
#include "reader.h"

static PetscErrorCode ColumnReductions(Mat A, Vec *y)
{
  PetscReal   *norms;
  PetscScalar *v;
  PetscInt     N;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, NULL, &N));
  PetscCall(PetscMalloc2(N, &norms, N, &v));
  PetscCall(MatGetColumnNorms(A, NORM_2, norms));
  for (PetscInt k = 0; k < N; k++) v[k] = norms[k];
  PetscCall(Local(A, N, v, y));
  PetscCall(PetscFree2(norms, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of one operation after the other, so that the first does not bring the values up to date for the rest */
ROW_READER(RowMin, MatGetRowMin(A, *y, NULL))
ROW_READER(RowMinAbs, MatGetRowMinAbs(A, *y, NULL))
ROW_READER(RowMaximum, MatGetRowMax(A, *y, NULL))
ROW_READER(RowSumAbs, MatGetRowSumAbs(A, *y))
ROW_READER(Column, MatGetColumnVector(A, *y, 1))

static PetscErrorCode Truth(Mat A, PetscBool truth, Vec *y)
{
  const PetscScalar v = truth ? 1 : 2;

  PetscFunctionBeginUser;
  PetscCall(Local(A, 1, &v, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode EqualToCopy(Mat A, Vec *y)
{
  Mat       C;
  PetscBool equal, not_equal;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &C));
  PetscCall(MatEqual(A, C, &not_equal));
  PetscCall(MatCopy(A, C, SAME_NONZERO_PATTERN));
  PetscCall(MatEqual(A, C, &equal));
  PetscCall(MatDestroy(&C));
  PetscCall(Truth(A, (PetscBool)(equal && !not_equal), y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TransposeOf(Mat A, Vec *y)
{
  Mat       C;
  PetscBool yes, no;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatTranspose(C, MAT_INPLACE_MATRIX, &C));
  PetscCall(MatIsTranspose(A, C, 1e-6, &yes));
  PetscCall(MatScale(C, 1.5));
  PetscCall(MatIsTranspose(A, C, 1e-6, &no));
  PetscCall(MatDestroy(&C));
  PetscCall(Truth(A, (PetscBool)(yes && !no), y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* For sequential matrices alone */
static PetscErrorCode HermitianTransposeOf(Mat A, Vec *y)
{
  Mat               C;
  PetscBool         yes = PETSC_TRUE, no = PETSC_FALSE;
  const PetscMPIInt size = CheckProcesses();

  PetscFunctionBeginUser;
  if (size == 1) {
    PetscCall(MatTranspose(A, MAT_INITIAL_MATRIX, &C));
    PetscCall(Ahead(C));
    PetscCall(MatIsHermitianTranspose(A, C, 1e-6, &no));
    PetscCall(MatScale(C, 1.0 / 3.0));
    PetscCall(MatIsHermitianTranspose(C, A, 1e-5, &yes));
    PetscCall(MatDestroy(&C));
  }
  PetscCall(Truth(A, (PetscBool)(yes && !no), y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Symmetry(Mat A, Vec *y)
{
  PetscBool symmetric;

  PetscFunctionBeginUser;
  PetscCall(MatIsSymmetric(A, 1e-6, &symmetric));
  PetscCall(Truth(A, symmetric, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Hermiticity(Mat A, Vec *y)
{
  PetscBool hermitian = PETSC_FALSE;

  PetscFunctionBeginUser;
  if (CheckProcesses() == 1) PetscCall(MatIsHermitian(A, 1e-6, &hermitian));
  PetscCall(Truth(A, hermitian, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SizeOf(Mat A, IS *is, Vec *y)
{
  PetscInt    n = -1;
  PetscScalar v;

  PetscFunctionBeginUser;
  if (*is) PetscCall(ISGetLocalSize(*is, &n));
  PetscCall(ISDestroy(is));
  v = n;
  PetscCall(Local(A, 1, &v, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define SET_READER(name, call) \
  static PetscErrorCode name(Mat A, Vec *y) \
  { \
    IS is = NULL; \
\
    PetscFunctionBeginUser; \
    PetscCall(call); \
    PetscCall(SizeOf(A, &is, y)); \
    PetscFunctionReturn(PETSC_SUCCESS); \
  }
SET_READER(ZeroDiagonals, MatFindZeroDiagonals(A, &is))
SET_READER(NonzeroRows, MatFindNonzeroRows(A, &is))
/* MPIAIJ's faults where a process has none */
SET_READER(OffBlockDiagonal, CheckProcesses() > 1 ? PETSC_SUCCESS : MatFindOffBlockDiagonalEntries(A, &is))

static PetscErrorCode ReorderedForDiagonal(Mat A, Vec *y)
{
  IS                row, col;
  const PetscMPIInt size = CheckProcesses();
  PetscScalar       v    = 1;

  PetscFunctionBeginUser;
  if (size == 1) {
    const PetscInt *index;
    PetscInt        n;

    PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, &row, &col));
    PetscCall(MatReorderForNonzeroDiagonal(A, 1e-3, row, col));
    PetscCall(ISGetLocalSize(col, &n));
    PetscCall(ISGetIndices(col, &index));
    for (PetscInt k = 0; k < n; k++) v += (PetscScalar)(index[k] * (k % 5));
    PetscCall(ISRestoreIndices(col, &index));
    PetscCall(CheckDestroy(&row, &col));
  }
  PetscCall(Local(A, 1, &v, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Reader answer_readers[] = {
  {"MatGetColumnNorms",              ColumnReductions    },
  {"MatGetRowMax",                   RowMaximum          },
  {"MatGetRowMin",                   RowMin              },
  {"MatGetRowMinAbs",                RowMinAbs           },
  {"MatGetRowSumAbs",                RowSumAbs           },
  {"MatEqual",                       EqualToCopy         },
  {"MatIsTranspose",                 TransposeOf         },
  {"MatIsHermitianTranspose",        HermitianTransposeOf},
  {"MatIsSymmetric",                 Symmetry            },
  {"MatIsHermitian",                 Hermiticity         },
  {"MatFindZeroDiagonals",           ZeroDiagonals       },
  {"MatFindNonzeroRows",             NonzeroRows         },
  {"MatFindOffBlockDiagonalEntries", OffBlockDiagonal    },
  {"MatGetColumnVector",             Column              },
  {"MatReorderForNonzeroDiagonal",   ReorderedForDiagonal},
  {NULL,                             NULL                }
};
