/* Values of the linear system: residual and Jacobian of every owned cell in one pass, handed to the matrix, and the damped update of the unknowns. */
#include "reservoir.h"

#define MAX RESERVOIR_MAX_UNKNOWNS

/* Keeps the state that a time step of dt days starts from. Collective. */
PetscErrorCode SystemStartStep(System *s, PetscReal dt)
{
  const Grid        *g      = s->grid;
  const PetscInt     nc     = s->fluid->nc;
  const PetscReal    volume = g->size[0] * g->size[1] * g->size[2];
  const PetscScalar *u;

  PetscFunctionBeginUser;
  s->dt = dt;
  PetscCall(VecGetArrayRead(s->u, &u));
  for (PetscInt m = g->start; m < g->end; m++) {
    const PetscInt l = GridNumber(g, m) - g->first;

    if (GridNumber(g, m) >= 0) FluidMass(s->fluid, g->phi[m - g->gstart] * volume, u + l * nc, s->mass + (size_t)l * nc);
  }
  PetscCall(WellsStartStep(s->wells, g, s->fluid, u));
  PetscCall(VecRestoreArrayRead(s->u, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The well's part of cell m's equations: outflow through perforation p, which depends on the pressures of all perforations of its bore. */
static void CellWell(const System *s, PetscInt m, PetscInt p, const PetscScalar u[], PetscScalar r[])
{
  const Wells   *w = s->wells;
  const PetscInt l = GridNumber(s->grid, m) - s->grid->first, nc = s->fluid->nc, n = w->at[m % (s->grid->nj * s->grid->nh)];
  PetscCount     q     = s->row[l];
  PetscScalar   *block = s->values, coupling[MAX];
  PetscReal      sum   = 0;

  while (s->cell[q] != m) q++;
  WellsFlow(w, s->grid, s->fluid, p, u, r, block + q * nc * nc, coupling);
  for (PetscInt k = w->first[n]; k < w->first[n + 1]; k++) sum += w->weight[k];
  q = s->row[l];
  for (PetscInt k = w->first[n]; k < w->first[n + 1]; k++) {
    while (s->cell[q] != w->cell[k]) q++; /* both lists ascend */
    for (PetscInt a = 0; a < nc; a++) block[q * nc * nc + a * nc] -= coupling[a] * w->weight[k] / sum;
  }
}

/* Residual r[nc] and blocks of one active cell; ghosted[] holds the unknowns of the numbers from gfirst on. */
static void CellEquations(const System *s, PetscInt m, const PetscScalar ghosted[], PetscScalar r[])
{
  const Grid        *g  = s->grid;
  const Fluid       *f  = s->fluid;
  const PetscInt     nc = f->nc, l = GridNumber(g, m) - g->first, layer = g->nj * g->nh, p = WellsFind(s->wells, g, m);
  const PetscReal    volume = g->phi[m - g->gstart] * g->size[0] * g->size[1] * g->size[2];
  const PetscScalar *u      = ghosted + (GridNumber(g, m) - g->gfirst) * nc;
  PetscScalar       *block  = s->values, *here, mass[MAX];
  PetscCount         q, diagonal = s->row[l];

  while (s->cell[diagonal] != m) diagonal++;
  here = block + diagonal * nc * nc;
  FluidMass(f, volume, u, mass);
  for (PetscInt a = 0; a < nc; a++) r[a] = (mass[a] - s->mass[(size_t)l * nc + a]) / s->dt;
  FluidMassDerivative(f, volume / s->dt, u, here);
  for (q = s->row[l]; q < s->row[l + 1]; q++)
    if (s->trans[q] > 0)
      FluidFlux(f, s->trans[q], (PetscReal)(m / layer - s->cell[q] / layer) * g->size[2], u, ghosted + (s->col[q] - g->gfirst) * nc, r, here,
                block + q * nc * nc);
  if (p >= 0) CellWell(s, m, p, u, r);
  for (q = s->row[l]; q < s->row[l + 1]; q++) FluidMixRows(f, nc, block + q * nc * nc);
  FluidMixRows(f, 1, r);
}

/* Computes the residual into s->r and the Jacobian's blocks into s->values. Collective. */
PetscErrorCode SystemComputeValues(System *s)
{
  const Grid        *g  = s->grid;
  const PetscInt     nc = s->fluid->nc, owned = g->last - g->first;
  const PetscScalar *ghosted;
  PetscScalar       *r;

  PetscFunctionBeginUser;
  PetscCall(VecScatterBegin(s->halo, s->u, s->ghosted, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(s->halo, s->u, s->ghosted, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(s->ghosted, &ghosted));
  PetscCall(WellsStartUpdate(s->wells, g, s->fluid, ghosted + (g->first - g->gfirst) * nc));
  PetscCall(PetscArrayzero(s->values, s->row[owned] * nc * nc));
  PetscCall(VecGetArrayWrite(s->r, &r));
  for (PetscInt m = g->start; m < g->end; m++) {
    const PetscInt l  = GridNumber(g, m) - g->first;
    PetscScalar   *rm = r + l * nc;

    if (GridNumber(g, m) < 0) continue;
    if (g->kx[m - g->gstart] > 0) CellEquations(s, m, ghosted, rm);
    else
      for (PetscInt a = 0; a < nc; a++) {
        s->values[s->row[l] * nc * nc + a * nc + a] = 1;
        rm[a]                                       = 0;
      }
  }
  PetscCall(VecRestoreArrayWrite(s->r, &r));
  PetscCall(VecRestoreArrayRead(s->ghosted, &ghosted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Hands the computed blocks to the matrix, whose pattern stays. Collective. */
PetscErrorCode SystemUpdateMatrix(System *s)
{
  const Grid    *g  = s->grid;
  const PetscInt nc = s->fluid->nc;

  PetscFunctionBeginUser;
  if (s->coo) {
    PetscCall(MatSetValuesCOO(s->A, s->values, INSERT_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt n = g->first; n < g->last; n++)
    for (PetscCount q = s->row[n - g->first]; q < s->row[n - g->first + 1]; q++)
      PetscCall(MatSetValuesBlocked(s->A, 1, &n, 1, &s->col[q], s->values + q * nc * nc, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(s->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(s->A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u -= du with the saturation change of a cell limited to 0.2 and the saturations kept in the simplex of physical states. Collective. */
PetscErrorCode SystemApplyUpdate(System *s)
{
  const PetscInt     nc = s->fluid->nc;
  const PetscScalar *du;
  PetscScalar       *u;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(s->du, &du));
  PetscCall(VecGetArray(s->u, &u));
  for (PetscInt l = 0; l < s->grid->last - s->grid->first; l++) {
    const PetscScalar *d       = du + l * nc;
    PetscScalar       *x       = u + l * nc;
    PetscReal          largest = 0.2, change0 = 0, sum = 0;

    for (PetscInt a = 1; a < nc; a++) {
      largest = PetscMax(largest, PetscAbsScalar(d[a]));
      change0 += PetscRealPart(d[a]);
    }
    largest = PetscMax(largest, PetscAbsReal(change0));
    x[0] -= d[0];
    for (PetscInt a = 1; a < nc; a++) {
      x[a] = PetscMin(1, PetscMax(0, PetscRealPart(x[a] - d[a] * (PetscReal)0.2 / largest)));
      sum += PetscRealPart(x[a]);
    }
    for (PetscInt a = 1; a < nc && sum > 1; a++) x[a] /= sum;
  }
  PetscCall(VecRestoreArray(s->u, &u));
  PetscCall(VecRestoreArrayRead(s->du, &du));
  PetscFunctionReturn(PETSC_SUCCESS);
}
