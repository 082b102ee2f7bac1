/*
   Values changed through the arrays of a matrix's sequential blocks.
*/
#pragma once

#include <petscmat.h>

/* All values of the blocks times 2 through their arrays */
static inline PetscErrorCode DoubleArrays(Mat A)
{
  Mat          block[2] = {A, NULL};
  PetscBool    seq;
  PetscScalar *v;
  MatInfo      info;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATSEQAIJ, &seq));
  if (!seq) PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], NULL));
  for (int k = 0; k < 2 && block[k]; k++) {
    PetscCall(MatGetInfo(block[k], MAT_LOCAL, &info));
    PetscCall(MatSeqAIJGetArray(block[k], &v));
    for (PetscInt i = 0; i < (PetscInt)info.nz_used; i++) v[i] *= 2;
    PetscCall(MatSeqAIJRestoreArray(block[k], &v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
