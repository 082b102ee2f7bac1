#include "gridcycle.h"

void CyclePosition(const CycleLevel *l, PetscInt row, PetscInt at[3])
{
  const Grid g = {CELLS(l->n[0], l->n[1], l->n[2])};

  GridPosition(&g, row / l->bs, at);
}

PetscInt CycleNeighbours(const PetscInt a[3], const PetscInt b[3])
{
  PetscInt axis = 3, apart = 0;

  for (PetscInt k = 0; k < 3; k++) {
    apart += PetscAbs(a[k] - b[k]);
    if (a[k] != b[k]) axis = k;
  }
  return apart > 1 ? -1 : axis;
}

/* Distance of neighbouring cells over that of the aggregates they are in */
static PetscReal CycleFactor(const CycleLevel *l, PetscInt axis, PetscInt low)
{
  if (l->pair[axis] == 1) return 1;
  return low + 2 < l->n[axis] ? 0.5 : 2.0 / 3;
}

static PetscBool CycleActive(const CycleLevel *l, PetscInt row)
{
  PetscInt at[3], of[3];

  CyclePosition(l, row, at);
  for (PetscInt i = row / l->bs * l->bs; i < (row / l->bs + 1) * l->bs; i++)
    for (PetscInt j = 0; j < l->N; j++) {
      CyclePosition(l, j, of);
      if (l->A[i * l->N + j] != 0 && CycleNeighbours(at, of) >= 0 && CycleNeighbours(at, of) < 3) return PETSC_TRUE;
    }
  return PETSC_FALSE;
}

/* Cell of the level behind */
static PetscInt CycleAggregate(const CycleLevel *l, const CycleLevel *c, const PetscInt at[3])
{
  return (at[2] / l->pair[2] * c->n[1] + at[1] / l->pair[1]) * c->n[0] + at[0] / l->pair[0];
}

static PetscErrorCode CycleCoarsen(const CycleLevel *l, CycleLevel *c)
{
  PetscInt at[3], of[3];

  PetscFunctionBeginUser;
  c->N = c->bs = l->bs;
  for (int k = 0; k < 3; k++) c->N *= c->n[k] = (l->n[k] + l->pair[k] - 1) / l->pair[k];
  PetscCall(PetscCalloc3(c->N * c->N, &c->A, c->N, &c->b, c->N, &c->x));
  for (PetscInt i = 0; i < l->N; i++) {
    if (!CycleActive(l, i)) continue;
    CyclePosition(l, i, at);
    for (PetscInt j = 0; j < l->N; j++) {
      const PetscReal a = l->A[i * l->N + j];

      if (a == 0) continue;
      CyclePosition(l, j, of);
      const PetscInt axis = CycleNeighbours(at, of), to = CycleAggregate(l, c, at), from = CycleAggregate(l, c, of), row = to * l->bs + i % l->bs,
                     q       = j % l->bs;
      const PetscReal factor = from == to || axis < 0 || q ? 1 : CycleFactor(l, axis, PetscMin(at[axis], of[axis]));

      c->A[row * c->N + from * l->bs + q] += factor * a;
      c->A[row * c->N + to * l->bs + q] += (1 - factor) * a;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Column `first`, which begins at this cell: x += T^-1 r, T with the couplings along the line, of neighbours alone or of all its cells; a zero row keeps x */
static void CycleLine(const CycleLevel *l, PetscInt first, PetscInt stride, PetscInt length, const PetscReal r[])
{
  const PetscInt m = length * l->bs;
  PetscReal      T[CYCLE_LINE][CYCLE_LINE], y[CYCLE_LINE];

  for (PetscInt i = 0; i < m; i++) {
    const PetscInt row = (first + i / l->bs * stride) * l->bs + i % l->bs;

    y[i] = r[row];
    for (PetscInt j = 0; j < m; j++)
      T[i][j] = !l->whole && PetscAbs(i / l->bs - j / l->bs) > 1 ? 0 : l->A[row * l->N + (first + j / l->bs * stride) * l->bs + j % l->bs];
  }
  for (PetscInt k = 0; k < m; k++)
    for (PetscInt i = k + 1; i < m && T[k][k] != 0; i++) {
      const PetscReal f = T[i][k] / T[k][k];

      for (PetscInt j = k; j < m; j++) T[i][j] -= f * T[k][j];
      y[i] -= f * y[k];
    }
  for (PetscInt k = m - 1; k >= 0; k--) {
    for (PetscInt j = k + 1; j < m; j++) y[k] -= T[k][j] * y[j];
    y[k] = T[k][k] != 0 ? y[k] / T[k][k] : 0;
    l->x[(first + k / l->bs * stride) * l->bs + k % l->bs] += y[k];
  }
}

static PetscErrorCode CycleResidual(const CycleLevel *l, PetscReal r[])
{
  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < l->N; i++) {
    r[i] = l->b[i];
    for (PetscInt j = 0; j < l->N; j++) r[i] -= l->A[i * l->N + j] * l->x[j];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CycleSweep(const Cycle *c, PetscInt level, PetscInt colour)
{
  const CycleLevel *l         = &c->level[level];
  const PetscInt    stride[3] = {1, l->n[0], l->n[0] * l->n[1]};
  PetscReal        *r;
  PetscInt          at[3];

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(l->N, &r));
  PetscCall(CycleResidual(l, r));
  for (PetscInt cell = 0; cell < l->N / l->bs; cell++) {
    CyclePosition(l, cell * l->bs, at);
    if (at[c->line] == 0 && (at[0] + at[1] + at[2]) % 2 == colour) CycleLine(l, cell, stride[c->line], l->n[c->line], r);
  }
  PetscCall(PetscFree(r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CycleRun(const Cycle *c, PetscInt level, PetscInt more)
{
  const CycleLevel *l = &c->level[level], *next = l + 1;
  PetscReal        *r;
  PetscInt          at[3];

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < c->smooths; k++)
    for (PetscInt colour = 0; colour < 2; colour++) PetscCall(CycleSweep(c, level, colour));
  if (level + 1 == c->levels) {
    PetscCall(CycleSweep(c, level, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(l->N, &r));
  PetscCall(CycleResidual(l, r));
  PetscCall(PetscArrayzero(next->b, next->N));
  PetscCall(PetscArrayzero(next->x, next->N));
  for (PetscInt i = 0; i < l->N; i++) {
    CyclePosition(l, i, at);
    next->b[CycleAggregate(l, next, at) * l->bs + i % l->bs] += r[i];
  }
  PetscCall(PetscFree(r));
  PetscCall(CycleRun(c, level + 1, more));
  if (more > 1 && level + 2 < c->levels) PetscCall(CycleRun(c, level + 1, more == 3 ? 1 : more));
  for (PetscInt i = 0; i < l->N; i++) {
    CyclePosition(l, i, at);
    l->x[i] += next->x[CycleAggregate(l, next, at) * l->bs + i % l->bs];
  }
  for (PetscInt k = 0; k < c->smooths; k++)
    for (PetscInt colour = 1; colour >= 0; colour--) PetscCall(CycleSweep(c, level, colour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CycleCreate(const Grid *g, PetscInt line, PetscInt most, PetscInt smooths, PetscInt more, Cycle *c)
{
  CycleLevel *l = c->level;
  PetscInt    cols[GRID_MAX];
  PetscScalar vals[GRID_MAX];

  PetscFunctionBeginUser;
  c->line    = line;
  c->smooths = smooths;
  c->more    = more;
  c->levels  = 1;
  l->bs      = g->bs;
  l->N       = GridCells(g) * g->bs;
  PetscCall(PetscArraycpy(l->n, g->n, 3));
  PetscCall(PetscCalloc3(l->N * l->N, &l->A, l->N, &l->b, l->N, &l->x));
  for (PetscInt i = 0; i < l->N; i++) {
    const PetscInt m = GridRow(g, i, cols, vals);

    for (PetscInt k = 0; k < m; k++) l->A[i * l->N + cols[k]] += PetscRealPart(vals[k]);
  }
  for (;; l++, c->levels++) {
    for (PetscInt k = 0; k < 3; k++) l->pair[k] = k != line && l->n[k] > 1 ? 2 : 1;
    if (l->N / l->bs == l->n[line] || c->levels == most) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(CycleCoarsen(l, l + 1));
  }
}

PetscErrorCode CycleTake(const Cycle *c, Vec x)
{
  const PetscScalar *from;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &from));
  for (PetscInt i = 0; i < c->level[0].N; i++) c->level[0].b[i] = PetscRealPart(from[i]);
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CycleGive(const Cycle *c, Vec r)
{
  PetscScalar *to;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(r, &to));
  for (PetscInt i = 0; i < c->level[0].N; i++) to[i] = c->level[0].x[i];
  PetscCall(VecRestoreArrayWrite(r, &to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CycleDestroy(Cycle *c)
{
  PetscFunctionBeginUser;
  for (PetscInt l = 0; l < c->levels; l++) PetscCall(PetscFree3(c->level[l].A, c->level[l].b, c->level[l].x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
