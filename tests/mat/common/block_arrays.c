#include "block_arrays.h"

PetscErrorCode SequentialBlocks(Mat A, Mat block[2], PetscInt values[2])
{
  PetscBool seq;
  MatInfo   info;

  PetscFunctionBeginUser;
  block[0] = A;
  block[1] = NULL;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
  if (!seq) PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
  for (int k = 0; k < 2 && block[k]; k++) {
    PetscCall(MatGetInfo(block[k], MAT_LOCAL, &info));
    values[k] = (PetscInt)info.nz_used;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DoubleArrays(Mat A)
{
  Mat          block[2];
  PetscInt     n[2];
  PetscScalar *v;

  PetscFunctionBeginUser;
  PetscCall(SequentialBlocks(A, block, n));
  for (int k = 0; k < 2 && block[k]; k++) {
    PetscCall(MatSeqAIJGetArray(block[k], &v));
    for (PetscInt i = 0; i < n[k]; i++) v[i] *= 2;
    PetscCall(MatSeqAIJRestoreArray(block[k], &v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
