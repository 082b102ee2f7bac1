static char help[] =
  "sellp: matrices of shapes that other tests do not have, against AIJ: dense rows, long columns, empty slices, lengths by a power law, columns far apart; point-block Jacobi.\n";

#include "common/check.h"
#include "common/problem.h"
#include <petscksp.h>

/* The diagonal after values changed where the format has them */
static PetscErrorCode SameDiagonal(Mat M[2])
{
  Vec d[2];

  PetscFunctionBeginUser;
  for (int t = 0; t < 2; t++) {
    PetscCall(MatCreateVecs(M[t], &d[t], NULL));
    PetscCall(MatGetDiagonal(M[t], d[t]));
  }
  PetscCall(CheckVec(d[0], d[1], CHECK_TOLERANCE, "the diagonal"));
  for (int t = 0; t < 2; t++) PetscCall(VecDestroy(&d[t]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries that the patterns of problem.h do not have: (i, j) for every i >= 0, j in [0, width) that has() says */
static PetscErrorCode Shape(const char name[], PetscInt rows, PetscInt cols, PetscInt bs, PetscBool (*has)(PetscInt, PetscInt), PetscInt width,
                            PetscInt (*column)(PetscInt, PetscInt))
{
  const char *const types[2] = {"sellp", MATAIJ};
  Mat               M[2];
  PetscInt          lo, hi;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%s", name));
  for (int t = 0; t < 2; t++) {
    PetscCall(MatCreate(PETSC_COMM_WORLD, &M[t]));
    PetscCall(MatSetSizes(M[t], PETSC_DECIDE, PETSC_DECIDE, rows, cols));
    PetscCall(MatSetBlockSize(M[t], bs));
    PetscCall(MatSetType(M[t], types[t]));
    PetscCall(MatSetFromOptions(M[t]));
    PetscCall(MatSetUp(M[t]));
    PetscCall(MatGetOwnershipRange(M[t], &lo, &hi));
    for (PetscInt i = lo; i < hi; i++)
      for (PetscInt k = 0; k < width; k++)
        if (has(i, k) && column(i, k) >= 0 && column(i, k) < cols)
          PetscCall(MatSetValue(M[t], i, column(i, k), (PetscScalar)((PetscReal)ProblemHash(3, i, column(i, k)) / 2147483648.0 - 1.0), INSERT_VALUES));
    PetscCall(CheckAssemble(M[t]));
  }
  PetscCall(CheckMat(M[0], M[1], "as assembled"));
  for (int t = 0; t < 2; t++) PetscCall(MatScale(M[t], (PetscScalar)-0.5));
  PetscCall(CheckMat(M[0], M[1], "scaled"));
  if (rows == cols) PetscCall(SameDiagonal(M));
  for (int t = 0; t < 2; t++) PetscCall(MatDestroy(&M[t]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool Always(PetscInt i, PetscInt k)
{
  (void)i, (void)k;
  return PETSC_TRUE;
}

static PetscBool OneDense(PetscInt i, PetscInt k)
{
  return (PetscBool)(i == 601 || k < 3);
}

/* rows 100 to 899 are empty: whole slices without an entry */
static PetscBool Gap(PetscInt i, PetscInt k)
{
  (void)k;
  return (PetscBool)(i < 100 || i >= 900);
}

/* lengths fall by a power law */
static PetscBool Power(PetscInt i, PetscInt k)
{
  return (PetscBool)(k <= 400 / (1 + i % 97));
}

/* two of three entries of each block */
static PetscBool Partly(PetscInt i, PetscInt k)
{
  return (PetscBool)((i + k) % 3 != 1);
}

static PetscInt Near(PetscInt i, PetscInt k)
{
  return i + k;
}

static PetscInt Every(PetscInt i, PetscInt k)
{
  (void)i;
  return k;
}

static PetscInt OwnThenEvery(PetscInt i, PetscInt k)
{
  return i == 601 ? k : i - 1 + k;
}

static PetscInt Far(PetscInt i, PetscInt k)
{
  return i + 69997 * k;
}

static PetscInt Aligned(PetscInt i, PetscInt k)
{
  return i / 3 * 3 + k;
}

/* column 0 has an entry in every row, row 601 in every column */
static PetscInt Arrow(PetscInt i, PetscInt k)
{
  return i == 601 ? k : k ? i + k : 0;
}

/* so has block column 0 */
static PetscInt ArrowOfBlocks(PetscInt i, PetscInt k)
{
  return k < 3 ? k : i / 3 * 3 + k - 3;
}

static PetscErrorCode Shapes(void)
{
  PetscFunctionBeginUser;
  PetscCall(Shape("one dense row", 1500, 1500, 1, OneDense, 1500, OwnThenEvery));
  PetscCall(Shape("empty slices", 1000, 1000, 1, Gap, 5, Near));
  PetscCall(Shape("power law", 1000, 1000, 1, Power, 401, Near));
  PetscCall(Shape("columns far apart", 70, 150000, 1, Always, 3, Far));
  PetscCall(Shape("one row", 1, 300, 1, Always, 300, Every));
  PetscCall(Shape("one column", 300, 1, 1, Always, 1, Every));
  PetscCall(Shape("blocks partly filled", 300, 300, 3, Partly, 9, Aligned));
  PetscCall(Shape("a long column", 300, 300, 1, Always, 4, Arrow));
  PetscCall(Shape("a longer column and a dense row", 5000, 5000, 1, OneDense, 5000, Arrow));
  PetscCall(Shape("a long block column", 1500, 1500, 3, Always, 6, ArrowOfBlocks));
  PetscCall(Shape("tall", 500, 77, 1, Always, 4, Near));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Point-block Jacobi takes the blocks: as many iterations and the same solution as with AIJ */
static PetscErrorCode PointBlocks(void)
{
  const Problem p        = {.pattern = "gh", .bs = 3, .rows = 60, .cols = 60, .seed = 1, .symmetric = PETSC_TRUE, .diagonal = 40};
  const char   *types[2] = {"sellp", MATAIJ};
  PetscInt      its[2];
  Vec           b, x[2];

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("pbjacobi"));
  for (int t = 0; t < 2; t++) {
    Mat A;
    KSP ksp;

    PetscCall(ProblemCreate(PETSC_COMM_WORLD, &p, types[t], &A));
    PetscCall(CheckVecs(A, &x[t], 0, &b, 5));
    PetscCall(CheckKSPCreate(A, KSPCG, PCPBJACOBI, PETSC_CURRENT, PETSC_CURRENT, &ksp));
    PetscCall(CheckKSPSolve(ksp, b, x[t], &its[t], NULL));
    PetscCall(CheckDestroy(&ksp, &b, &A));
  }
  PetscCall(CheckTrue(its[0] == its[1] && its[0] > 1, "iterations"));
  PetscCall(CheckVec(x[0], x[1], 1000 * CHECK_TOLERANCE, "solution"));
  for (int t = 0; t < 2; t++) PetscCall(VecDestroy(&x[t]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(Shapes());
  PetscCall(PointBlocks());
  return CheckFinish("sellp");
}

/*TEST
  testset:
    nsize: {{1 2 4}}
    output_file: output/sellp_shapes.out
    test:
      suffix: 1
    test:
      suffix: c64
      args: -mat_sellp_slice_height 64 -mat_sellp_sort_window 4096 -mat_sellp_max_fill 3 -mat_sellp_index 16
    test:
      suffix: cuda
      requires: cuda
    test:
      suffix: c64_cuda
      requires: cuda
      args: -mat_sellp_slice_height 64 -mat_sellp_sort_window 4096 -mat_sellp_max_fill 3 -mat_sellp_index 16

  test:
    suffix: 2
    comments: quick
    nsize: 2
    output_file: output/sellp_shapes.out
TEST*/
