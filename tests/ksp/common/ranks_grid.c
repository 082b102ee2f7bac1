#include "ranks_grid.h"

PetscErrorCode Divided(const Grid *g, PetscInt split, const char type[], Mat *A)
{
  PetscInt          m = PETSC_DECIDE, cells = GridCells(g), plane = g->n[0] * g->n[1];
  const PetscMPIInt size = CheckProcesses(), rank = CheckRank();

  PetscFunctionBeginUser;
  if (split == 1 && size > 1) m = rank ? cells / (size - 1) + (rank == 1 ? cells % (size - 1) : 0) : 0;
  if (split == 2) m = rank == size - 1 ? cells : 0;
  if (split == 3 && size > 1) m = !rank ? plane + 2 : (cells - plane - 2) / (size - 1) + (rank == 1 ? (cells - plane - 2) % (size - 1) : 0);
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &m, &cells));
  PetscCall(CheckMatCreate(PETSC_COMM_WORLD, m * g->bs, cells * g->bs, g->bs, type, PETSC_FALSE, A));
  PetscCall(GridFill(g, *A));
  if (g->bs == 1) PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DMDAMatrix(const Grid *g, const PetscInt processes[3], DM *da, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g->bs, 0, 0));
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, g->n[0], g->n[1], g->n[2], processes[0],
                         processes[1], processes[2], g->bs, 1, NULL, NULL, NULL, da));
  PetscCall(DMSetMatType(*da, "bdiagh"));
  PetscCall(DMSetUp(*da));
  PetscCall(DMCreateMatrix(*da, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DMDAFill(const Grid *g, DM da, Mat A)
{
  AO          order;
  PetscInt    lo[3], size[3], cols[GRID_MAX], *number, rows = GridCells(g) * g->bs;
  PetscScalar vals[GRID_MAX];

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(rows, &number));
  for (PetscInt i = 0; i < rows; i++) number[i] = i;
  PetscCall(DMDAGetAO(da, &order));
  PetscCall(AOApplicationToPetsc(order, rows, number));
  PetscCall(DMDAGetCorners(da, &lo[0], &lo[1], &lo[2], &size[0], &size[1], &size[2]));
  for (PetscInt k = 0; k < size[0] * size[1] * size[2] * g->bs; k++) {
    const PetscInt cell = k / g->bs, at[3] = {lo[0] + cell % size[0], lo[1] + cell / size[0] % size[1], lo[2] + cell / size[0] / size[1]};
    const PetscInt row = ((at[2] * g->n[1] + at[1]) * g->n[0] + at[0]) * g->bs + k % g->bs, n = GridRow(g, row, cols, vals);

    for (PetscInt q = 0; q < n; q++) cols[q] = number[cols[q]];
    PetscCall(MatSetValues(A, 1, &number[row], n, cols, vals, INSERT_VALUES));
  }
  PetscCall(CheckAssemble(A));
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DividedOrBoxes(const Grid *g, PetscInt split, DM *da, Mat *A)
{
  const PetscInt size = CheckProcesses(), boxes[] = {size % 2 ? size : 1, size % 2 ? 1 : 2, size % 2 ? 1 : size / 2};

  PetscFunctionBeginUser;
  *da = NULL;
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g->bs, 0, 0));
  if (split < 4) {
    PetscCall(Divided(g, split, "bdiagh", A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DMDAMatrix(g, boxes, da, A));
  PetscCall(DMDAFill(g, *da, *A));
  if (g->bs == 1) PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DividedOrBoxesFill(const Grid *g, DM da, Mat A)
{
  PetscFunctionBeginUser;
  if (da) PetscCall(DMDAFill(g, da, A));
  else PetscCall(GridFill(g, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y, in the numbering of the grid where it is that of a DMDA, on the first process */
static PetscErrorCode OnFirst(Vec y, DM da, Vec *whole)
{
  VecScatter scatter;
  Vec        natural = y;

  PetscFunctionBeginUser;
  if (da) {
    PetscCall(DMDACreateNaturalVector(da, &natural));
    PetscCall(DMDAGlobalToNaturalBegin(da, y, INSERT_VALUES, natural));
    PetscCall(DMDAGlobalToNaturalEnd(da, y, INSERT_VALUES, natural));
  }
  PetscCall(VecScatterCreateToZero(natural, &scatter, whole));
  PetscCall(VecScatterBegin(scatter, natural, *whole, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, natural, *whole, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterDestroy(&scatter));
  if (da) PetscCall(VecDestroy(&natural));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool ByMessages(void)
{
  char      comm[16] = "";
  PetscBool messages = PETSC_FALSE;

  PetscCallAbort(PETSC_COMM_SELF, PetscOptionsGetString(NULL, NULL, "-heptane_comm", comm, sizeof(comm), NULL));
  PetscCallAbort(PETSC_COMM_SELF, PetscStrcmp(comm, "mpi", &messages));
  return messages;
}

const char *SlabsBy(void)
{
  char      comm[16] = "";
  PetscBool nccl     = PETSC_FALSE;

  PetscCallAbort(PETSC_COMM_SELF, PetscOptionsGetString(NULL, NULL, "-heptane_comm", comm, sizeof(comm), NULL));
  PetscCallAbort(PETSC_COMM_SELF, PetscStrcmp(comm, "nccl", &nccl));
  return nccl ? "NCCL" : "memory to memory";
}

const char *InSlabs(const char says[])
{
  if (CheckOption("-expect_cuda") && !strcmp(SlabsBy(), "NCCL")) return "  processes: "; /* processes that share a GPU have no NCCL */
  return ByMessages() ? "grid on the first process, vectors by messages: -heptane_comm mpi" : says;
}

PetscErrorCode GridMgCreate(Mat A, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), pc));
  PetscCall(PCSetType(*pc, "gridmg"));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Against(const Grid *g, PC pc, Vec x, DM da, PetscBool other, const char what[])
{
  Grid              alone = *g;
  const PetscMPIInt rank  = CheckRank();
  PetscBool         same = PETSC_TRUE, cuda = CheckOption("-expect_cuda");
  PetscReal         error, norm;
  Mat               R;
  PC                one;
  Vec               y, whole[2], u, v;

  PetscFunctionBeginUser;
  alone.seed += other;
  PetscCall(VecDuplicate(x, &y));
  PetscCall(PCApply(pc, x, y));
  PetscCall(OnFirst(x, da, &whole[0]));
  PetscCall(OnFirst(y, da, &whole[1]));
  if (!rank) {
    PetscCall(GridCreate(PETSC_COMM_SELF, &alone, &R));
    PetscCall(MatCreateVecs(R, &u, &v));
    PetscCall(VecCopy(whole[0], u));
    PetscCall(GridMgCreate(R, &one));
    PetscCall(PCApply(one, u, v));
    PetscCall(VecNorm(v, NORM_INFINITY, &norm));
    PetscCall(VecAXPY(v, -1, whole[1]));
    PetscCall(VecNorm(v, NORM_INFINITY, &error));
    same = (PetscBool)(error <= (cuda ? 1e-4 * norm : 0));
    PetscCall(CheckDestroy(&u, &v, &one, &R));
  }
  PetscCallMPI(MPI_Bcast(&same, 1, MPI_C_BOOL, 0, PETSC_COMM_WORLD));
  PetscCall(CheckTrue(same != other, what));
  PetscCall(CheckDestroy(&whole[0], &whole[1], &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Says(PC pc, const char line[], const char what[])
{
  char text[2000];

  PetscFunctionBeginUser;
  PetscCall(CheckViewText((PetscObject)pc, PETSC_VIEWER_ASCII_INFO_DETAIL, text, sizeof(text)));
  PetscCall(CheckTrue(strstr(text, line) != NULL, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}
