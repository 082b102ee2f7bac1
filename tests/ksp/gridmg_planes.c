static char help[] = "PCGRIDMG on several processes: the planes of a DMDA, and one matrix that becomes that of other grids, against one process.\n";

#include "common/ranks_grid.h"
#include "../mat/common/check_device.h"

/* The matrix of a DMDA that processes divide along z alone, whose points have the numbers of the grid. says: a line of -ksp_view */
static PetscErrorCode Planes(Grid g, const char says[])
{
  Mat               A;
  Vec               x;
  PC                pc;
  DM                da;
  const PetscMPIInt size = CheckProcesses();

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("planes of a DMDA of %d unknowns", (int)g.bs));
  const PetscInt along_z[] = {1, 1, size};

  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_divide", "1"));
  PetscCall(DMDAMatrix(&g, along_z, &da, &A));
  PetscCall(GridFill(&g, A));
  PetscCall(CheckDevice(A));
  PetscCall(CheckVecs(A, &x, 7, NULL, 0));
  PetscCall(GridMgCreate(A, &pc));
  PetscCall(Against(&g, pc, x, NULL, PETSC_FALSE, "PCApply"));
  PetscCall(Says(pc, says, "-ksp_view"));
  PetscCall(CheckDestroy(&pc, &x, &A, &da));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_gridmg_divide"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How the matrix gets the pattern and the values of a grid. Of its own, PETSc gives the second pattern no other number */
typedef enum { COORDINATES, ENTRIES, COMPRESSED_ROWS, WAYS } Way;

static const char *const ways[] = {"MatSetPreallocationCOO", "MatMPIAIJSetPreallocation", "MatMPIAIJSetPreallocationCSR"};

static PetscErrorCode GiveGrid(const Grid *g, Mat A, Way way)
{
  PetscInt     lo, hi, n = 0, *i, *j, *ptr, cols[GRID_MAX];
  PetscScalar *v, vals[GRID_MAX];

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(PetscMalloc4(GRID_MAX * (hi - lo), &i, GRID_MAX * (hi - lo), &j, GRID_MAX * (hi - lo), &v, hi - lo + 1, &ptr));
  ptr[0] = 0;
  for (PetscInt r = lo; r < hi; r++) {
    const PetscInt m = GridRow(g, r, cols, vals);

    for (PetscInt k = 0; k < m; k++, n++) {
      i[n] = r;
      j[n] = cols[k];
      v[n] = vals[k];
    }
    ptr[r - lo + 1] = n;
  }
  if (way == COORDINATES) {
    PetscCall(MatSetPreallocationCOO(A, n, i, j));
    PetscCall(MatSetValuesCOO(A, v, INSERT_VALUES));
  } else if (way == ENTRIES) {
    PetscCall(MatMPIAIJSetPreallocation(A, GRID_MAX, NULL, GRID_MAX, NULL));
    for (PetscInt r = lo; r < hi; r++) PetscCall(MatSetValues(A, 1, &r, ptr[r - lo + 1] - ptr[r - lo], j + ptr[r - lo], v + ptr[r - lo], INSERT_VALUES));
    PetscCall(CheckAssemble(A));
  } else {
    PetscCall(MatMPIAIJSetPreallocationCSR(A, ptr, j, v));
  }
  PetscCall(PetscFree4(i, j, v, ptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One matrix becomes that of other grids with as many cells, in this way, or each time in another; divide: option */
static PetscErrorCode Anew(Grid g, const char divide[], Way way)
{
  const PetscInt shapes[][3] = {
    {9,  22, 8},
    {22, 9,  8},
    {11, 18, 8},
    {9,  22, 8}
  };
  Mat A;
  Vec x;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_divide", divide));
  PetscCall(Divided(&g, 0, "bdiagh", &A));
  PetscCall(CheckVecs(A, &x, 7, NULL, 0));
  PetscCall(GridMgCreate(A, &pc));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(shapes); k++) {
    const Way now = way < WAYS ? way : (Way)(k % WAYS);

    PetscCall(CheckWhere("-pc_gridmg_divide %s, grid %d of one matrix by %s", divide, (int)k, ways[now]));
    for (int a = 0; a < 3; a++) g.n[a] = shapes[k][a];
    g.wells = k % 2 ? 2 : 0;
    PetscCall(GiveGrid(&g, A, now));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(Against(&g, pc, x, NULL, PETSC_FALSE, "another grid"));
  }
  PetscCall(CheckDestroy(&x, &pc, &A));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_gridmg_divide"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid g = {CELLS(9, 22, 8), .bs = 1, .seed = 5, .std = 1.5, .accumulation = 1e-3, STRENGTHS(1, 2, 3)};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (int way = 0; way <= WAYS; way++) {
    PetscCall(Anew(g, "0", (Way)way));
    PetscCall(Anew(g, "1", (Way)way));
  }
  for (g.bs = 1; g.bs < 4; g.bs += 2) PetscCall(Planes(g, InSlabs("along y (memory to memory)")));
  return CheckFinish("gridmg_planes");
}

/*TEST
  testset:
    args: -pc_gridmg_precision single
    output_file: output/gridmg_planes.out
    requires: double
    test:
      suffix: 1
      nsize: {{3 4}}
    test:
      suffix: groups
      nsize: 2
      args: -heptane_groups 2
    test:
      suffix: 2
      comments: quick
      nsize: 2
    test:
      suffix: peer
      nsize: {{2 3 4}}
      args: -heptane_test_comm_check -heptane_comm peer
    test:
      suffix: mpi
      nsize: 2
      args: -heptane_comm mpi
    test:
      suffix: cuda
      nsize: 2
      requires: cuda
      args: -expect_cuda -heptane_test_comm_check -heptane_comm {{peer mpi}}
TEST*/
