/* The grid: sizes, the cells of this process, permeability and porosity from keyword files or from the built-in synthetic field. */
#include "reservoir.h"

static const PetscInt norne_cells[3] = {46, 112, 22};

typedef struct {
  char      perm[PETSC_MAX_PATH_LEN], poro[PETSC_MAX_PATH_LEN], actnum[PETSC_MAX_PATH_LEN], norne[PETSC_MAX_PATH_LEN];
  PetscBool has_perm, has_poro, has_actnum, has_norne, has_grid;
  PetscInt  cells[3];
} GridOptions;

static PetscErrorCode GridGetOptions(MPI_Comm comm, Grid *g, GridOptions *o)
{
  PetscInt  n = 4, m = 4; /* one more than belongs there, so that it is seen */
  PetscInt  cells[4];
  PetscReal size[4];
  PetscBool has_size;

  PetscFunctionBeginUser;
  PetscOptionsBegin(comm, NULL, "Reservoir grid", NULL);
  PetscCall(PetscOptionsIntArray("-grid", "Cells along each axis, J,H,I, J running fastest", NULL, cells, &n, &o->has_grid));
  PetscCheck(!o->has_grid || n == 3, comm, PETSC_ERR_ARG_SIZ, "-grid needs three sizes, as in -grid 46,112,22, and got %s",
             n > 3    ? "more"
             : n == 2 ? "2"
             : n      ? "1"
                      : "none");
  if (o->has_grid) PetscCall(PetscArraycpy(o->cells, cells, 3));
  PetscCall(PetscArraycpy(size, g->size, 3));
  PetscCall(PetscOptionsRealArray("-cell_size", "Edges of a cell in m, dx,dy,dz", NULL, size, &m, &has_size));
  PetscCheck(!has_size || m <= 3, comm, PETSC_ERR_ARG_SIZ, "-cell_size needs three positive lengths in m, as in -cell_size 80,80,10, and got more");
  PetscCall(PetscArraycpy(g->size, size, 3));
  PetscCheck((m == 3 || !has_size) && g->size[0] > 0 && g->size[1] > 0 && g->size[2] > 0, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-cell_size needs three positive lengths in m, as in -cell_size 80,80,10");
  PetscCall(PetscOptionsRangeReal("-kz_ratio", "Vertical over horizontal permeability", NULL, g->kz_ratio, &g->kz_ratio, NULL, 0, 1e6));
  PetscCall(PetscOptionsString("-perm", "Eclipse keyword file with PERMX in mD", NULL, NULL, o->perm, sizeof(o->perm), &o->has_perm));
  PetscCall(PetscOptionsString("-poro", "Eclipse keyword file with PORO", NULL, NULL, o->poro, sizeof(o->poro), &o->has_poro));
  PetscCall(PetscOptionsString("-actnum", "Eclipse keyword file with ACTNUM", NULL, NULL, o->actnum, sizeof(o->actnum), &o->has_actnum));
  PetscCall(PetscOptionsString("-norne", "Folder with the Norne field's PERM_0704.prop, PORO_0704.prop and actnum_singleblock.prop", NULL, NULL, o->norne,
                               sizeof(o->norne), &o->has_norne));
  PetscOptionsEnd();
  if (o->has_norne) {
    PetscCheck(!o->has_perm && !o->has_poro && !o->has_actnum, comm, PETSC_ERR_ARG_INCOMP,
               "-norne names all files of the Norne field: leave -perm, -poro and -actnum out");
    PetscCall(PetscSNPrintf(o->perm, sizeof(o->perm), "%s/PERM_0704.prop", o->norne));
    PetscCall(PetscSNPrintf(o->poro, sizeof(o->poro), "%s/PORO_0704.prop", o->norne));
    PetscCall(PetscSNPrintf(o->actnum, sizeof(o->actnum), "%s/actnum_singleblock.prop", o->norne));
    o->has_perm = o->has_poro = o->has_actnum = PETSC_TRUE;
  }
  PetscCheck(o->has_perm || !(o->has_poro || o->has_actnum), comm, PETSC_ERR_ARG_INCOMP,
             "-poro and -actnum belong to a field from files: give -perm as well, or leave all out for the synthetic field");
  PetscCheck(o->has_poro || !o->has_perm, comm, PETSC_ERR_ARG_INCOMP,
             "-perm needs -poro, the Eclipse keyword file with the porosity (it may be the same file)");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GridSetSizes(MPI_Comm comm, PetscInt nc, const GridOptions *o, Grid *g)
{
  PetscInt  cells[3] = {24, 24, 12}, file[3];
  PetscBool found    = PETSC_FALSE;

  PetscFunctionBeginUser;
  if (o->has_grid) PetscCall(PetscArraycpy(cells, o->cells, 3));
  else if (o->has_norne) PetscCall(PetscArraycpy(cells, norne_cells, 3));
  else if (o->has_perm) {
    PetscCall(DeckReadDimensions(comm, o->perm, file, &found));
    PetscCheck(found, comm, PETSC_ERR_ARG_INCOMP, "%s names no sizes: give the cells along each axis with -grid J,H,I, or the keyword DIMENS in the file",
               o->perm);
    PetscCall(PetscArraycpy(cells, file, 3));
  }
  for (PetscInt k = 0; k < 3; k++)
    PetscCheck(cells[k] > 0, comm, PETSC_ERR_ARG_OUTOFRANGE, "-grid has the size %" PetscInt_FMT ": sizes are at least 1", cells[k]);
  PetscCheck((double)cells[0] * cells[1] * cells[2] * nc < (double)PETSC_INT_MAX, comm, PETSC_ERR_INT_OVERFLOW,
             "%" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " cells of %" PetscInt_FMT
             " unknowns exceed PetscInt: choose a smaller -grid, or a PETSc configured with --with-64-bit-indices",
             cells[0], cells[1], cells[2], nc);
  g->nj    = cells[0];
  g->nh    = cells[1];
  g->ni    = cells[2];
  g->cells = g->nj * g->nh * g->ni;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Contiguous ranges of cells in natural order: the seven couplings then are block diagonals on every process. */
static PetscErrorCode GridPartition(Grid *g)
{
  PetscInt n = PETSC_DECIDE, N = g->cells;

  PetscFunctionBeginUser;
  PetscCall(PetscSplitOwnership(g->comm, &n, &N));
  PetscCallMPI(MPI_Scan(&n, &g->end, 1, MPIU_INT, MPI_SUM, g->comm));
  g->start = g->end - n;
  PetscCall(GridCreateFields(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for the properties of the owned cells and of the layers around them. */
PetscErrorCode GridCreateFields(Grid *g)
{
  const PetscInt n = g->end - g->start, layer = g->nj * g->nh;

  PetscFunctionBeginUser;
  g->gstart = n ? PetscMax(0, g->start - layer) : g->start;
  g->gend   = n ? g->end + PetscMin(layer, g->cells - g->end) : g->end;
  PetscCall(PetscCalloc2(g->gend - g->gstart, &g->kx, g->gend - g->gstart, &g->phi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GridReadFiles(const GridOptions *o, Grid *g)
{
  PetscReal *act;

  PetscFunctionBeginUser;
  PetscCall(DeckReadKeyword(g, o->perm, "PERMX", g->kx));
  PetscCall(DeckReadKeyword(g, o->poro, "PORO", g->phi));
  if (!o->has_actnum) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(g->gend - g->gstart, &act));
  PetscCall(DeckReadKeyword(g, o->actnum, "ACTNUM", act));
  for (PetscInt m = 0; m < g->gend - g->gstart; m++)
    if (act[m] == 0) g->kx[m] = 0;
  PetscCall(PetscFree(act));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cell without permeability or without porosity is inactive. */
static PetscErrorCode GridCount(Grid *g)
{
  PetscReal volume = 0;
  PetscInt  active = 0;

  PetscFunctionBeginUser;
  for (PetscInt m = g->gstart; m < g->gend; m++) {
    const PetscInt k = m - g->gstart;

    if (g->kx[k] <= 0 || g->phi[k] <= 0) g->kx[k] = g->phi[k] = 0;
    else if (m >= g->start && m < g->end) {
      active++;
      volume += g->phi[k];
    }
  }
  PetscCallMPI(MPIU_Allreduce(&active, &g->active, 1, MPIU_INT, MPI_SUM, g->comm));
  PetscCallMPI(MPIU_Allreduce(&volume, &g->pore_volume, 1, MPIU_REAL, MPIU_SUM, g->comm));
  g->pore_volume *= g->size[0] * g->size[1] * g->size[2];
  PetscCheck(g->active, g->comm, PETSC_ERR_ARG_OUTOFRANGE, "the field has no active cell: every cell has permeability 0, porosity 0 or ACTNUM 0");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sizes and fields as the options say; nc is only used to refuse a system that PetscInt cannot number. Collective. */
PetscErrorCode GridCreate(MPI_Comm comm, PetscInt nc, Grid *g)
{
  GridOptions o;

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(&o, sizeof(o)));
  PetscCall(PetscMemzero(g, sizeof(*g)));
  g->comm     = comm;
  g->size[0]  = 80;
  g->size[1]  = 80;
  g->size[2]  = 10;
  g->kz_ratio = 0.1;
  PetscCall(GridGetOptions(comm, g, &o));
  PetscCall(GridSetSizes(comm, nc, &o, g));
  PetscCall(GridPartition(g));
  if (o.has_perm) PetscCall(GridReadFiles(&o, g));
  else PetscCall(GridFillSynthetic(g));
  PetscCall(GridCount(g));
  PetscCall(GridNumberCells(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridDestroy(Grid *g)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree2(g->kx, g->phi));
  PetscCall(PetscFree(g->number));
  PetscFunctionReturn(PETSC_SUCCESS);
}
