#include "reader.h"

const Reader *const readers[]      = {value_readers, product_readers, copy_readers, change_readers, NULL};
const Reader *const more_readers[] = {answer_readers, more_change_readers, derived_readers, pattern_readers, result_readers, NULL};

PetscErrorCode Apply(Mat *M, Vec *y)
{
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(*M, &x, 91, y, 0));
  PetscCall(MatMult(*M, x, *y));
  PetscCall(CheckDestroy(&x, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Now(Mat A, Vec *y)
{
  PetscFunctionBeginUser;
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(Apply(&(Mat){A}, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Local(Mat A, PetscInt n, const PetscScalar v[], Vec *y)
{
  PetscScalar *a;

  PetscFunctionBeginUser;
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)A), n, PETSC_DETERMINE, y));
  PetscCall(VecGetArrayWrite(*y, &a));
  PetscCall(PetscArraycpy(a, v, n));
  PetscCall(VecRestoreArrayWrite(*y, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}
