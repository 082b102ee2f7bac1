static char help[] =
  "Compressed rows given as a whole, MatSeqAIJSetPreallocationCSR() and MatMPIAIJSetPreallocationCSR(): in order and not, with zeros, wrong ones, one pattern after another.\n";

#include "common/caught.h"
#include "common/loop.h"

/* Not set up: of the type under test, or AIJ */
static PetscErrorCode Create(PetscBool reference, PetscInt n, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetType(*A, reference ? MATAIJ : "bdiagh"));
  if (!reference) PetscCall(MatSetFromOptions(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How the rows differ from those of the problem */
typedef enum {
  AS_THEY_ARE,
  WITH_ZEROS,
  ZEROS_LEFT_OUT, /* by MAT_IGNORE_ZERO_ENTRIES */
  NO_VALUES_LEFT_OUT,
  NO_VALUES,
  BACKWARDS,
  ONE_BACKWARDS, /* the last row alone */
  TWICE,
  NEGATIVE,
  HALF, /* every other row is empty */
  WAYS
} Way;

static const char *const ways[WAYS] = {"ascending rows",   "zeros",           "zeros left out",     "no values, zeros left out",
                                       "no values",        "descending rows", "one descending row", "a column twice",
                                       "negative columns", "empty rows"};

typedef struct {
  PetscInt     m, *ptr, *col;
  PetscScalar *v;
} Rows;

static PetscErrorCode RowsCreate(const Problem *p, Mat A, Way way, Rows *r)
{
  PetscInt lo, hi, n = 0;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  r->m = hi - lo;
  PetscCall(PetscMalloc3(r->m + 1, &r->ptr, r->m * (ProblemCols(p) + 1), &r->col, r->m * (ProblemCols(p) + 1), &r->v));
  r->ptr[0] = 0;
  for (PetscInt i = lo; i < hi; i++) {
    PetscInt k = way == HALF && i % 2 ? 0 : ProblemRow(p, i, r->col + n);

    if (way == TWICE && k && k < ProblemCols(p)) { /* PETSc takes no longer ones */
      r->col[n + k] = r->col[n];
      k++;
    }
    for (PetscInt e = 0; e < k; e++) {
      const PetscInt c = r->col[n + e];

      r->v[n + e] = (way == WITH_ZEROS || way == ZEROS_LEFT_OUT) && (i + c) % 3 == 0 ? (PetscScalar)0 : ProblemValue(p, i, c);
    }
    if (way == NEGATIVE && k && i % 2) r->col[n] = -1;
    if (way == BACKWARDS || (way == ONE_BACKWARDS && i == hi - 1))
      for (PetscInt e = 0; e < k / 2; e++) {
        const PetscInt    c = r->col[n + e];
        const PetscScalar v = r->v[n + e];

        r->col[n + e]         = r->col[n + k - 1 - e];
        r->v[n + e]           = r->v[n + k - 1 - e];
        r->col[n + k - 1 - e] = c;
        r->v[n + k - 1 - e]   = v;
      }
    r->ptr[i - lo + 1] = n += k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Give(Mat A, const Rows *r, Way way)
{
  const PetscScalar *v = way == NO_VALUES || way == NO_VALUES_LEFT_OUT ? NULL : r->v;

  PetscFunctionBeginUser;
  PetscCall(MatSetOption(A, MAT_IGNORE_ZERO_ENTRIES, (PetscBool)(way == ZEROS_LEFT_OUT || way == NO_VALUES_LEFT_OUT)));
  PetscCall(MatSeqAIJSetPreallocationCSR(A, r->ptr, r->col, v));
  PetscCall(MatMPIAIJSetPreallocationCSR(A, r->ptr, r->col, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The storage that both have, and what both say to an entry in a place that is not there */
static PetscErrorCode Storage(Mat A, Mat R, const Rows *r)
{
  Mat               M[2] = {A, R};
  MatInfo           info[2];
  char              said[2][sizeof(caught)] = {"", ""};
  const PetscMPIInt size                    = CheckProcesses();
  PetscInt          cols;
  PetscBool         same;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, NULL, &cols));
  for (int k = 0; k < 2; k++) PetscCall(MatGetInfo(M[k], MAT_LOCAL, &info[k]));
  PetscCall(CheckTrue(info[0].nz_used == info[1].nz_used && info[0].nz_allocated == info[1].nz_allocated, "entries used and allocated"));
  PetscCall(CheckTrue(info[0].nz_unneeded == info[1].nz_unneeded && info[0].mallocs == info[1].mallocs, "entries unneeded, allocations"));
  if (size > 1 || !r->m) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 2; k++) {
    const PetscScalar one = 1;
    const PetscInt    row = r->m - 1;

    caught[0] = 0;
    PetscCall(PetscPushErrorHandler(Catch, NULL));
    for (PetscInt c = 0; c < cols; c++)
      if (MatSetValues(M[k], 1, &row, 1, &c, &one, INSERT_VALUES)) break;
    PetscCall(PetscPopErrorHandler());
    PetscCall(PetscStrncpy(said[k], caught, sizeof(said[k])));
    PetscCall(CheckAssemble(M[k]));
  }
  PetscCall(PetscStrcmp(said[0], said[1], &same));
  PetscCall(CheckTrue(same, "an entry in a new place"));
  PetscCall(CheckMat(A, R, "a row set again"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other values for the same rows, of a parallel matrix: PETSc keeps for it how many entries of each row come before the diagonal block */
static PetscErrorCode Update(const Problem *p, Mat A, Mat R, Rows *r)
{
  Mat       M[2] = {A, R};
  PetscInt  n;
  PetscBool mpi;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectHasFunction((PetscObject)A, "MatMPIAIJSetPreallocationCSR_C", &mpi));
  if (!mpi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetLocalSize(A, NULL, &n));
  for (int rows = 0; rows < 2; rows++) {
    for (PetscInt k = 0; k < r->ptr[r->m]; k++) r->v[k] = 3 - 2 * r->v[k];
    for (int k = 0; k < 2; k++) {
      if (rows) PetscCall(MatUpdateMPIAIJWithArrays(M[k], r->m, n, ProblemRows(p), ProblemCols(p), r->ptr, r->col, r->v));
      else PetscCall(MatUpdateMPIAIJWithArray(M[k], r->v));
    }
    PetscCall(CheckMat(A, R, rows ? "MatUpdateMPIAIJWithArrays" : "MatUpdateMPIAIJWithArray"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One pattern after another into the same matrices, products between them: nothing of the one before is left */
static PetscErrorCode GivenRows(const Problem *p, Mat A, Mat R)
{
  Problem           q    = *p;
  const PetscMPIInt size = CheckProcesses();
  Rows              r;

  PetscFunctionBeginUser;
  for (int way = 0; way < WAYS; way++) {
    if (way == NEGATIVE && size > 1) continue; /* an error of PETSc's on several processes */
    q.seed    = p->seed + 10 * way;
    q.pattern = way % 3 == 2 ? "random" : p->pattern;
    PetscCall(RowsCreate(&q, A, (Way)way, &r));
    PetscCall(Give(A, &r, (Way)way));
    PetscCall(Give(R, &r, (Way)way));
    PetscCall(CheckMat(A, R, ways[way]));
    PetscCall(Storage(A, R, &r));
    if (way == AS_THEY_ARE || way == NO_VALUES || way == HALF) PetscCall(Update(&q, A, R, &r));
    PetscCall(PetscFree3(r.ptr, r.col, r.v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char *what;
  PetscInt    ptr[4], col[5];
} wrong[] = {
  {"the first index is not zero",               {1, 2, 3, 4}, {0, 1, 2, 0}   },
  {"a column that is not there",                {0, 1, 2, 3}, {0, 1, 3}      },
  {"a column that is not there, in the middle", {0, 2, 3, 5}, {0, 3, 1, 0, 2}}
};

/* Compressed rows that are wrong: the same error as of AIJ. Other errors leave memory behind in PETSc. */
static PetscErrorCode Wrong(void)
{
  const PetscScalar v[5] = {1, 2, 3, 4, 5};

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("wrong rows"));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(wrong); k++) {
    char           said[2][sizeof(caught)];
    PetscErrorCode code[2];
    PetscBool      same;

    for (int reference = 0; reference < 2; reference++) {
      Mat A;

      PetscCall(Create((PetscBool)reference, 3, &A));
      CheckCaught(code[reference], MatSeqAIJSetPreallocationCSR(A, wrong[k].ptr, wrong[k].col, v));
      PetscCall(PetscStrncpy(said[reference], caught, sizeof(said[reference])));
      PetscCall(MatDestroy(&A));
    }
    PetscCall(PetscStrcmp(said[0], said[1], &same));
    PetscCall(CheckTrue(code[0] && code[0] == code[1] && said[0][0] && same, wrong[k].what));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pattern alone, and a matrix without rows */
static PetscErrorCode Alone(void)
{
  const PetscInt ptr[] = {0, 1, 3}, col[] = {0, 0, 1}, *i[2], *j[2];
  PetscInt       n[2];
  PetscBool      done;
  Mat            M[2];

  PetscFunctionBeginUser;
  for (int rows = 0; rows < 3; rows += 2) {
    PetscCall(CheckWhere("pattern alone, %d rows", rows));
    for (int k = 0; k < 2; k++) {
      PetscCall(Create((PetscBool)k, rows, &M[k]));
      PetscCall(MatSetOption(M[k], MAT_STRUCTURE_ONLY, PETSC_TRUE));
      PetscCall(MatSeqAIJSetPreallocationCSR(M[k], ptr, col, NULL));
      PetscCall(MatGetRowIJ(M[k], 0, PETSC_FALSE, PETSC_FALSE, &n[k], &i[k], &j[k], &done));
    }
    PetscCall(CheckTrue(n[0] == rows && n[1] == rows, "rows"));
    for (PetscInt row = 0; row <= rows; row++) PetscCall(CheckTrue(i[0][row] == ptr[row] && i[0][row] == i[1][row], "row"));
    for (PetscInt e = 0; e < ptr[rows]; e++) PetscCall(CheckTrue(j[0][e] == col[e] && j[0][e] == j[1][e], "column"));
    for (int k = 0; k < 2; k++) {
      PetscCall(MatRestoreRowIJ(M[k], 0, PETSC_FALSE, PETSC_FALSE, &n[k], &i[k], &j[k], &done));
      PetscCall(MatDestroy(&M[k]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CheckLoop(CHECK_ALL, GivenRows));
  PetscCall(Wrong());
  PetscCall(Alone());
  return CheckFinish("given_rows");
}

/*TEST
  testset:
    args: -bs 1,3,8
    output_file: output/given_rows.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: sellp
      args: -mat_type sellp
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda

  testset:
    nsize: {{2 3}}
    args: -bs 1,3,17 -pattern gh,holes,random,rectangle,ragged
    output_file: output/given_rows_2.out
    test:
      suffix: 2
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 2_cuda
      requires: cuda
      args: -expect_cuda
TEST*/
