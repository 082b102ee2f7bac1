static char help[] = "Factorisations, relaxation and inverse blocks of one process, again after the values changed, against AIJ.\n";

#include "common/loop.h"

/* The factor knows the values of its last numeric phase, in transposed solves too, and not those the matrix got since */
static PetscErrorCode SolveTranspose(const Mat F[2], const Vec x[2], const char what[])
{
  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    Vec rhs;

    PetscCall(CheckVecLike(x[k], 84, &rhs));
    PetscCall(MatSolveTranspose(F[k], rhs, x[k]));
    PetscCall(VecDestroy(&rhs));
  }
  PetscCall(CheckVec(x[0], x[1], 10 * CHECK_TOLERANCE, CheckText("%s, transposed", what)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factor, solve; change the values, factor the same pattern, solve; and once more */
static PetscErrorCode Factor(const Problem *p, Mat A, Mat R, MatFactorType type, PetscReal levels, MatSolverType solver, const char what[])
{
  Mat           F[2], M[2] = {A, R};
  Vec           b, x[2];
  IS            row, col;
  MatFactorInfo info;
  Problem       q = *p;

  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  info.levels = levels;
  info.fill   = 5;
  PetscCall(MatGetOrdering(R, MATORDERINGNATURAL, &row, &col));
  PetscCall(CheckVecs(R, &b, 81, NULL, 0));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatGetFactor(M[k], solver, type, &F[k]));
    PetscCall(MatCreateVecs(M[k], &x[k], NULL));
    switch (type) {
    case MAT_FACTOR_LU:
      PetscCall(MatLUFactorSymbolic(F[k], M[k], row, col, &info));
      break;
    case MAT_FACTOR_ILU:
      PetscCall(MatILUFactorSymbolic(F[k], M[k], row, col, &info));
      break;
    case MAT_FACTOR_ICC:
      PetscCall(MatICCFactorSymbolic(F[k], M[k], row, &info));
      break;
    default:
      PetscCall(MatCholeskyFactorSymbolic(F[k], M[k], row, &info));
      break;
    }
  }
  for (int again = 0; again < 3; again++) {
    for (int k = 0; k < 2; k++) {
      Vec rhs;

      if (type == MAT_FACTOR_LU || type == MAT_FACTOR_ILU) PetscCall(MatLUFactorNumeric(F[k], M[k], &info));
      else PetscCall(MatCholeskyFactorNumeric(F[k], M[k], &info));
      PetscCall(CheckVecLike(x[k], 81, &rhs));
      PetscCall(MatSolve(F[k], rhs, x[k]));
      PetscCall(VecDestroy(&rhs));
    }
    PetscCall(CheckVec(x[0], x[1], 10 * CHECK_TOLERANCE, what));
    q.seed += 80;
    PetscCall(ProblemFill(&q, A));
    PetscCall(ProblemFill(&q, R));
    if (type == MAT_FACTOR_LU || type == MAT_FACTOR_ILU) PetscCall(SolveTranspose(F, x, what));
  }
  PetscCall(CheckDestroy(&F[0], &x[0], &F[1], &x[1], &b, &row, &col));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix becomes its own factor */
static PetscErrorCode InPlace(Mat A, Mat R, PetscBool incomplete)
{
  Mat           D, E;
  Vec           b, x, br, xr;
  IS            row, col;
  MatFactorInfo info;

  PetscFunctionBeginUser;
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = incomplete ? 1 : 5;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &D));
  PetscCall(MatDuplicate(R, MAT_COPY_VALUES, &E));
  PetscCall(CheckVecs(D, &x, 0, &b, 82));
  PetscCall(CheckVecs(E, &xr, 0, &br, 82));
  PetscCall(MatGetOrdering(E, MATORDERINGNATURAL, &row, &col));
  PetscCall((incomplete ? MatILUFactor : MatLUFactor)(D, row, col, &info));
  PetscCall((incomplete ? MatILUFactor : MatLUFactor)(E, row, col, &info));
  PetscCall(MatSolve(D, b, x));
  PetscCall(MatSolve(E, br, xr));
  PetscCall(CheckVec(x, xr, 10 * CHECK_TOLERANCE, incomplete ? "MatILUFactor in place" : "MatLUFactor in place"));
  PetscCall(CheckDestroy(&row, &col, &x, &b, &xr, &br, &D, &E));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Relax(const Problem *p, Mat A, Mat R)
{
  const MatSORType   sweeps[] = {SOR_FORWARD_SWEEP, SOR_BACKWARD_SWEEP, SOR_SYMMETRIC_SWEEP};
  const PetscScalar *a, *r;
  PetscBool          same = PETSC_TRUE;
  Vec                b, x, br, xr;

  PetscFunctionBeginUser;
  PetscCall(CheckVecs(A, &x, 0, &b, 83));
  PetscCall(CheckVecs(R, &xr, 0, &br, 83));
  for (int k = 0; k < 3; k++) {
    PetscCall(VecSet(x, 0.5));
    PetscCall(VecSet(xr, 0.5));
    PetscCall(MatSOR(A, b, 1.1, sweeps[k], 0.0, 2, 1, x));
    PetscCall(MatSOR(R, br, 1.1, sweeps[k], 0.0, 2, 1, xr));
    PetscCall(CheckVec(x, xr, 10 * CHECK_TOLERANCE, "MatSOR"));
  }
  PetscCall(MatInvertBlockDiagonal(A, &a));
  PetscCall(MatInvertBlockDiagonal(R, &r));
  for (PetscInt k = 0; k < p->rows * p->bs * (p->ragged ? 1 : p->bs); k++)
    if (!(PetscAbsScalar(a[k] - r[k]) <= CHECK_TOLERANCE)) same = PETSC_FALSE;
  PetscCall(CheckTrue(same, "MatInvertBlockDiagonal"));
  PetscCall(CheckDestroy(&x, &b, &xr, &br));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix whose diagonal blocks PETSc's own PCPBJACOBI inverts, which only it asks for: on the device one of PETSc's CUDA type, otherwise the matrix itself; then with other values */
static PetscErrorCode BlockDiagonal(Mat A, Mat R)
{
  const PetscScalar scale[] = {1, 2, 0.5};
  PetscErrorCode (*get)(Mat, Mat *);
  PetscInt b, lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOperation(A, MATOP_GET_BLOCK_DIAGONAL, (PetscErrorCodeFn **)&get));
  PetscCall(MatGetBlockSize(A, &b));
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (int k = 0; k < 3; k++) {
    PetscBool same = PETSC_TRUE;
    Mat       D;

    PetscCall(MatScale(A, scale[k]));
    PetscCall(MatScale(R, scale[k]));
    if (get) PetscCall((*get)(A, &D));
    else PetscCall(PetscObjectReference((PetscObject)(D = A)));
    for (PetscInt i = lo; i < hi; i++)
      for (PetscInt j = lo + (i - lo) / b * b, s = 0; s < b; s++, j++) {
        PetscScalar d, r;

        PetscCall(MatGetValues(D, 1, &i, 1, &j, &d));
        PetscCall(MatGetValues(R, 1, &i, 1, &j, &r));
        if (d != r) same = PETSC_FALSE;
      }
    PetscCall(CheckTrue(same, "the matrix of diagonal blocks"));
    PetscCall(MatDestroy(&D));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* AIJ that has found its inodes becomes the type in place, is factored, gets new values, is factored again */
static PetscErrorCode Converted(const Problem *p, Mat A, Mat R)
{
  Mat     B;
  MatType type;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(A, &type));
  for (int incomplete = 0; incomplete < 2; incomplete++) {
    PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, MATAIJ, &B));
    PetscCall(MatSetUp(B));
    PetscCall(ProblemFill(p, B));
    PetscCall(ProblemFill(p, A));
    PetscCall(ProblemFill(p, R));
    PetscCall(MatConvert(B, type, MAT_INPLACE_MATRIX, &B));
    PetscCall(
      Factor(p, B, R, incomplete ? MAT_FACTOR_ILU : MAT_FACTOR_LU, 0, NULL, incomplete ? "MatILUFactor after MatConvert" : "MatLUFactor after MatConvert"));
    PetscCall(CheckMat(B, R, "converted, factored, set again"));
    PetscCall(MatDestroy(&B));
  }
  PetscCall(ProblemFill(p, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Factors(const Problem *p, Mat A, Mat R)
{
  PetscFunctionBeginUser;
  PetscCall(Relax(p, A, R));
  PetscCall(BlockDiagonal(A, R));
  PetscCall(Factor(p, A, R, MAT_FACTOR_LU, 0, NULL, "MatLUFactor"));
  PetscCall(Factor(p, A, R, MAT_FACTOR_ILU, 0, NULL, "MatILUFactor, level 0"));
  PetscCall(Factor(p, A, R, MAT_FACTOR_ILU, 1, NULL, "MatILUFactor, level 1"));
  PetscCall(Factor(p, A, R, MAT_FACTOR_CHOLESKY, 0, NULL, "MatCholeskyFactor"));
  PetscCall(Factor(p, A, R, MAT_FACTOR_ICC, 0, NULL, "MatICCFactor"));
  PetscCall(Factor(p, A, R, MAT_FACTOR_ICC, 2, NULL, "MatICCFactor, level 2"));
  PetscCall(Factor(p, A, R, MAT_FACTOR_ILU, 0, MATSOLVERPETSC, "MatILUFactor, level 0, by name"));
  PetscCall(Factor(p, A, R, MAT_FACTOR_ICC, 0, MATSOLVERPETSC, "MatICCFactor, by name"));
  PetscCall(InPlace(A, R, PETSC_FALSE));
  PetscCall(InPlace(A, R, PETSC_TRUE));
  PetscCall(CheckMat(A, R, "the factored matrix"));
  PetscCall(Converted(p, A, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Factors, "factor")

/*TEST
  testset:
    args: -bs 1,2,5,8 -symmetric -diagonal 200 -pattern gh,inactive,wells,holes,diagonal,ragged
    output_file: output/factor.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
    test:
      suffix: rows
      args: -mat_type {{bdiagh sellp}} -heptane_test_csr_copies_on_host
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda
TEST*/
