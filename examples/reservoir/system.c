/* The linear system of a Newton update: matrix, vectors, halo of the unknowns, and the pattern of the blocks with its transmissibilities. */
#include "reservoir.h"

static const PetscReal darcy = 8.527e-3; /* m3 cP / (day bar) per mD m */

/* Two-point transmissibility between the cells m and n that share a face across the axis: area over distance times the harmonic mean of k. */
static PetscReal Transmissibility(const Grid *g, PetscInt m, PetscInt n, PetscInt axis)
{
  const PetscReal km = g->kx[m - g->gstart], kn = g->kx[n - g->gstart], ratio = axis == 2 ? g->kz_ratio : 1;

  if (km <= 0 || kn <= 0) return 0;
  return darcy * ratio * 2 / (1 / km + 1 / kn) * (g->size[0] * g->size[1] * g->size[2]) / (g->size[axis] * g->size[axis]);
}

static void Insert(PetscInt n, PetscReal trans, PetscInt col[], PetscReal t[], PetscInt *len)
{
  PetscInt k = *len;

  while (k > 0 && col[k - 1] > n) k--;
  if (k > 0 && col[k - 1] == n) return;
  for (PetscInt q = *len; q > k; q--) {
    col[q] = col[q - 1];
    t[q]   = t[q - 1];
  }
  col[k] = n;
  t[k]   = trans;
  (*len)++;
}

/* Cells that cell m couples to, ascending, with their transmissibilities. Needs room for 7 cells and the perforations of one well. */
static PetscInt Couplings(const Grid *g, const Wells *w, PetscInt m, PetscInt col[], PetscReal trans[])
{
  const PetscInt  j = m % g->nj, h = m / g->nj % g->nh, i = m / g->nj / g->nh, layer = g->nj * g->nh;
  const PetscInt  face[6] = {m - layer, m - g->nj, m - 1, m + 1, m + g->nj, m + layer}, axis[6] = {2, 1, 0, 0, 1, 2};
  const PetscBool inside[6] = {i > 0, h > 0, j > 0, j < g->nj - 1, h < g->nh - 1, i < g->ni - 1};
  PetscInt        len       = 0;

  col[len]     = m;
  trans[len++] = 0;
  if (g->kx[m - g->gstart] <= 0) return len;
  for (PetscInt k = 0; k < 6; k++) {
    const PetscReal t = inside[k] ? Transmissibility(g, m, face[k], axis[k]) : 0;

    if (t > 0) Insert(face[k], t, col, trans, &len);
  }
  if (w->at[m % layer] >= 0)
    for (PetscInt n = w->at[m % layer], p = w->first[n]; p < w->first[n + 1]; p++) Insert(w->cell[p], 0, col, trans, &len);
  return len;
}

/* Number of a cell that the process knows or that a well perforates. */
static PetscInt Number(const Grid *g, const Wells *w, PetscInt m)
{
  return m >= g->gstart && m < g->gend ? GridNumber(g, m) : w->number[WellsFind(w, g, m)];
}

static PetscErrorCode SystemCreatePattern(System *s)
{
  const Grid    *g    = s->grid;
  const PetscInt room = 7 + g->ni, nc = s->fluid->nc, owned = g->last - g->first;
  PetscInt      *cell;
  PetscReal     *trans;
  PetscCount     blocks = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(owned + 1, &s->row));
  PetscCall(PetscMalloc2(room, &cell, room, &trans));
  for (PetscInt m = g->start; m < g->end; m++) {
    if (GridNumber(g, m) < 0) continue;
    s->row[GridNumber(g, m) - g->first] = blocks;
    blocks += Couplings(g, s->wells, m, cell, trans);
  }
  s->row[owned] = blocks;
  PetscCall(PetscFree2(cell, trans));
  PetscCall(PetscMalloc3(blocks, &s->cell, blocks, &s->col, blocks, &s->trans));
  for (PetscInt m = g->start; m < g->end; m++) {
    const PetscCount q = GridNumber(g, m) < 0 ? 0 : s->row[GridNumber(g, m) - g->first];

    if (GridNumber(g, m) >= 0) (void)Couplings(g, s->wells, m, s->cell + q, s->trans + q);
  }
  for (PetscCount q = 0; q < blocks; q++) s->col[q] = Number(g, s->wells, s->cell[q]);
  PetscCall(PetscMalloc2(blocks * nc * nc, &s->values, (PetscCount)owned * nc, &s->mass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SystemCreateHalo(System *s)
{
  const Grid    *g  = s->grid;
  const PetscInt nc = s->fluid->nc, n = (g->glast - g->gfirst) * nc;
  IS             known;

  PetscFunctionBeginUser;
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &s->ghosted));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n, g->gfirst * nc, 1, &known));
  PetscCall(VecScatterCreate(s->u, known, s->ghosted, NULL, &s->halo));
  PetscCall(ISDestroy(&known));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SystemSetInitialState(System *s)
{
  const Grid    *g  = s->grid;
  const PetscInt nc = s->fluid->nc;
  PetscScalar   *u;

  PetscFunctionBeginUser;
  PetscCall(VecZeroEntries(s->u));
  PetscCall(VecGetArray(s->u, &u));
  for (PetscInt m = g->start; m < g->end; m++)
    if (g->kx[m - g->gstart] > 0)
      FluidInitialState(s->fluid, ((PetscReal)(m / g->nj / g->nh) + (PetscReal)0.5) * g->size[2], g->ni * g->size[2], u + (GridNumber(g, m) - g->first) * nc);
  PetscCall(VecRestoreArray(s->u, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrix without entries, vectors of the matrix's own type, pattern, initial state. Collective. */
PetscErrorCode SystemCreate(const Grid *g, const Fluid *f, Wells *w, System *s)
{
  const char *const assembly[] = {"coo", "setvalues"};
  const PetscInt    nc = f->nc, n = (g->last - g->first) * nc;
  PetscInt          way = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  s->grid  = g;
  s->fluid = f;
  s->wells = w;
  PetscOptionsBegin(g->comm, NULL, "Reservoir assembly", NULL);
  PetscCall(PetscOptionsEList("-assembly", "MatSetValuesCOO or MatSetValuesBlocked", NULL, assembly, 2, assembly[0], &way, NULL));
  PetscOptionsEnd();
  s->coo = way ? PETSC_FALSE : PETSC_TRUE;
  PetscCall(MatCreate(g->comm, &s->A));
  PetscCall(MatSetSizes(s->A, n, n, g->numbered * nc, g->numbered * nc));
  PetscCall(MatSetBlockSize(s->A, nc));
  PetscCall(MatSetType(s->A, MATAIJ));
  PetscCall(MatSetFromOptions(s->A));
  PetscCall(MatCreateVecs(s->A, &s->u, &s->r));
  PetscCall(VecDuplicate(s->u, &s->du));
  PetscCall(SystemCreatePattern(s));
  PetscCall(SystemCreateHalo(s));
  PetscCall(SystemSetInitialState(s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SystemPreallocateCOO(System *s)
{
  const Grid    *g  = s->grid;
  const PetscInt nc = s->fluid->nc;
  PetscInt      *i, *j;
  PetscCount     n = 0, entries = s->row[g->last - g->first] * nc * nc;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(entries, &i, entries, &j));
  for (PetscInt row = g->first; row < g->last; row++) {
    for (PetscCount q = s->row[row - g->first]; q < s->row[row - g->first + 1]; q++) {
      for (PetscInt e = 0; e < nc * nc; e++) {
        i[n]   = row * nc + e / nc;
        j[n++] = s->col[q] * nc + e % nc;
      }
    }
  }
  PetscCall(MatSetPreallocationCOO(s->A, entries, i, j));
  PetscCall(PetscFree2(i, j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SystemPreallocateBlocks(System *s)
{
  const Grid    *g     = s->grid;
  const PetscInt owned = g->last - g->first;
  PetscInt      *inner, *outer;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc2(owned, &inner, owned, &outer));
  for (PetscInt l = 0; l < owned; l++)
    for (PetscCount q = s->row[l]; q < s->row[l + 1]; q++) (s->col[q] >= g->first && s->col[q] < g->last ? inner : outer)[l]++;
  PetscCall(MatXAIJSetPreallocation(s->A, s->fluid->nc, inner, outer, NULL, NULL));
  PetscCall(PetscFree2(inner, outer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tells the matrix its pattern, once. Collective. */
PetscErrorCode SystemPreallocate(System *s)
{
  PetscFunctionBeginUser;
  if (s->coo) PetscCall(SystemPreallocateCOO(s));
  else PetscCall(SystemPreallocateBlocks(s));
  if (s->fluid->nc == 1) PetscCall(MatSetOption(s->A, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SystemDestroy(System *s)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(s->row));
  PetscCall(PetscFree3(s->cell, s->col, s->trans));
  PetscCall(PetscFree2(s->values, s->mass));
  PetscCall(VecScatterDestroy(&s->halo));
  PetscCall(VecDestroy(&s->ghosted));
  PetscCall(VecDestroy(&s->u));
  PetscCall(VecDestroy(&s->r));
  PetscCall(VecDestroy(&s->du));
  PetscCall(MatDestroy(&s->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
