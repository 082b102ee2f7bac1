#include "grid.h"
#include "../../mat/common/check_device.h"
#include "../../mat/common/problem.h"

PetscInt GridCells(const Grid *g)
{
  return g->n[0] * g->n[1] * g->n[2];
}

void GridPosition(const Grid *g, PetscInt cell, PetscInt at[3])
{
  at[0] = cell % g->n[0];
  at[1] = cell / g->n[0] % g->n[1];
  at[2] = cell / g->n[0] / g->n[1];
}

PetscReal GridNumber(const Grid *g, PetscInt i, PetscInt j)
{
  return (PetscReal)(ProblemHash(g->seed, i, j) >> 8) / 16777216.0;
}

static PetscBool GridActive(const Grid *g, PetscInt cell)
{
  return (PetscBool)(GridNumber(g, cell, 4000001) >= g->inactive);
}

/* About normal: the sum of twelve evenly spread numbers */
static PetscReal GridPermeability(const Grid *g, PetscInt cell)
{
  PetscReal sum = -6;

  for (PetscInt k = 0; k < 12; k++) sum += GridNumber(g, cell, 4000003 + k);
  return PetscExpReal(g->std * sum);
}

/* Entry (p, q) of the coupling of cells c and d, neighbours along an axis: the first column symmetric, the others from the upstream cell alone */
static PetscReal GridCoupling(const Grid *g, PetscInt c, PetscInt d, PetscInt axis, PetscInt p, PetscInt q)
{
  const PetscReal t = g->strength[axis] * 2 / (1 / GridPermeability(g, c) + 1 / GridPermeability(g, d));

  if (!GridActive(g, c) || !GridActive(g, d)) return 0;
  if (g->symmetric) return p == q ? -t * (p == 0 ? 1 : 0.3) : 0;
  if (q == 0) return -t * (p == 0 ? 1 : 0.1 + 0.2 * GridNumber(g, PetscMin(c, d), p));
  return ProblemHash(g->seed, PetscMin(c, d), PetscMax(c, d)) % 2 == (c < d) ? -t * (p == q ? 0.3 : 0.05) * GridNumber(g, c + 7 * p, q) : 0;
}

/* Whether a well couples cells c and d of one column */
static PetscBool GridWell(const Grid *g, PetscInt c, PetscInt d)
{
  const PetscInt plane = g->n[0] * g->n[1];

  for (PetscInt w = 0; w < g->wells; w++)
    if (c % plane == (11 * w + 5) % plane && d % plane == c % plane && c / plane % 3 == 0 && d / plane % 3 == 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscInt GridRow(const Grid *g, PetscInt i, PetscInt cols[], PetscScalar vals[])
{
  const PetscInt c = i / g->bs, p = i % g->bs, stride[3] = {1, g->n[0], g->n[0] * g->n[1]};
  PetscInt       at[3], m = g->bs; /* the block of the cell itself comes first */

  GridPosition(g, c, at);
  for (PetscInt q = 0; q < g->bs; q++) {
    cols[q] = c * g->bs + q;
    vals[q] = p == q ? (GridActive(g, c) ? g->accumulation : 2.5) : g->symmetric ? -0.5 * g->accumulation / g->bs : 0;
  }
  for (int k = 0; k < 6; k++) {
    const PetscInt axis = k / 2, d = c + (k % 2 ? 1 : -1) * stride[axis];

    if (k % 2 ? at[axis] + 1 == g->n[axis] : at[axis] == 0) continue;
    for (PetscInt q = 0; q < g->bs; q++) {
      cols[m]   = d * g->bs + q;
      vals[m++] = GridCoupling(g, c, d, axis, p, q);
      vals[q] -= vals[m - 1];
    }
    if (p > 0) vals[p] -= 0.5 * GridCoupling(g, c, d, axis, 0, 0); /* unknowns that are transported change over the time step */
  }
  for (PetscInt d = c % stride[2]; g->wells && d < GridCells(g); d += stride[2]) {
    if (d == c || d == c - stride[2] || d == c + stride[2] || !GridWell(g, c, d) || !GridActive(g, c) || !GridActive(g, d)) continue;
    cols[m]   = d * g->bs + p;
    vals[m++] = -0.7 * g->strength[2];
    vals[p] += 0.7 * g->strength[2];
  }
  return m;
}

PetscErrorCode GridFill(const Grid *g, Mat A)
{
  PetscInt    lo, hi, cols[GRID_MAX];
  PetscScalar vals[GRID_MAX];

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++) {
    const PetscInt n = GridRow(g, i, cols, vals);

    PetscCall(MatSetValues(A, 1, &i, n, cols, vals, INSERT_VALUES));
  }
  PetscCall(CheckAssemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridCreate(MPI_Comm comm, const Grid *g, Mat *A)
{
  PetscInt plane = g->n[0] * g->n[1] * g->bs, planes = PETSC_DECIDE, all = g->n[2];

  PetscFunctionBeginUser;
  PetscCall(PetscSplitOwnership(comm, &planes, &all));
  PetscCall(CheckMatCreate(comm, planes * plane, PETSC_DETERMINE, g->bs, "bdiagh", PETSC_TRUE, A));
  PetscCall(GridFill(g, *A));
  if (g->bs == 1 || g->symmetric) PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(CheckDevice(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridOption(const char name[], const char format[], PetscInt a, PetscInt b, PetscInt c)
{
  char text[64];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(text, sizeof(text), format, (int)a, (int)b, (int)c));
  PetscCall(PetscOptionsSetValue(NULL, name, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
