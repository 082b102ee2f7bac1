#include "ahead.h"

PetscErrorCode Ahead(Mat C)
{
  PetscInt           lo, hi, n, most = 0, *i, *j;
  const PetscInt    *cols;
  const PetscScalar *vals;
  PetscScalar       *v;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(C, &lo, &hi));
  for (PetscInt r = lo; r < hi; r++) {
    PetscCall(MatGetRow(C, r, &n, NULL, NULL));
    most += n;
    PetscCall(MatRestoreRow(C, r, &n, NULL, NULL));
  }
  PetscCall(PetscMalloc3(most, &i, most, &j, most, &v));
  most = 0;
  for (PetscInt r = lo; r < hi; r++) {
    PetscCall(MatGetRow(C, r, &n, &cols, &vals));
    for (PetscInt k = 0; k < n; k++, most++) {
      i[most] = r;
      j[most] = cols[k];
      v[most] = 3 * vals[k];
    }
    PetscCall(MatRestoreRow(C, r, &n, &cols, &vals));
  }
  PetscCall(MatSetPreallocationCOO(C, most, i, j));
  PetscCall(MatSetValuesCOO(C, v, INSERT_VALUES));
  PetscCall(PetscFree3(i, j, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
