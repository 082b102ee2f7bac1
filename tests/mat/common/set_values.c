#include "set_values.h"

/* Numbers of the problem that a way of setting values needs, of one process */
typedef struct {
  const Problem *p;
  Mat            M;
  InsertMode     mode;
  PetscInt       lo, hi, *cols;
  PetscScalar   *v;
} Setter;

/* Some values for row i: all that it has, or as many as there are columns given */
static PetscErrorCode SetRow(Setter *s, PetscInt i, PetscInt seed)
{
  const PetscInt n = ProblemRow(s->p, i, s->cols);

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < n; k++) s->v[k] = (PetscScalar)(ProblemHash(seed, i, s->cols[k]) / 2147483648.0);
  PetscCall(MatSetValues(s->M, 1, &i, n, s->cols, s->v, s->mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The local numbers are those of the process's cells; blocks: of the matrix's block size */
static PetscErrorCode SetMapping(Setter *s)
{
  ISLocalToGlobalMapping map;
  PetscInt               bs, n, *cell;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalToGlobalMapping(s->M, &map, NULL));
  if (map) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetBlockSize(s->M, &bs));
  n = (s->hi - s->lo) / bs;
  PetscCall(PetscMalloc1(n, &cell));
  for (PetscInt c = 0; c < n; c++) cell[c] = s->lo / bs + c;
  PetscCall(ISLocalToGlobalMappingCreate(PetscObjectComm((PetscObject)s->M), bs, n, cell, PETSC_OWN_POINTER, &map));
  PetscCall(MatSetLocalToGlobalMapping(s->M, map, map));
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diagonal block of the process's second last cell, or of its last; what is not in the pattern is ignored */
static PetscErrorCode SetBlock(Setter *s, How how)
{
  PetscInt bs, n, cell, local;

  PetscFunctionBeginUser;
  PetscCall(MatGetBlockSize(s->M, &bs));
  n = (s->hi - s->lo) / bs;
  if (how != BLOCKED) PetscCall(SetMapping(s));
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  local = n > 1 ? n - 2 : 0;
  cell  = s->lo / bs + local;
  for (PetscInt k = 0; k < bs * bs; k++) s->v[k] = (PetscScalar)(2 + ProblemHash(8, cell, k) % 7);
  if (how == BLOCKED) PetscCall(MatSetValuesBlocked(s->M, 1, &cell, 1, &cell, s->v, s->mode));
  else if (how == BLOCKED_LOCAL) PetscCall(MatSetValuesBlockedLocal(s->M, 1, &local, 1, &local, s->v, s->mode));
  else if (how == LOCAL) {
    for (PetscInt k = 0; k < bs; k++) s->cols[k] = local * bs + k;
    PetscCall(MatSetValuesLocal(s->M, bs, s->cols, bs, s->cols, s->v, s->mode));
  } else {
    const PetscInt   start = s->lo / bs;
    const MatStencil at    = {.i = cell, .c = bs - 1};

    PetscCall(MatSetStencil(s->M, 1, &n, &start, bs));
    PetscCall(MatSetValuesStencil(s->M, 1, &at, 1, &at, s->v, s->mode));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows and columns of which some are to be skipped, or values that come column by column */
static PetscErrorCode SetMixed(Setter *s, How how)
{
  const PetscInt i = s->lo, rows[] = {-1, s->lo, -7};
  PetscInt       n = ProblemRow(s->p, i, s->cols);

  PetscFunctionBeginUser;
  if (how == NEGATIVE) s->cols[n++] = -2;
  for (PetscInt k = 0; k < 3 * n; k++) s->v[k] = (PetscScalar)(1 + k % 5);
  if (how == COLUMNS) PetscCall(MatSetOption(s->M, MAT_ROW_ORIENTED, PETSC_FALSE));
  PetscCall(MatSetValues(s->M, 3, rows, n, s->cols, s->v, s->mode));
  PetscCall(MatSetOption(s->M, MAT_ROW_ORIENTED, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first values of the diagonal block, by nobody's leave but their array's */
static PetscErrorCode SetArray(Mat M)
{
  Mat             block = M;
  PetscBool       seq, done;
  PetscScalar    *a;
  PetscInt        n;
  const PetscInt *ptr;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)M, MATSEQAIJ, &seq));
  if (!seq) PetscCall(MatMPIAIJGetSeqAIJ(M, &block, NULL, NULL));
  PetscCall(MatGetRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, NULL, &done));
  PetscCall(MatSeqAIJGetArray(block, &a));
  for (PetscInt k = 0; n && k < ptr[n]; k++) a[k] = 1.25 * a[k] + 0.5;
  PetscCall(MatSeqAIJRestoreArray(block, &a));
  PetscCall(MatRestoreRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, NULL, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What this process sets */
static PetscErrorCode SetOwn(Setter *s, How how, PetscInt seed)
{
  PetscMPIInt rank;
  PetscInt    N;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)s->M), &rank));
  PetscCall(MatGetSize(s->M, &N, NULL));
  if (how == OTHERS || how == IGNORED) PetscCall(SetRow(s, s->hi % N, seed)); /* the next process's first; on one process its own */
  if (how >= BLOCKED && how <= STENCIL) PetscCall(SetBlock(s, how));
  if (s->lo == s->hi) PetscFunctionReturn(PETSC_SUCCESS);
  if (how == NEGATIVE || how == COLUMNS) PetscCall(SetMixed(s, how));
  else if (how == ONE_RANK) {
    if (s->hi == N) PetscCall(SetRow(s, s->hi - 1, seed));
  } else if (how == MANY) {
    for (PetscInt i = s->lo; i < s->hi; i++) PetscCall(SetRow(s, i, seed));
  } else if (how == NEW) {
    const PetscInt i = s->lo, j = N - 1 - s->lo;

    if (rank == 0) PetscCall(MatSetValue(s->M, i, j, 3.5, s->mode));
    PetscCall(SetRow(s, s->hi - 1, seed));
  } else if (how == ROW) {
    const PetscInt n = ProblemRow(s->p, s->lo, s->cols);

    for (PetscInt k = 0; k < n; k++) s->v[k] = (PetscScalar)(k + 1);
    if (s->mode == INSERT_VALUES) PetscCall(MatSetValuesRow(s->M, s->lo, s->v));
    PetscCall(SetRow(s, s->hi - 1, seed));
  } else if (how == ONE || how == FLUSHED || how == ARRAY || how == ZEROED || how == SORTED || how == IGNORED || how == OTHERS)
    PetscCall(SetRow(s, s->lo + (s->hi - s->lo) / 2, seed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetAssemble(Mat M, MatAssemblyType type)
{
  PetscFunctionBeginUser;
  PetscCall(MatAssemblyBegin(M, type));
  PetscCall(MatAssemblyEnd(M, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetSome(const Problem *p, How how, InsertMode mode, PetscInt seed, Mat M)
{
  Setter         s    = {.p = p, .M = M, .mode = mode};
  const PetscInt most = PetscMax(3 * ProblemCols(p) + 3, p->bs * p->bs);

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(M, &s.lo, &s.hi));
  PetscCall(PetscMalloc2(most, &s.cols, most, &s.v));
  PetscCall(MatSetOption(M, MAT_NEW_NONZERO_LOCATIONS, how == NEW ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  if (how != NEW) PetscCall(MatSetOption(M, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PetscCall(MatSetOption(M, MAT_IGNORE_OFF_PROC_ENTRIES, how == IGNORED ? PETSC_TRUE : PETSC_FALSE));
  if (how == ZEROED) PetscCall(MatZeroEntries(M));
  if (how == SORTED) PetscCall(MatSetOption(M, MAT_SORTED_FULL, PETSC_TRUE));
  PetscCall(SetOwn(&s, how, seed));
  if (how == FLUSHED) {
    PetscCall(SetAssemble(M, MAT_FLUSH_ASSEMBLY));
    PetscCall(SetOwn(&s, ONE_RANK, seed + 1));
  }
  if (how == ARRAY) PetscCall(SetArray(M));
  PetscCall(SetAssemble(M, MAT_FINAL_ASSEMBLY));
  if (how == SORTED) PetscCall(MatSetOption(M, MAT_SORTED_FULL, PETSC_FALSE));
  PetscCall(PetscFree2(s.cols, s.v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
