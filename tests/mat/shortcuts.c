static char help[] =
  "The first product with new values is made from compressed rows, whatever changed them; the second makes the format; small matrices have none.\n";

#include "common/check.h"
#include "common/moves.h"
#include "common/problem.h"

typedef enum { MULT, ADD, TRANSPOSE, TRANSPOSE_ADD, PRODUCTS } Product;
static const char *const products[] = {"MatMult", "MatMultAdd", "MatMultTranspose", "MatMultTransposeAdd"};

static PetscErrorCode Multiply(Mat A, Product product, Vec x, Vec y)
{
  PetscFunctionBeginUser;
  PetscCall(VecSet(y, 0.25));
  if (product == MULT) PetscCall(MatMult(A, x, y));
  if (product == ADD) PetscCall(MatMultAdd(A, x, y, y));
  if (product == TRANSPOSE) PetscCall(MatMultTranspose(A, x, y));
  if (product == TRANSPOSE_ADD) PetscCall(MatMultTransposeAdd(A, x, y, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The changes; each is made to A and to the reference. The last ones write compressed rows alone, also where the format is up to date. */
typedef enum { NONE, SCALE, SHIFT, DIAGONAL_SCALE, AXPY, ZERO_ROWS, SET_VALUE, ZERO_ROWS_COLUMNS, ARRAY, CHANGES } Change;
static const char *const changes[] = {"nothing",     "MatScale",    "MatShift",           "MatDiagonalScale",    "MatAXPY",
                                      "MatZeroRows", "MatSetValue", "MatZeroRowsColumns", "the array of a block"};

static PetscErrorCode Make(Mat A, Change change, Vec x)
{
  PetscInt     first, end;
  PetscBool    parallel;
  Mat          block = A, B;
  PetscScalar *a;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  switch (change) {
  case SCALE:
    PetscCall(MatScale(A, 1.5));
    break;
  case SHIFT:
    PetscCall(MatShift(A, 0.5));
    break;
  case DIAGONAL_SCALE:
    PetscCall(MatDiagonalScale(A, x, x));
    break;
  case AXPY:
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(MatAXPY(A, 0.5, B, SAME_NONZERO_PATTERN));
    PetscCall(MatDestroy(&B));
    break;
  case ZERO_ROWS:
    PetscCall(MatZeroRows(A, 1, &first, 3.0, NULL, NULL));
    break;
  case ZERO_ROWS_COLUMNS:
    PetscCall(MatZeroRowsColumns(A, 1, &first, 3.0, NULL, NULL));
    break;
  case SET_VALUE:
    PetscCall(MatSetValue(A, first, first, 7.0, INSERT_VALUES));
    PetscCall(CheckAssemble(A));
    break;
  case ARRAY:
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &parallel));
    if (parallel) PetscCall(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
    PetscCall(MatSeqAIJGetArray(block, &a));
    a[0] += 2.0;
    PetscCall(MatSeqAIJRestoreArray(block, &a));
    PetscCall(CheckAssemble(A));
    break;
  default:
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products one to three, and what else reads the values between them */
static PetscErrorCode CompareShortcut(Mat A, Mat R, PetscInt fills[], Vec x, Product product, const char what[])
{
  Vec y, r;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecDuplicate(x, &r));
  PetscCall(Multiply(R, product, x, r));
  for (int k = 0; k < 3; k++) {
    PetscInt before, after;

    PetscCall(Moves(&before));
    PetscCall(Multiply(A, product, x, y));
    PetscCall(Moves(&after));
    fills[k] = after - before;
    PetscCall(CheckVec(y, r, CHECK_TOLERANCE, CheckText("%s after %s, product %d", products[product], what, k + 1)));
    if (product == ADD) continue;
    PetscCall(MatGetDiagonal(A, y));
    PetscCall(MatGetDiagonal(R, r));
    PetscCall(CheckVec(y, r, CHECK_TOLERANCE, CheckText("diagonal after %s, product %d", what, k + 1)));
    PetscCall(Multiply(R, product, x, r));
  }
  PetscCall(CheckDestroy(&y, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* small: no matrix has a format */
static PetscErrorCode OnePattern(PetscInt cells, PetscBool small)
{
  Problem  p = {"gh", 3, cells, cells, 0, 0, 1, PETSC_FALSE, 20};
  Mat      A, R;
  Vec      x;
  PetscInt fills[3];

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%" PetscInt_FMT " rows", ProblemRows(&p)));
  for (int product = MULT; product < PRODUCTS; product++)
    for (int change = NONE; change < CHANGES; change++) {
      PetscCall(ProblemCreate(PETSC_COMM_WORLD, &p, NULL, &A));
      PetscCall(ProblemCreate(PETSC_COMM_WORLD, &p, MATAIJ, &R));
      PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
      PetscCall(MatSetOption(R, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
      PetscCall(MatCreateVecs(R, &x, NULL));
      PetscCall(VecSet(x, 1.25));
      for (int round = 0; round < 2; round++) { /* of new values, and of values that the format had before the change */
        PetscCall(Make(A, round ? (Change)change : NONE, x));
        PetscCall(Make(R, round ? (Change)change : NONE, x));
        PetscCall(CompareShortcut(A, R, fills, x, (Product)product, round ? changes[change] : "assembly"));
        const char *const text = CheckText("%s after %s: fills", products[product], round ? changes[change] : "assembly");
        if (small) PetscCall(CheckTrue(!fills[0] && !fills[1] && !fills[2], text));
        else PetscCall(CheckTrue(!fills[0] && (fills[1] > 0) == (!round || change >= ZERO_ROWS_COLUMNS) && !fills[2], text));
      }
      PetscCall(CheckDestroy(&x, &A, &R));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  size = CheckProcesses();
  PetscCall(PetscLogDefaultBegin());
  PetscCall(OnePattern(24, PETSC_TRUE));
  PetscCall(OnePattern(120 * size, PETSC_FALSE));
  return CheckFinish("shortcuts");
}

/*TEST
  testset:
    nsize: {{1 2}}
    args: -heptane_shortcuts -heptane_device host
    output_file: output/shortcuts.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
TEST*/
