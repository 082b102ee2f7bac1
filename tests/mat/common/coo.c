#include "coo.h"
#include "objects.h"

static void CooAdd(Coo *c, PetscInt i, PetscInt j, PetscReal part)
{
  c->i[c->n] = c->full_i[c->n] = i;
  c->j[c->n] = c->full_j[c->n] = j;
  c->part[c->n++]              = part;
}

static void CooSwap(Coo *c, PetscInt a, PetscInt b)
{
  const PetscInt  i = c->i[a], j = c->j[a];
  const PetscReal part = c->part[a];

  c->i[a] = c->full_i[a] = c->i[b];
  c->j[a] = c->full_j[a] = c->j[b];
  c->part[a]             = c->part[b];
  c->i[b] = c->full_i[b] = i;
  c->j[b] = c->full_j[b] = j;
  c->part[b]             = part;
}

/* The entries from the given one on once more: 0.75 of each value, 0.25 where it was */
static void CooAgain(Coo *c, PetscInt from)
{
  for (PetscInt k = from, end = c->n; k < end; k++) {
    c->part[k] = 0.25;
    CooAdd(c, c->full_i[k], c->full_j[k], 0.75);
  }
}

/* The entries of one cell's rows (or of one row after the cells), in the order; cols is work space for their columns */
static void CooCell(const Problem *p, CooOrder order, PetscInt first, PetscInt rows, PetscInt *cols, Coo *c)
{
  const PetscInt  width = ProblemCols(p), blocks = p->cols + p->ragged;
  const PetscBool shares  = (PetscBool)(order == COO_SHARES || order == COO_COLUMN_SHARES),
                  columns = (PetscBool)(order == COO_COLUMNS || order == COO_COLUMN_SHARES);
  const PetscBool blocked = (PetscBool)(order != COO_ROWS && order != COO_MIXED);
  PetscInt        n[32], at[32] = {0};

  for (PetscInt i = 0; i < rows; i++) n[i] = ProblemRow(p, first + i, cols + i * width);
  for (PetscInt d = 0; d < (blocked ? blocks : 1); d++) {
    const PetscInt end = blocked && d < p->cols ? (d + 1) * p->bs : width, before = c->n;

    for (PetscInt j = columns ? d * p->bs : end; j < end; j++)
      for (PetscInt i = 0; i < rows; i++)
        if (at[i] < n[i] && cols[i * width + at[i]] == j) CooAdd(c, first + i, cols[i * width + at[i]++], 1.0);
    for (PetscInt i = 0; i < (columns ? 0 : rows); i++) {
      for (; at[i] < n[i] && cols[i * width + at[i]] < end; at[i]++) {
        const PetscBool twice = (PetscBool)(order == COO_MIXED && at[i] % 5 == 2);

        CooAdd(c, first + i, cols[i * width + at[i]], twice ? 0.25 : 1.0);
        if (twice) CooAdd(c, first + i, cols[i * width + at[i]], 0.75);
      }
      if (order == COO_MIXED) CooAdd(c, (first + i) % 2 ? -1 : first + i, (first + i) % 2 ? first + i : -1, 3.0);
    }
    if (shares && (first / rows + d) % 3) CooAgain(c, before);
  }
}

PetscErrorCode CooCreate(const Problem *p, Mat A, CooOrder order, PetscBool device, Coo *c)
{
  PetscInt          lo, hi, *cols, most = 2;
  const PetscMPIInt size = CheckProcesses(), rank = CheckRank();

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(PetscMalloc1(ProblemCols(p) * (p->bs + 1), &cols));
  for (PetscInt i = 0; i < ProblemRows(p); i++) most += 2 * ProblemRow(p, i, cols) + 1;
  PetscCall(PetscMalloc5(most, &c->i, most, &c->j, most, &c->full_i, most, &c->full_j, most, &c->part));
  c->n = 0;
  for (PetscInt i = 0, rows; i < ProblemRows(p); i += rows) {
    rows = i < p->rows * p->bs ? p->bs : 1;
    if (order == COO_MIXED ? (i / rows) % size == rank : i >= lo && i < hi) CooCell(p, order, i, rows, cols, c);
  }
  if (order == COO_MIXED)
    for (PetscInt k = c->n - 1; k > 0; k--) CooSwap(c, k, (PetscInt)(ProblemHash(61, k, 0) % (unsigned int)(k + 1)));
  PetscCall(PetscFree(cols));
  PetscCall(VecCreate(PETSC_COMM_SELF, &c->values));
  PetscCall(VecSetSizes(c->values, c->n, c->n));
  PetscCall(VecSetType(c->values, device ? VECSEQCUDA : VECSEQ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CooSet(const Problem *p, Coo *c, PetscScalar factor, InsertMode mode, Mat A)
{
  PetscScalar       *v;
  const PetscScalar *w;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(c->values, &v));
  for (PetscInt k = 0; k < c->n; k++) v[k] = factor * (PetscScalar)c->part[k] * ProblemValue(p, c->full_i[k], c->full_j[k]);
  PetscCall(VecRestoreArrayWrite(c->values, &v));
  PetscCall(VecGetArrayReadAndMemType(c->values, &w, NULL));
  PetscCall(MatSetValuesCOO(A, w, mode));
  PetscCall(VecRestoreArrayReadAndMemType(c->values, &w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CooDestroy(Coo *c)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree5(c->i, c->j, c->full_i, c->full_j, c->part));
  PetscCall(VecDestroy(&c->values));
  PetscFunctionReturn(PETSC_SUCCESS);
}
