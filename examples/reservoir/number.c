/* Which cells have unknowns, and their numbers: all cells, or the active ones alone, in natural order either way. With the active ones alone the cells
   are dealt out anew, so that every process has as many unknowns as the others. */
#include "reservoir.h"

static PetscInt CountActive(const Grid *g, PetscInt from, PetscInt to)
{
  PetscInt active = 0;

  for (PetscInt m = from; m < to; m++) active += g->kx[m - g->gstart] > 0;
  return active;
}

/* Number of active cells that belong to the processes before this one. Collective. */
static PetscErrorCode CountActiveBefore(const Grid *g, PetscInt *before)
{
  const PetscInt owned = CountActive(g, g->start, g->end);

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Scan(&owned, before, 1, MPIU_INT, MPI_SUM, g->comm));
  *before -= owned;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sends a property of the cells from their owners in the old partition to those who know them in the new one. Collective. */
static PetscErrorCode MoveProperty(const Grid *old, const PetscReal from[], const Grid *g, PetscReal to[])
{
  Vec        owned, known;
  IS         cells;
  VecScatter move;

  PetscFunctionBeginUser;
  PetscCall(VecCreateMPIWithArray(g->comm, 1, old->end - old->start, g->cells, from + (old->start - old->gstart), &owned));
  PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, g->gend - g->gstart, to, &known));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, g->gend - g->gstart, g->gstart, 1, &cells));
  PetscCall(VecScatterCreate(owned, cells, known, NULL, &move));
  PetscCall(VecScatterBegin(move, owned, known, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(move, owned, known, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterDestroy(&move));
  PetscCall(ISDestroy(&cells));
  PetscCall(VecDestroy(&known));
  PetscCall(VecDestroy(&owned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ranges of cells with equally many active ones: process r > 0 starts at the active cell r A/P (or past the last cell if there are too few). Collective. */
static PetscErrorCode DealOutActive(Grid *g)
{
  Grid        old = *g;
  PetscMPIInt size, rank, r = 1;
  PetscInt   *bound, at, share, rest;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(g->comm, &size));
  PetscCallMPI(MPI_Comm_rank(g->comm, &rank));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  share = g->active / size;
  rest  = g->active % size;
  PetscCall(CountActiveBefore(g, &at));
  PetscCall(PetscCalloc1(size + 1, &bound));
  for (PetscInt m = g->start; m < g->end; m++) {
    if (g->kx[m - g->gstart] <= 0) continue;
    while (r < size && r * share + PetscMin(r, rest) < at) r++;
    while (r < size && r * share + PetscMin(r, rest) == at) bound[r++] = m;
    at++;
  }
  for (r = 1; r <= size && !rank; r++)
    if (r * share + PetscMin(r, rest) == g->active) bound[r] = g->cells;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bound, size + 1, MPIU_INT, MPI_SUM, g->comm));
  g->start = bound[rank];
  g->end   = bound[rank + 1];
  PetscCall(PetscFree(bound));
  PetscCall(GridCreateFields(g));
  PetscCall(MoveProperty(&old, old.kx, g, g->kx));
  PetscCall(MoveProperty(&old, old.phi, g, g->phi));
  PetscCall(PetscFree2(old.kx, old.phi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the cells that have unknowns as -number says. Collective. */
PetscErrorCode GridNumberCells(Grid *g)
{
  char      choice[16] = "all";
  PetscBool all, active;

  PetscFunctionBeginUser;
  PetscOptionsBegin(g->comm, NULL, "Reservoir numbering", NULL);
  PetscCall(PetscOptionsString("-number", "Cells that have unknowns: all, or active", NULL, choice, choice, sizeof(choice), NULL));
  PetscOptionsEnd();
  PetscCall(PetscStrcmp(choice, "all", &all));
  PetscCall(PetscStrcmp(choice, "active", &active));
  PetscCheck(all || active, g->comm, PETSC_ERR_ARG_WRONG,
             "-number '%s': choose all (inactive cells keep rows of the identity) or active (only active cells have unknowns)", choice);
  if (active) PetscCall(DealOutActive(g));
  g->only_active = active;
  g->numbered    = active ? g->active : g->cells;
  if (active) PetscCall(CountActiveBefore(g, &g->first));
  else g->first = g->start;
  g->last   = g->first + (active ? CountActive(g, g->start, g->end) : g->end - g->start);
  g->gfirst = g->first - (active ? CountActive(g, g->gstart, g->start) : g->start - g->gstart);
  PetscCall(PetscMalloc1(g->gend - g->gstart, &g->number));
  g->glast = g->gfirst;
  for (PetscInt k = 0; k < g->gend - g->gstart; k++) g->number[k] = active && g->kx[k] <= 0 ? -1 : g->glast++;
  PetscFunctionReturn(PETSC_SUCCESS);
}
