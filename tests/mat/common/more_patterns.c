/*
   Operations that give the matrix another pattern, with new values.
*/
#include "reader.h"

/* Values on a new pattern with five entries per row */
static PetscErrorCode FiveEachRow(Mat A)
{
  PetscInt lo, hi, N;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatGetSize(A, NULL, &N));
  for (PetscInt i = lo; i < hi; i++)
    for (PetscInt k = 0; k < 5; k++) PetscCall(MatSetValue(A, i, (i + 3 * k * k) % N, (PetscScalar)(1 + k + i % 7), INSERT_VALUES));
  PetscCall(CheckAssemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PreallocatedAgain(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatSeqAIJSetPreallocation(A, 5, NULL));
  PetscCall(MatMPIAIJSetPreallocation(A, 5, NULL, 5, NULL));
  PetscCall(FiveEachRow(A));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HashedAgain(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(MatResetHash(A));
  PetscCall(FiveEachRow(A));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RowsGiven(Mat A, Vec *y)
{
  PetscInt     m, N, *ptr, *col;
  PetscScalar *v;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetSize(A, NULL, &N));
  PetscCall(PetscMalloc3(m + 1, &ptr, 2 * m, &col, 2 * m, &v));
  for (PetscInt i = 0; i < m; i++) {
    ptr[i]         = 2 * i;
    col[2 * i]     = i % (N - 1);
    col[2 * i + 1] = N - 1;
    v[2 * i]       = 2 + i % 3;
    v[2 * i + 1]   = 1;
  }
  ptr[m] = 2 * m;
  PetscCall(MatSeqAIJSetPreallocationCSR(A, ptr, col, v));
  PetscCall(MatMPIAIJSetPreallocationCSR(A, ptr, col, v));
  PetscCall(PetscFree3(ptr, col, v));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetFromCoordinatesAgain(Mat A, Vec *y)
{
  PetscInt     lo, hi, N, n = 0, *i, *j;
  PetscScalar *v;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatGetSize(A, NULL, &N));
  PetscCall(PetscMalloc3((hi - lo) * N, &i, (hi - lo) * N, &j, (hi - lo) * N, &v));
  for (PetscInt r = lo; r < hi; r++)
    for (PetscInt c = 0; c < N; c++, n++) {
      i[n] = r;
      j[n] = c;
      v[n] = (PetscScalar)(r + 2 * c) / N;
    }
  PetscCall(MatSetPreallocationCOO(A, n, i, j));
  PetscCall(MatSetValuesCOO(A, v, INSERT_VALUES));
  PetscCall(PetscFree3(i, j, v));
  PetscCall(Now(A, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Reader pattern_readers[] = {
  {"MatSeqAIJSetPreallocation",    PreallocatedAgain      },
  {"MatResetHash",                 HashedAgain            },
  {"MatSeqAIJSetPreallocationCSR", RowsGiven              },
  {"MatSetPreallocationCOO",       SetFromCoordinatesAgain},
  {NULL,                           NULL                   }
};
