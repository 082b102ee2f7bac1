#include "given_arrays.h"
#include "block_arrays.h"

/* Copies of the compressed rows of R's blocks, columns of the second in the whole matrix */
static PetscErrorCode ArraysOfBlocks(Mat R, Arrays *a)
{
  Mat             block[2];
  const PetscInt *garray = NULL;
  PetscBool       mpi;

  PetscFunctionBeginUser;
  PetscCall(SequentialBlocks(R, block, a->n));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)R, MATMPIAIJ, &mpi));
  if (mpi) PetscCall(MatMPIAIJGetSeqAIJ(R, NULL, NULL, &garray));
  for (int k = 0; k < 2; k++) {
    const PetscInt    *i, *j;
    const PetscScalar *v;
    PetscInt           m;
    PetscBool          done;

    if (!block[k]) { /* an empty one */
      PetscCall(MatGetLocalSize(R, &m, NULL));
      PetscCall(PetscCalloc3(m + 1, &a->i[k], 1, &a->j[k], 1, &a->v[k]));
      a->n[k] = 0;
      continue;
    }
    PetscCall(MatGetRowIJ(block[k], 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
    PetscCall(MatSeqAIJGetArrayRead(block[k], &v));
    PetscCall(PetscMalloc3(m + 1, &a->i[k], a->n[k] + 1, &a->j[k], a->n[k] + 1, &a->v[k]));
    PetscCall(PetscArraycpy(a->i[k], i, m + 1));
    PetscCall(PetscArraycpy(a->v[k], v, a->n[k]));
    for (PetscInt e = 0; e < a->n[k]; e++) a->j[k][e] = k ? garray[j[e]] : j[e];
    PetscCall(MatSeqAIJRestoreArrayRead(block[k], &v));
    PetscCall(MatRestoreRowIJ(block[k], 0, PETSC_FALSE, PETSC_FALSE, &m, &i, &j, &done));
  }
  a->own = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ArraysOfRows(Mat R, Arrays *a)
{
  PetscInt lo, hi, n = 0, m = 0;
  MatInfo  info;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(R, &lo, &hi));
  PetscCall(MatGetInfo(R, MAT_LOCAL, &info));
  PetscCall(PetscMalloc3(hi - lo + 1, &a->i[0], (PetscInt)info.nz_used + 1, &a->j[0], (PetscInt)info.nz_used + 1, &a->v[0]));
  PetscCall(PetscCalloc3(1, &a->i[1], 1, &a->j[1], 1, &a->v[1]));
  a->i[0][0] = 0;
  for (PetscInt r = lo; r < hi; r++) {
    const PetscInt    *c;
    const PetscScalar *v;

    PetscCall(MatGetRow(R, r, &m, &c, &v));
    PetscCall(PetscArraycpy(a->j[0] + n, c, m));
    PetscCall(PetscArraycpy(a->v[0] + n, v, m));
    a->i[0][r - lo + 1] = n += m;
    PetscCall(MatRestoreRow(R, r, &m, &c, &v));
  }
  a->n[0] = n;
  a->n[1] = 0;
  a->own  = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ArraysGet(Mat M, Gift gift, Arrays *a)
{
  Mat block[2];

  PetscFunctionBeginUser;
  PetscCall(SequentialBlocks(M, block, a->n));
  for (int k = 0; k < 2 && block[k]; k++) {
    if (gift == GOT) PetscCall(MatSeqAIJGetArray(block[k], &a->v[k]));
    if (gift == GOT_READ) PetscCall(MatSeqAIJGetArrayRead(block[k], (const PetscScalar **)&a->v[k]));
    if (gift == GOT_CSR) PetscCall(MatSeqAIJGetCSRAndMemType(block[k], NULL, NULL, &a->v[k], NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Give(Gift gift, Mat R, MatType type, Mat *M, Arrays *a)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)R);
  Mat            block[2];
  PetscInt       m, n, rows, cols;

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(a, sizeof(*a)));
  PetscCall(MatGetLocalSize(R, &m, &n));
  PetscCall(MatGetSize(R, &rows, &cols));
  if (gift <= SEQ_BLOCKS_CONVERTED) PetscCall(ArraysOfBlocks(R, a));
  if (gift == UPDATED) PetscCall(ArraysOfRows(R, a));
  if (gift == WITH_ARRAYS) PetscCall(MatCreateSeqAIJWithArrays(comm, m, n, a->i[0], a->j[0], a->v[0], M));
  else if (gift == SPLIT_ARRAYS) PetscCall(MatCreateMPIAIJWithSplitArrays(comm, m, n, rows, cols, a->i[0], a->j[0], a->v[0], a->i[1], a->j[1], a->v[1], M));
  else if (gift == SEQ_BLOCKS || gift == SEQ_BLOCKS_CONVERTED) {
    for (int k = 0; k < 2; k++) {
      PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, m, k ? cols : n, a->i[k], a->j[k], a->v[k], &block[k]));
      if (gift == SEQ_BLOCKS_CONVERTED) PetscCall(MatConvert(block[k], type, MAT_INPLACE_MATRIX, &block[k]));
    }
    PetscCall(MatCreateMPIAIJWithSeqAIJ(comm, rows, cols, block[0], block[1], NULL, M));
  } else if (gift == UPDATED) PetscCall(MatCreateMPIAIJWithArrays(comm, m, n, rows, cols, a->i[0], a->j[0], a->v[0], M));
  else PetscCall(MatDuplicate(R, MAT_COPY_VALUES, M));
  PetscCall(MatConvert(*M, type, MAT_INPLACE_MATRIX, M));
  if (!a->own) PetscCall(ArraysGet(*M, gift, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Written(Gift gift, Mat M, Arrays *a)
{
  Mat      block[2];
  PetscInt n[2];

  PetscFunctionBeginUser;
  if (gift == UPDATED) PetscCall(MatUpdateMPIAIJWithArray(M, a->v[0]));
  else if (gift != GOT && gift != GOT_READ) {
    PetscCall(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
  } else {
    PetscCall(SequentialBlocks(M, block, n));
    for (int k = 0; k < 2 && block[k]; k++) {
      if (gift == GOT) PetscCall(MatSeqAIJRestoreArray(block[k], &a->v[k]));
      else PetscCall(MatSeqAIJRestoreArrayRead(block[k], (const PetscScalar **)&a->v[k]));
    }
    PetscCall(ArraysGet(M, gift, a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TakeBack(Mat *M, Arrays *a)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(M));
  for (int k = 0; k < 2 && a->own; k++) PetscCall(PetscFree3(a->i[k], a->j[k], a->v[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
