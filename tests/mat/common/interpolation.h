/*
   Interpolation of one process from few unknowns to many, as multigrid has it.
*/
#pragma once

#include <petscmat.h>

/* Interpolation with two entries per row: on as many diagonals as rows */
static inline PetscErrorCode Interpolation(MatType type, PetscInt rows, PetscInt cols, PetscReal scale, Mat *P)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, P));
  PetscCall(MatSetSizes(*P, rows, cols, rows, cols));
  PetscCall(MatSetType(*P, type));
  PetscCall(MatSeqAIJSetPreallocation(*P, 2, NULL));
  for (PetscInt i = 0; i < rows; i++) {
    const PetscInt    j[2] = {(i * cols) / rows, PetscMin((i * cols) / rows + 1, cols - 1)};
    const PetscScalar v[2] = {scale * (1 + i % 5), scale * (2 + i % 3)};
    PetscCall(MatSetValues(*P, 1, &i, j[0] < j[1] ? 2 : 1, j, v, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*P, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
