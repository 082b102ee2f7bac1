/* Vertical wells through whole columns of cells. A bore has one pressure, and the sum of its inflows is the prescribed rate; the bore's
   pressure is eliminated, so the perforated cells couple with each other and leave entries off the seven block diagonals. */
#include "reservoir.h"

#define MAX RESERVOIR_MAX_UNKNOWNS

static const PetscReal darcy       = 8.527e-3; /* m3 cP / (day bar) per mD m */
static const PetscReal well_radius = 0.1;      /* m */

/* Active cells of every column of the grid, on every process. */
static PetscErrorCode WellsCountColumns(const Grid *g, PetscInt count[])
{
  const PetscInt columns = g->nj * g->nh;

  PetscFunctionBeginUser;
  PetscCall(PetscArrayzero(count, columns));
  for (PetscInt m = g->start; m < g->end; m++)
    if (g->kx[m - g->gstart] > 0) count[m % columns]++;
  for (PetscInt at = 0; at < columns; at += PetscMin(1 << 20, columns - at))
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count + at, (PetscMPIInt)PetscMin(1 << 20, columns - at), MPIU_INT, MPI_SUM, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Column nearest to the wanted place, of those that are at least half as thick as the thickest and have no well yet. */
static PetscInt WellsChooseColumn(const Grid *g, const Wells *w, const PetscInt count[], PetscInt thickest, PetscReal x, PetscReal y)
{
  PetscInt  best    = -1;
  PetscReal nearest = PETSC_MAX_REAL;

  for (PetscInt c = 0; c < g->nj * g->nh; c++) {
    const PetscReal dx = (c % g->nj + (PetscReal)0.5) / g->nj - x, dy = (c / g->nj + (PetscReal)0.5) / g->nh - y;

    if (2 * count[c] >= thickest && w->at[c] < 0 && dx * dx + dy * dy < nearest) {
      nearest = dx * dx + dy * dy;
      best    = c;
    }
  }
  return best;
}

/* Spreads the wells over the map with the golden ratio and fills at[] and first[]. */
static PetscErrorCode WellsPlace(const Grid *g, Wells *w, PetscInt column[])
{
  PetscInt *count, thickest = 0, thick = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(g->nj * g->nh, &count));
  PetscCall(WellsCountColumns(g, count));
  for (PetscInt c = 0; c < g->nj * g->nh; c++) {
    thickest = PetscMax(thickest, count[c]);
    w->at[c] = -1;
  }
  for (PetscInt c = 0; c < g->nj * g->nh; c++) thick += 2 * count[c] >= thickest;
  PetscCheck(w->n <= thick, g->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-wells %" PetscInt_FMT ": only %" PetscInt_FMT " columns of cells are thick enough for a well, ask for fewer", w->n, thick);
  w->first[0] = 0;
  for (PetscInt k = 0; k < w->n; k++) {
    const PetscReal x = (PetscReal)(0.2 + k * 0.6180339887498949), y = (k + (PetscReal)0.5) / w->n;

    column[k]        = WellsChooseColumn(g, w, count, thickest, x - PetscFloorReal(x), y);
    w->at[column[k]] = k;
    w->first[k + 1]  = w->first[k] + count[column[k]];
  }
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Perforates the active cells of the columns; index = 2 pi k dz / ln(equivalent radius / well radius), after Peaceman. */
static PetscErrorCode WellsPerforate(const Grid *g, Wells *w, const PetscInt column[])
{
  const PetscReal radius = (PetscReal)0.14 * PetscSqrtReal(g->size[0] * g->size[0] + g->size[1] * g->size[1]);
  const PetscReal factor = 2 * PETSC_PI * darcy * g->size[2] / PetscLogReal(PetscMax(radius / well_radius, 2));
  PetscReal      *k;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(w->n * g->ni, &k));
  for (PetscInt n = 0; n < w->n; n++) {
    for (PetscInt i = 0; i < g->ni; i++) {
      const PetscInt m = column[n] + i * g->nj * g->nh;

      if (m >= g->start && m < g->end) k[n * g->ni + i] = g->kx[m - g->gstart];
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, k, (PetscMPIInt)(w->n * g->ni), MPIU_REAL, MPIU_SUM, g->comm));
  for (PetscInt n = 0, p = 0; n < w->n; n++) {
    for (PetscInt i = 0; i < g->ni; i++) {
      const PetscInt m = column[n] + i * g->nj * g->nh;

      if (k[n * g->ni + i] <= 0) continue;
      w->cell[p]    = m;
      w->number[p]  = m >= g->start && m < g->end ? GridNumber(g, m) : 0;
      w->index[p++] = factor * k[n * g->ni + i];
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, w->number, (PetscMPIInt)w->first[w->n], MPIU_INT, MPI_SUM, g->comm));
  PetscCall(PetscFree(k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Wells 0, 2, 4, ... inject, the others produce; injection and production share the field's rate. Collective. */
PetscErrorCode WellsCreate(const Grid *g, Wells *w)
{
  PetscReal rate = 1e-5;
  PetscInt *column, injectors;

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(w, sizeof(*w)));
  w->n = 2;
  PetscOptionsBegin(g->comm, NULL, "Reservoir wells", NULL);
  PetscCall(PetscOptionsBoundedInt("-wells", "Number of wells, injectors and producers in turn", NULL, w->n, &w->n, NULL, 0));
  PetscCall(PetscOptionsRangeReal("-well_rate", "Injection and production of the field a day, as fractions of its pore volume", NULL, rate, &rate, NULL, 0, 1));
  PetscOptionsEnd();
  PetscCheck((double)w->n * g->ni < 1e8, g->comm, PETSC_ERR_ARG_OUTOFRANGE, "-wells %" PetscInt_FMT ": ask for fewer wells", w->n);
  PetscCall(PetscMalloc4(g->nj * g->nh, &w->at, w->n + 1, &w->first, w->n, &w->rate, w->n, &w->bore));
  PetscCall(PetscMalloc1(w->n, &column));
  PetscCall(WellsPlace(g, w, column));
  PetscCall(PetscMalloc4(w->first[w->n], &w->cell, w->first[w->n], &w->number, w->first[w->n], &w->index, w->first[w->n], &w->weight));
  PetscCall(WellsPerforate(g, w, column));
  PetscCall(PetscFree(column));
  injectors = (w->n + 1) / 2;
  for (PetscInt n = 0; n < w->n; n++) w->rate[n] = n % 2 ? rate * g->pore_volume / (w->n - injectors) : -rate * g->pore_volume / injectors;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WellsDestroy(Wells *w)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree4(w->at, w->first, w->rate, w->bore));
  PetscCall(PetscFree4(w->cell, w->number, w->index, w->weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Perforation of an owned or foreign cell, -1 without one. */
PetscInt WellsFind(const Wells *w, const Grid *g, PetscInt m)
{
  const PetscInt n = w->at[m % (g->nj * g->nh)];

  if (n >= 0)
    for (PetscInt p = w->first[n]; p < w->first[n + 1]; p++)
      if (w->cell[p] == m) return p;
  return -1;
}

static PetscReal WellsDepth(const Wells *w, const Grid *g, PetscInt p)
{
  return ((PetscReal)(w->cell[p] / (g->nj * g->nh)) + (PetscReal)0.5) * g->size[2];
}

/* Weights with the mobility of the state that the time step starts from; owned holds the nc unknowns of each owned number. Collective. */
PetscErrorCode WellsStartStep(Wells *w, const Grid *g, const Fluid *f, const PetscScalar owned[])
{
  PetscScalar mobility[MAX], derivative[MAX];

  PetscFunctionBeginUser;
  for (PetscInt p = 0; p < w->first[w->n]; p++) {
    const PetscInt m = w->cell[p];

    w->weight[p] = 0;
    if (m < g->start || m >= g->end) continue;
    FluidMobility(f, owned + (GridNumber(g, m) - g->first) * f->nc, mobility, derivative);
    for (PetscInt a = 0; a < f->nc; a++) w->weight[p] += w->index[p] * PetscRealPart(mobility[a]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, w->weight, (PetscMPIInt)w->first[w->n], MPIU_REAL, MPIU_SUM, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bore pressures for the present unknowns: sum of weight (p - gradient z - bore) = rate. Collective. */
PetscErrorCode WellsStartUpdate(Wells *w, const Grid *g, const Fluid *f, const PetscScalar owned[])
{
  PetscFunctionBeginUser;
  for (PetscInt n = 0; n < w->n; n++) {
    PetscReal weights = 0;

    w->bore[n] = 0;
    for (PetscInt p = w->first[n]; p < w->first[n + 1]; p++) {
      const PetscInt m = w->cell[p];

      weights += w->weight[p];
      if (m < g->start || m >= g->end) continue;
      w->bore[n] += w->weight[p] * (PetscRealPart(owned[(GridNumber(g, m) - g->first) * f->nc]) - f->mean_gradient * WellsDepth(w, g, p));
    }
    w->bore[n] /= weights;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, w->bore, (PetscMPIInt)w->n, MPIU_REAL, MPIU_SUM, g->comm));
  for (PetscInt n = 0; n < w->n; n++) {
    PetscReal weights = 0;

    for (PetscInt p = w->first[n]; p < w->first[n + 1]; p++) weights += w->weight[p];
    w->bore[n] -= w->rate[n] / weights;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Outflow of every phase through perforation p: flow += f_a weight (p - gradient z - bore), where f_a is the fractional flow of the cell for a
   producer, and water alone (oil, if it is the only phase) for an injector. here += derivative to the cell's unknowns; coupling[a] is f_a weight,
   and the derivative to the pressure of perforation q is -coupling[a] weight[q] / (sum of weights), which the caller adds for all q. */
void WellsFlow(const Wells *w, const Grid *g, const Fluid *f, PetscInt p, const PetscScalar u[], PetscScalar flow[], PetscScalar here[], PetscScalar coupling[])
{
  const PetscInt    nc = f->nc, n = w->at[w->cell[p] % (g->nj * g->nh)], injected = PetscMin(1, nc - 1);
  const PetscScalar drawdown = u[0] - f->mean_gradient * WellsDepth(w, g, p) - w->bore[n];
  PetscScalar       mobility[MAX], derivative[MAX], total = 0;

  FluidMobility(f, u, mobility, derivative);
  for (PetscInt a = 0; a < nc; a++) total += mobility[a];
  for (PetscInt a = 0; a < nc; a++) {
    const PetscScalar fraction = w->rate[n] < 0 ? (PetscScalar)(a == injected) : mobility[a] / total;

    coupling[a] = fraction * w->weight[p];
    flow[a] += coupling[a] * drawdown;
    here[a * nc] += coupling[a];
    if (w->rate[n] < 0) continue;
    for (PetscInt s = 1; s < nc; s++)
      here[a * nc + s] += w->weight[p] * drawdown * ((a == s) * derivative[a] - (a == 0) * derivative[0] - fraction * (derivative[s] - derivative[0])) / total;
  }
}
