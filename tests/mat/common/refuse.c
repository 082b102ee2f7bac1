#include "refuse.h"
#include "caught.h"

PetscErrorCode Use(MatType type, const Problem *p)
{
  Mat A;
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
  PetscCall(MatSetOptionsPrefix(A, "t_"));
  PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, ProblemRows(p), ProblemCols(p)));
  PetscCall(MatSetType(A, type));
  PetscCall(MatSetFromOptions(A));
  PetscCall(MatSetUp(A));
  PetscCall(ProblemFill(p, A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(A, x, y));
  PetscCall(CheckDestroy(&x, &y, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Refused(MatType type, const Problem *p, const char options[], const char one[], const char other[])
{
  PetscErrorCode code;
  PetscBool      good;
  char          *a = NULL, *b = NULL;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(NULL, options));
  CheckCaught(code, Use(type, p));
  PetscCall(PetscStrstr(caught, one, &a));
  PetscCall(PetscStrstr(caught, other, &b));
  good = (PetscBool)(code && a && b);
  if (!good) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s gave error %d: %s\n", options, (int)code, caught));
  PetscCall(CheckTrue(good, options));
  PetscCall(PetscOptionsClear(NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Shown(MatType type, const Problem *p, const char *const texts[], PetscInt n)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, type, &A));
  PetscCall(CheckViewText((PetscObject)A, PETSC_VIEWER_ASCII_INFO, caught, sizeof(caught)));
  for (PetscInt k = 0; k < n; k++) {
    char *found;

    PetscCall(PetscStrstr(caught, texts[k], &found));
    PetscCall(CheckTrue(found != NULL, CheckText("the view says \"%s\"", texts[k])));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
