/*
   A product with a matrix and one with its transpose, whose results nobody looks at: what the matrix keeps for products is there and of its values then.
*/
#pragma once

#include <petscmat.h>

static inline PetscErrorCode BothProducts(Mat M)
{
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(M, &x, &y));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(M, x, y));
  PetscCall(MatMultTranspose(M, y, x));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
