#include "result_products.h"
#include "check.h"

PetscErrorCode CompareVectors(Mat C, Mat D, const char text[])
{
  Vec x[2], y[2], z[2], s[2], r[2];
  Mat M[2] = {C, D};

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(MatCreateVecs(M[k], &x[k], &y[k]));
    PetscCall(VecDuplicate(y[k], &z[k]));
    PetscCall(VecDuplicate(x[k], &s[k]));
    PetscCall(VecDuplicate(y[k], &r[k]));
    PetscCall(CheckVecFill(x[k], 41));
    PetscCall(MatMult(M[k], x[k], y[k]));
  }
  PetscCall(CheckVec(y[0], y[1], 10 * CHECK_TOLERANCE, text));
  for (int k = 0; k < 2; k++) {
    PetscCall(CheckVecFill(y[k], 42));
    PetscCall(MatMultAdd(M[k], x[k], y[k], z[k]));
    PetscCall(MatMultAdd(M[k], x[k], z[k], z[k]));
    PetscCall(MatMultTranspose(M[k], y[k], s[k]));
    PetscCall(MatResidual(M[k], y[k], x[k], r[k]));
  }
  PetscCall(CheckVec(z[0], z[1], 10 * CHECK_TOLERANCE, CheckText("%s, added", text)));
  PetscCall(CheckVec(s[0], s[1], 10 * CHECK_TOLERANCE, CheckText("%s, by columns", text)));
  PetscCall(CheckVec(r[0], r[1], 10 * CHECK_TOLERANCE, CheckText("%s, residual", text)));
  PetscCall(CheckDestroy(&x[0], &y[0], &z[0], &s[0], &r[0], &x[1], &y[1], &z[1], &s[1], &r[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareResults(Mat A, Mat R, Mat C, Mat D, Mat S)
{
  enum { COARSE, SQUARE, FINE, COUNT };
  const char *const names[COUNT] = {"MatPtAP of a result", "MatMatMult of results", "MatPtAP with a result"};
  Mat               outer[2] = {A, R}, M[2] = {C, D}, G[2][COUNT];
  const PetscMPIInt size = CheckProcesses();

  PetscFunctionBeginUser;
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (int again = 0; again < 2; again++) {
    const MatReuse reuse = again ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX;

    for (int k = 0; k < 2; k++) {
      PetscCall(MatScale(M[k], 1e-3)); /* entries below are cubes of these */
      PetscCall(MatPtAP(M[k], S, reuse, PETSC_DETERMINE, &G[k][COARSE]));
      PetscCall(MatMatMult(G[k][COARSE], M[k], reuse, PETSC_DETERMINE, &G[k][SQUARE]));
      PetscCall(MatPtAP(outer[k], M[k], reuse, PETSC_DETERMINE, &G[k][FINE]));
    }
    for (int j = 0; j < COUNT; j++) {
      PetscCall(CompareVectors(G[0][j], G[1][j], CheckText("%s%s", names[j], again ? " again" : "")));
    }
  }
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < COUNT; j++) PetscCall(MatDestroy(&G[k][j]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
