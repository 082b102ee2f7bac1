static char help[] =
  "Operations that change values in the format: right after values were set in each way, against AIJ, and nothing is filled anew or brought back.\n";

#include "common/change.h"
#include "common/coo.h"
#include "common/loop.h"
#include "common/moves.h"

typedef enum { ASSEMBLED, MULTIPLIED, COO_SET, COO_MULTIPLIED, SCALED, SEEN, WAYS } Way;
static const char *const ways[] = {"MatSetValues", "a product", "COO", "COO and a product", "MatScale", "MatScale and rows read"};

/* Values in that way; M is of the type under test or AIJ */
static PetscErrorCode SetValues(const Problem *p, Way way, MatType type, Mat *M)
{
  PetscBool device = CheckOption("-device_values");
  Coo       c;
  Mat       R;
  Vec       x, y;
  PetscReal norm;

  PetscFunctionBeginUser;
  if (way != COO_SET && way != COO_MULTIPLIED) PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, type, M));
  else {
    PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, MATAIJ, &R));
    PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, type, M));
    PetscCall(CooCreate(p, R, COO_BLOCKS, (PetscBool)(device && !type), &c));
    PetscCall(MatSetPreallocationCOO(*M, c.n, c.i, c.j));
    PetscCall(CooSet(p, &c, 1.0, INSERT_VALUES, *M));
    PetscCall(CooDestroy(&c));
    PetscCall(MatDestroy(&R));
  }
  if (way != ASSEMBLED && way != COO_SET) {
    PetscCall(MatCreateVecs(*M, &x, &y));
    PetscCall(VecSet(x, 1.0));
    PetscCall(MatMult(*M, x, y));
    PetscCall(CheckDestroy(&x, &y));
  }
  if (way == SCALED || way == SEEN) PetscCall(MatScale(*M, -1.5));
  if (way == SEEN) PetscCall(MatNorm(*M, NORM_INFINITY, &norm));
  PetscCall(MatSetOption(*M, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatSetOption(*M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE)); /* the diagonal may have to be added */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After products with A and D nothing is filled and nothing brought back by a change and another product */
static PetscErrorCode CheckMoves(Step step, Mat A, Mat D, Mat E, PetscBool diagonal, Vec b)
{
  PetscInt before, after;
  Vec      x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1.0));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatMult(D, x, y));
  PetscCall(Moves(&before));
  PetscCall(Change(step, A, D, E, diagonal, b));
  PetscCall(MatMult(A, x, y));
  PetscCall(Moves(&after));
  PetscCall(CheckTrue(after == before, CheckText("%s, %" PetscInt_FMT " fills or returns", steps[step], after - before)));
  PetscCall(CheckDestroy(&x, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One change of A and of R, with matrices of their own types */
static PetscErrorCode CheckStep(const Problem *p, Way way, Step step, PetscBool diagonal)
{
  Mat       M[2], D[2], E[2] = {NULL, NULL};
  Vec       b[2], d[2];
  PetscReal norm[2];
  Problem   q     = *p;
  PetscBool moves = PETSC_TRUE;

  PetscFunctionBeginUser;
  q.seed += 30;
  const char *const text = CheckText("%s after %s", steps[step], ways[way]);
  for (int k = 0; k < 2; k++) {
    PetscCall(SetValues(p, way, k ? MATAIJ : NULL, &M[k]));
    if (ChangeReadsOther(step)) PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, k ? MATAIJ : NULL, &E[k]));
    PetscCall(MatDuplicate(M[k], MAT_COPY_VALUES, &D[k]));
    if (way == COO_MULTIPLIED) PetscCall(MatScale(D[k], 1.25)); /* its values are in the format alone */
    PetscCall(CheckVecs(M[k], &d[k], 0, &b[k], 23));
    PetscCall(Change(step, M[k], D[k], E[k], diagonal, b[k]));
    PetscCall(MatNorm(M[k], NORM_FROBENIUS, &norm[k]));
    PetscCall(MatGetDiagonal(M[k], d[k]));
  }
  PetscCall(CheckReal(norm[0], norm[1], CHECK_TOLERANCE, text));
  PetscCall(CheckVec(d[0], d[1], CHECK_TOLERANCE, text));
  PetscCall(CheckVec(b[0], b[1], CHECK_TOLERANCE, text));
  PetscCall(CheckMat(M[0], M[1], text));
  for (int k = 0; k < 2; k++) PetscCall(Change(SCALE_BOTH, M[k], D[k], E[k], diagonal, b[k])); /* after the rows have been read */
  PetscCall(CheckMat(M[0], M[1], text));
  PetscCall(CheckMat(D[0], D[1], text));
  if (E[0]) PetscCall(CheckMat(E[0], E[1], text));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-moves", &moves, NULL));
  if (moves && step != ROWS_DROPPED && (diagonal || (step != SHIFT && step != SET && step != ADD)))
    PetscCall(CheckMoves(step, M[0], D[0], E[0], diagonal, b[0]));
  PetscCall(CheckDestroy(&M[0], &D[0], &E[0], &b[0], &d[0], &M[1], &D[1], &E[1], &b[1], &d[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A graph as GAMG makes it: a duplicate of a matrix that has been multiplied, which is scaled and read and never multiplied itself. Nothing is filled for it, nothing brought back. */
static PetscErrorCode CheckGraph(Mat A, Mat R)
{
  Mat       G[2];
  Vec       d[2], b[2];
  PetscReal norm[2];
  PetscInt  before, after;
  PetscBool moves = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-moves", &moves, NULL));
  for (int k = 0; k < 2; k++) {
    Mat M = k ? R : A;

    PetscCall(CheckVecs(M, &d[k], 29, &b[k], 0));
    PetscCall(MatMult(M, d[k], b[k]));
    PetscCall(CheckVecFill(b[k], 31));
    PetscCall(Moves(&before));
    PetscCall(MatDuplicate(M, MAT_COPY_VALUES, &G[k]));
    PetscCall(MatGetDiagonal(G[k], d[k]));
    PetscCall(MatDiagonalScale(G[k], b[k], b[k]));
    PetscCall(MatNorm(G[k], NORM_INFINITY, &norm[k]));
    PetscCall(Moves(&after));
    if (moves && !k) PetscCall(CheckTrue(after == before, "a graph that is scaled and read is filled or brought back"));
  }
  PetscCall(CheckReal(norm[0], norm[1], CHECK_TOLERANCE, "norm of a scaled duplicate"));
  PetscCall(CheckVec(d[0], d[1], CHECK_TOLERANCE, "diagonal of a duplicate"));
  PetscCall(CheckMat(G[0], G[1], "a scaled duplicate"));
  PetscCall(CheckDestroy(&G[0], &d[0], &b[0], &G[1], &d[1], &b[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every change after every way, a third of these pairs in each distribution: every change and every way is in all of them */
static PetscErrorCode Changes(const Problem *p, Mat A, Mat R)
{
  PetscBool diagonal;

  PetscFunctionBeginUser;
  PetscCall(PetscLogDefaultBegin());
  PetscCall(CheckGraph(A, R));
  PetscCall(HasDiagonal(R, &diagonal));
  for (int way = 0; way < WAYS; way++)
    for (int step = 0; step < STEPS; step++)
      if ((way + step) % 3 == p->split) PetscCall(CheckStep(p, (Way)way, (Step)step, diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, Changes, "change")

/*TEST
  testset:
    nsize: {{1 2}}
    args: -bs 1,3 -pattern wells,random
    output_file: output/change.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
    test:
      suffix: host_values_cuda
      requires: cuda
      args: -expect_cuda
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values

  # products on the host from compressed rows bring values back each time
  test:
    suffix: in_format
    nsize: {{1 2}}
    args: -bs 1,3 -pattern wells,random -heptane_test_changes_in_format -moves 0 -mat_type {{bdiagh sellp}}
    output_file: output/change_in_format.out

  # rows without entries, without diagonal, and ranks without rows
  testset:
    nsize: {{1 4}}
    args: -bs 2,5 -pattern empty,inactive,shifted,arrow
    output_file: output/change_holes.out
    test:
      suffix: holes
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: holes_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  test:
    suffix: 4
    nsize: 4
    args: -bs 4 -pattern ragged -mat_type {{bdiagh sellp}}
    output_file: output/change_4.out
TEST*/
