/*
   That a test on the device does run there.
*/
#pragma once

#include <petscmat.h>

/* With -expect_cuda a matrix of the type under test must give CUDA vectors */
static inline PetscErrorCode CheckDevice(Mat A)
{
  Vec       x;
  VecType   type;
  PetscBool expected = PETSC_FALSE, cuda;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-expect_cuda", &expected, NULL));
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(VecGetType(x, &type));
  PetscCall(PetscStrendswith(type, "cuda", &cuda));
  PetscCheck(cuda || !expected, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "-expect_cuda: the matrix gives vectors of type %s", type);
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
