#define _GNU_SOURCE
#include "twin.h"
#include <dlfcn.h>

#define WRONG_STEP (PetscDefined(USE_REAL_SINGLE) ? 5e-2 : 1e-8) /* how far alpha is off, relative: in single precision far above rounding too */

Wrong     wrong_kind  = WRONG_NOTHING;
PetscBool twin_solves = PETSC_FALSE;
PetscBool twin_sums   = PETSC_FALSE;
PetscBool wrong_next  = PETSC_FALSE;

static PetscBool WrongIs(Wrong kind)
{
  return (PetscBool)(twin_solves && wrong_kind == kind);
}

/* The function of libpetsc of this name */
#define WRONG_REAL(result, name, parameters) result(*real) parameters = (result(*) parameters)dlsym(RTLD_NEXT, #name)

PetscReal twin_condition = 1;

static PetscErrorCode TwinCondition(Vec x, Vec y, PetscScalar dot)
{
  PetscReal a, b, condition;

  PetscFunctionBegin;
  if (!twin_solves || dot == (PetscScalar)0) PetscFunctionReturn(PETSC_SUCCESS); /* zeros are met where arithmetic is exact */
  PetscCall(VecNorm(x, NORM_2, &a));
  PetscCall(VecNorm(y, NORM_2, &b));
  condition = a * b / PetscAbsScalar(dot);
  if (!PetscIsInfOrNanReal(condition)) twin_condition = PetscMax(twin_condition, condition);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscScalar WrongDot(PetscScalar value)
{
  const PetscBool now = (PetscBool)(WrongIs(WRONG_ALPHA) && wrong_next);

  wrong_next = PETSC_FALSE;
  return now ? value / (PetscScalar)(1 + WRONG_STEP) : value;
}

PetscErrorCode VecDot(Vec x, Vec y, PetscScalar *value)
{
  WRONG_REAL(PetscErrorCode, VecDot, (Vec, Vec, PetscScalar *));

  PetscFunctionBegin;
  PetscCall(real(x, y, value));
  PetscCall(TwinCondition(x, y, *value));
  *value = WrongDot(*value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecTDot(Vec x, Vec y, PetscScalar *value)
{
  WRONG_REAL(PetscErrorCode, VecTDot, (Vec, Vec, PetscScalar *));

  PetscFunctionBegin;
  PetscCall(real(x, y, value));
  *value = WrongDot(*value);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* omega of BiCGStab stays right */
PetscErrorCode VecDotNorm2(Vec s, Vec t, PetscScalar *dot, PetscReal *norm)
{
  WRONG_REAL(PetscErrorCode, VecDotNorm2, (Vec, Vec, PetscScalar *, PetscReal *));

  PetscFunctionBegin;
  wrong_next = PETSC_FALSE;
  PetscCall(real(s, t, dot, norm));
  PetscCall(TwinCondition(s, t, *dot));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecAXPBYPCZ(Vec z, PetscScalar alpha, PetscScalar beta, PetscScalar gamma, Vec x, Vec y)
{
  WRONG_REAL(PetscErrorCode, VecAXPBYPCZ, (Vec, PetscScalar, PetscScalar, PetscScalar, Vec, Vec));

  PetscFunctionBegin;
  if (twin_sums && WrongIs(WRONG_ALPHA)) gamma *= (PetscScalar)(1 + WRONG_STEP);
  PetscCall(real(z, alpha, beta, gamma, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What happens to y after a product with the matrix */
static PetscErrorCode WrongProduct(Vec y)
{
  PetscInt n;

  PetscFunctionBegin;
  wrong_next = twin_solves;
  if (WrongIs(WRONG_ROW)) {
    PetscCall(VecGetSize(y, &n));
    if (n) PetscCall(VecSetValue(y, n - 1, 0, INSERT_VALUES));
    PetscCall(VecAssemblyBegin(y));
    PetscCall(VecAssemblyEnd(y));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult(Mat A, Vec x, Vec y)
{
  WRONG_REAL(PetscErrorCode, MatMult, (Mat, Vec, Vec));

  PetscFunctionBegin;
  PetscCall(real(A, x, y));
  PetscCall(WrongProduct(y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTranspose(Mat A, Vec x, Vec y)
{
  WRONG_REAL(PetscErrorCode, MatMultTranspose, (Mat, Vec, Vec));

  PetscFunctionBegin;
  PetscCall(real(A, x, y));
  PetscCall(WrongProduct(y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetDiagonal(Mat A, Vec d)
{
  PetscScalar *a;
  PetscInt     lo, hi;
  WRONG_REAL(PetscErrorCode, MatGetDiagonal, (Mat, Vec));

  PetscFunctionBegin;
  PetscCall(real(A, d));
  if (WrongIs(WRONG_DIAGONAL)) { /* that of a matrix of which every third entry has changed since */
    PetscCall(VecGetOwnershipRange(d, &lo, &hi));
    PetscCall(VecGetArray(d, &a));
    for (PetscInt i = lo; i < hi; i++)
      if (i % 3 == 0) a[i - lo] *= 1.25;
    PetscCall(VecRestoreArray(d, &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
