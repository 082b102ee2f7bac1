static char help[] =
  "Value arrays that a program has: it finds in them what operations change, and what it writes into them counts, whatever changed values before; as with AIJ.\n";

#include "common/change.h"
#include "common/given_arrays.h"
#include "common/loop.h"
#include "common/set_values.h"

/* The changes of change.h, and others */
typedef enum { SCALE_ALL = STEPS, ZERO_ALL, SOME, COO_GIVEN, CHANGES } ProgramChange;
static const char *const changes[] = {"MatScale", "MatZeroEntries", "MatSetValues", "MatSetPreallocationCOO"};

/* Of the entries that R has in its rows, with these values */
static PetscErrorCode SetCOO(Mat R, Mat M)
{
  Arrays    a;
  PetscInt *i, lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(R, &lo, &hi));
  PetscCall(ArraysOfRows(R, &a));
  PetscCall(PetscMalloc1(a.n[0], &i));
  for (PetscInt r = lo; r < hi; r++)
    for (PetscInt e = a.i[0][r - lo]; e < a.i[0][r - lo + 1]; e++) i[e] = r;
  PetscCall(MatSetPreallocationCOO(M, a.n[0], i, a.j[0]));
  PetscCall(MatSetValuesCOO(M, a.v[0], INSERT_VALUES));
  PetscCall(MatSetValuesCOO(M, a.v[0], ADD_VALUES));
  PetscCall(PetscFree(i));
  for (int k = 0; k < 2; k++) PetscCall(PetscFree3(a.i[k], a.j[k], a.v[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* R: AIJ, with the entries that M had */
static PetscErrorCode DoChange(const Problem *p, int change, Mat R, Mat M, Mat D, Mat E)
{
  Vec b;

  PetscFunctionBeginUser;
  switch (change) {
  case SCALE_ALL:
    PetscCall(MatScale(M, -1.5));
    break;
  case ZERO_ALL:
    PetscCall(MatZeroEntries(M));
    break;
  case SOME:
    PetscCall(SetSome(p, ONE, INSERT_VALUES, 7, M));
    break;
  case COO_GIVEN:
    PetscCall(SetCOO(R, M));
    break;
  default:
    PetscCall(MatCreateVecs(M, NULL, &b));
    PetscCall(VecSet(b, 1.0));
    PetscCall(Change((Step)change, M, D, E, PETSC_TRUE, b));
    PetscCall(VecDestroy(&b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The program finds the same in its arrays */
static PetscErrorCode CheckSeen(const Arrays *a, const Arrays *r, const char text[])
{
  PetscFunctionBeginUser;
  const char *const what = CheckText("%s, the arrays", text);
  for (int k = 0; k < 2; k++) {
    PetscBool good = PETSC_TRUE;

    for (PetscInt e = 0; e < r->n[k]; e++)
      if (!(PetscAbsScalar(a->v[k][e] - r->v[k][e]) <= CHECK_TOLERANCE * (1 + PetscAbsScalar(r->v[k][e])))) good = PETSC_FALSE;
    PetscCall(CheckTrue(good, what));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every value in the first n of the arrays */
static void Write(Arrays *a, PetscScalar add)
{
  for (int k = 0; k < 2; k++)
    for (PetscInt e = 0; e < a->n[k]; e++) a->v[k][e] = 3 * a->v[k][e] + add;
}

/* What follows a change */
typedef enum {
  WRITTEN,
  WRITTEN_AND_SCALED, /* before what was written is assembled or restored */
  WRITTEN_AND_SET,    /* one row by MatSetValues(), the assembly of which assembles all */
  NEXTS
} Next;
static const char *const nexts[] = {"written", "written and scaled", "written and some set"};

static PetscErrorCode DoNext(const Problem *p, Gift gift, Next next, Mat M, Arrays *a)
{
  PetscFunctionBeginUser;
  if (gift != GOT_READ) Write(a, 1);
  if (next == WRITTEN_AND_SCALED) PetscCall(MatScale(M, 0.5));
  if (next == WRITTEN_AND_SET) PetscCall(SetSome(p, ONE, ADD_VALUES, 8, M));
  if (next != WRITTEN_AND_SET || gift == GOT || gift == UPDATED) PetscCall(Written(gift, M, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One change of a matrix under test and of AIJ, both with arrays of their own */
static PetscErrorCode One(const Problem *p, Mat R, MatType type, Gift gift, int change, Next next)
{
  Mat       M[2], D[2], E[2];
  Arrays    a[2];
  Problem   q        = *p;
  PetscBool replaced = (PetscBool)(change == COO_GIVEN || change == ROWS_DROPPED || change == AXPY_UNKNOWN); /* the arrays may be others, or their pattern is */
  PetscBool multiplied = (PetscBool)((change + next) % 3 > 0);

  PetscFunctionBeginUser;
  q.seed += 30;
  const char *const text = CheckText("%s, %s, %s", gifts[gift], change < STEPS ? steps[change] : changes[change - STEPS], nexts[next]);
  for (int k = 0; k < 2; k++) {
    PetscCall(Give(gift, R, k ? MATAIJ : type, &M[k], &a[k]));
    PetscCall(MatSetOption(M[k], MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
    PetscCall(MatDuplicate(M[k], MAT_COPY_VALUES, &D[k]));
    PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, MATAIJ, &E[k]));
    PetscCall(MatConvert(E[k], k ? MATAIJ : type, MAT_INPLACE_MATRIX, &E[k]));
  }
  if (multiplied) {
    PetscCall(CheckProducts(M[0], M[1], text));
    PetscCall(CheckProducts(D[0], D[1], text));
    PetscCall(MatScale(D[0], 2)); /* now in the format alone, where that is kept */
    PetscCall(MatScale(D[1], 2));
  }
  for (int k = 0; k < 2; k++) PetscCall(DoChange(p, change, R, M[k], D[k], E[k]));
  if (multiplied && (change + next) % 3 > 1) PetscCall(CheckProducts(M[0], M[1], text));
  if (!replaced) {
    if (gift != UPDATED) PetscCall(CheckSeen(&a[0], &a[1], text));
    for (int k = 0; k < 2; k++) PetscCall(DoNext(p, gift, next, M[k], &a[k]));
    if (gift != UPDATED) PetscCall(CheckSeen(&a[0], &a[1], text));
  }
  PetscCall(CheckMat(M[0], M[1], text));
  for (int k = 0; k < 2; k++) {
    PetscCall(TakeBack(&M[k], &a[k]));
    PetscCall(CheckDestroy(&D[k], &E[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UserArrays(const Problem *p, Mat A, Mat R)
{
  const PetscMPIInt size     = CheckProcesses();
  char              name[64] = "bdiagh";

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-mat_type", name, sizeof(name), NULL));
  for (int gift = size > 1 ? SPLIT_ARRAYS : WITH_ARRAYS; gift < GIFTS; gift++)
    for (int change = 0; change < CHANGES; change++)
      for (int next = 0; next < NEXTS; next++)
        if ((change + next) % 3 == p->split) PetscCall(One(p, R, name, (Gift)gift, change, (Next)next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_SQUARE, UserArrays, "user_arrays")

/*TEST
  testset:
    args: -pattern banded -bs 3
    output_file: output/user_arrays_quick.out
    test:
      suffix: quick
      comments: quick
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: quick_format
      args: -mat_type {{bdiagh sellp}} -heptane_test_changes_in_format

  testset:
    args: -pattern wells,banded -bs 2
    output_file: output/user_arrays.out
    test:
      suffix: 1
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: format
      args: -mat_type {{bdiagh sellp}} -heptane_test_changes_in_format
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  testset:
    nsize: 2
    args: -pattern banded -bs 2
    output_file: output/user_arrays_2.out
    test:
      suffix: 2
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 2_format
      args: -mat_type {{bdiagh sellp}} -heptane_test_changes_in_format
    test:
      suffix: 2_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda
TEST*/
