static char help[] = "Packages that read the compressed rows past PETSc's interfaces see values that were just set where the products run.\n";

#include "common/loop.h"
#include "common/ways.h"
#include <petsc/private/matimpl.h>

/* A package that takes the array of a matrix when it first meets it, as UMFPACK and others take the pointer inside the matrix, and "solves" by the sum of its values */
static const PetscScalar *array = NULL;
static PetscInt           entries, numeric_calls;
static PetscScalar        sum;

static PetscErrorCode Solve(Mat F, Vec b, Vec x)
{
  PetscFunctionBeginUser;
  (void)F;
  PetscCall(VecCopy(b, x));
  PetscCall(VecScale(x, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Numeric(Mat F, Mat A, const MatFactorInfo *info)
{
  PetscFunctionBeginUser;
  (void)A;
  (void)info;
  numeric_calls++;
  sum = 0;
  for (PetscInt k = 0; k < entries; k++) sum += array[k] * (PetscScalar)(1 + k % 3);
  F->ops->solve = Solve;
  F->assembled  = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Symbolic(Mat F, Mat A, IS row, IS col, const MatFactorInfo *info)
{
  PetscFunctionBeginUser;
  (void)A;
  (void)row;
  (void)col;
  (void)info;
  F->ops->lufactornumeric = Numeric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetFactor(Mat A, MatFactorType type, Mat *F)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, F));
  PetscCall(MatSetSizes(*F, A->rmap->n, A->cmap->n, A->rmap->n, A->cmap->n));
  PetscCall(PetscStrallocpy(MATSOLVERUMFPACK, &((PetscObject)*F)->type_name));
  PetscCall(MatSetUp(*F));
  (*F)->ops->lufactorsymbolic = Symbolic;
  (*F)->factortype            = type;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values are set again between the phases: by coordinates c, or doubled where there are none */
static PetscErrorCode Factor(const Problem *p, Coo *c, Mat A, PetscScalar *result)
{
  Mat           F;
  MatFactorInfo info;
  MatInfo       used;
  Vec           b, x;

  PetscFunctionBeginUser;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &used));
  entries = (PetscInt)used.nz_used;
  PetscCall(MatSeqAIJGetArrayRead(A, &array));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &(const PetscScalar *){array}));
  numeric_calls = 0;
  PetscCall(MatFactorInfoInitialize(&info));
  PetscCall(MatGetFactor(A, MATSOLVERUMFPACK, MAT_FACTOR_LU, &F));
  PetscCall(MatLUFactorSymbolic(F, A, NULL, NULL, &info));
  if (c) PetscCall(CooSet(p, c, 2.0, INSERT_VALUES, A));
  else PetscCall(MatScale(A, 2.0));
  PetscCall(MatLUFactorNumeric(F, A, &info));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, A->rmap->n, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecSet(b, 1.0));
  PetscCall(MatSolve(F, b, x));
  PetscCall(VecSum(x, result));
  PetscCall(CheckDestroy(&b, &x, &F));
  PetscCall(CheckTrue(numeric_calls == 1, "the package was called"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Packages(const Problem *p, Mat A, Mat R)
{
  PetscScalar result[2];
  Mat         B;
  Coo         c;

  PetscFunctionBeginUser;
  (void)A;
  PetscCall(WithCoordinates(p, R, &B, &c));
  PetscCall(Factor(p, &c, B, &result[0]));
  PetscCall(Factor(p, NULL, R, &result[1]));
  PetscCall(CheckReal(PetscRealPart(result[0]), PetscRealPart(result[1]), CHECK_TOLERANCE, "what the package read"));
  PetscCall(CooDestroy(&c));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatSolverTypeRegister(MATSOLVERUMFPACK, MATSEQAIJ, MAT_FACTOR_LU, GetFactor));
  PetscCall(CheckLoop(CHECK_SQUARE, Packages));
  return CheckFinish("package");
}

/*TEST
  testset:
    args: -bs 1,3 -pattern gh,wells,random
    output_file: output/package.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
    test:
      suffix: cuda
      requires: cuda
      args: -expect_cuda -device_values
TEST*/
