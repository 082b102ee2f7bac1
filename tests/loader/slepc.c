/*
   SLEPc with types chosen by options: the smallest eigenvalues of a Laplacian on a grid of m x n points, by EPS, and of
   twice that matrix, by the same EPS, or its smallest singular values, by SVD. All are compared with their formula.
*/
#include <slepcsvd.h>

static PetscErrorCode Laplacian(PetscInt m, PetscInt n, Mat *A)
{
  PetscInt first, last;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, m * n, m * n));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt row = first; row < last; row++) {
    const PetscInt i = row / n, j = row % n;

    if (i > 0) PetscCall(MatSetValue(*A, row, row - n, -1, INSERT_VALUES));
    if (i < m - 1) PetscCall(MatSetValue(*A, row, row + n, -1, INSERT_VALUES));
    if (j > 0) PetscCall(MatSetValue(*A, row, row - 1, -1, INSERT_VALUES));
    if (j < n - 1) PetscCall(MatSetValue(*A, row, row + 1, -1, INSERT_VALUES));
    PetscCall(MatSetValue(*A, row, row, 4, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The eigenvalues of the Laplacian, ascending */
static PetscErrorCode Exact(PetscInt m, PetscInt n, PetscReal *values)
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < m; i++)
    for (PetscInt j = 0; j < n; j++) values[i * n + j] = 4 - 2 * PetscCosReal((i + 1) * PETSC_PI / (m + 1)) - 2 * PetscCosReal((j + 1) * PETSC_PI / (n + 1));
  PetscCall(PetscSortReal(m * n, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest relative error of the eigenvalues found, whose exact values are factor * exact[] */
static PetscErrorCode Solve(EPS eps, PetscInt wanted, PetscReal factor, const PetscReal *exact, PetscReal *error)
{
  PetscInt found;

  PetscFunctionBeginUser;
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  PetscCheck(found >= wanted, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "%" PetscInt_FMT " of %" PetscInt_FMT " eigenvalues found", found, wanted);
  for (PetscInt k = 0; k < wanted; k++) {
    PetscScalar value;

    PetscCall(EPSGetEigenvalue(eps, k, &value, NULL));
    *error = PetscMax(*error, PetscAbsReal(PetscRealPart(value) / (factor * exact[k]) - 1));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for singular values, by the eigenvalues of the product with the transpose */
static PetscErrorCode SolveSvd(Mat A, PetscInt wanted, const PetscReal *exact, PetscReal *error)
{
  SVD      svd;
  PetscInt found;

  PetscFunctionBeginUser;
  PetscCall(SVDCreate(PETSC_COMM_WORLD, &svd));
  PetscCall(SVDSetOperators(svd, A, NULL));
  PetscCall(SVDSetDimensions(svd, wanted, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(SVDSetWhichSingularTriplets(svd, SVD_SMALLEST));
  PetscCall(SVDSetFromOptions(svd));
  PetscCall(SVDSolve(svd));
  PetscCall(SVDGetConverged(svd, &found));
  PetscCheck(found >= wanted, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED, "%" PetscInt_FMT " of %" PetscInt_FMT " singular values found", found, wanted);
  for (PetscInt k = 0; k < wanted; k++) {
    PetscReal value;

    PetscCall(SVDGetSingularTriplet(svd, k, &value, NULL, NULL));
    *error = PetscMax(*error, PetscAbsReal(value / exact[k] - 1));
  }
  PetscCall(SVDDestroy(&svd));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt    m = 23, n = 18, wanted = 4;
  PetscReal   exact[23 * 18], error = 0;
  Mat         A, S;
  EPS         eps;
  ST          st;
  KSP         ksp;
  MatType     type, shifted;
  KSPType     solver;
  PetscMPIInt size;
  PetscBool   svd;

  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Laplacian(m, n, &A));
  PetscCall(Exact(m, n, exact));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-svd_type", &svd));
  if (svd) PetscCall(SolveSvd(A, wanted, exact, &error));
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, A, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_HEP));
  PetscCall(EPSSetDimensions(eps, wanted, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(EPSSetFromOptions(eps));
  PetscCall(Solve(eps, wanted, 1, exact, &error));
  PetscCall(MatScale(A, 2));
  PetscCall(EPSSetOperators(eps, A, NULL));
  PetscCall(Solve(eps, wanted, 2, exact, &error));
  PetscCall(EPSGetST(eps, &st));
  PetscCall(STGetKSP(st, &ksp));
  PetscCall(KSPGetType(ksp, &solver));
  PetscCall(KSPGetOperators(ksp, &S, NULL));
  PetscCall(MatGetType(A, &type));
  PetscCall(MatGetType(S, &shifted));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "matrix %s shifted %s solver %s ranks %d: %s\n", type, shifted, solver, size,
                        error < 1e-7 ? "values exact" : "WRONG values"));
  PetscCall(EPSDestroy(&eps));
  PetscCall(MatDestroy(&A));
  PetscCall(SlepcFinalize());
  return 0;
}
