static char help[] =
  "The matrix of PCGRIDMG on the first process after changes of values and of the pattern, against MatCreateSubMatrices(); bytes that go there by MPI.\n";

#include "common/gridcg.h"
#include "common/ranks_grid.h"
#include "common/first.h"
#include "../mat/common/check_device.h"

static PetscErrorCode Fill(const Grid *g, DM da, Mat A)
{
  PetscFunctionBeginUser;
  if (da) PetscCall(DMDAFill(g, da, A));
  else PetscCall(GridFill(g, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve that joins the processes, if they exchange by NCCL */
static PetscErrorCode Solve(KSP ksp, Mat A)
{
  char    text[8000];
  Outcome ours;

  PetscFunctionBeginUser;
  PetscCall(CgRun(ksp, A, PETSC_FALSE, &ours, NULL));
  PetscCall(CheckTrue(ours.reason > 0, CheckText("a solve: %s", KSPConvergedReasons[ours.reason])));
  PetscCall(CheckViewText((PetscObject)ksp, PETSC_VIEWER_ASCII_INFO, text, sizeof(text)));
  PetscCall(CheckTrue(strstr(text, "grid on the first process") != NULL, "the view"));
  first_by_nccl = (PetscBool)(strstr(text, "vectors by NCCL") != NULL);
  PetscCall(CheckTrue(first_by_nccl == !ByMessages() || CheckOption("-expect_cuda"), "NCCL on the host"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Changes that leave PETSc's rows, our format, or one block of one process with the new values */
static PetscErrorCode Values(Grid *g, DM da, Mat A, PC pc)
{
  const PetscInt *columns;
  PetscInt        first, end;
  Mat             block[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    g->seed++;
    PetscCall(Fill(g, da, A));
    PetscCall(FirstSetUp(da, A, pc, NEW_VALUES, "values by MatSetValues()"));
  }
  PetscCall(MatScale(A, 1.5));
  PetscCall(FirstSetUp(da, A, pc, NEW_VALUES, "MatScale()"));
  PetscCall(FirstCompare(da, A, pc, PETSC_TRUE, "other values are noticed"));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], &columns));
    if (CheckRank() == CheckProcesses() - 1) PetscCall(MatScale(block[k], 1.25));
    PetscCall(CheckAssemble(A)); /* to count a change of A */
    PetscCall(FirstSetUp(da, A, pc, NEW_VALUES, k ? "the other block of one process" : "the block on the diagonal of one process"));
  }
  PetscCall(MatBindToCPU(A, PETSC_TRUE));
  PetscCall(MatShift(A, 1));
  PetscCall(FirstSetUp(da, A, pc, NEW_PLACE, "a matrix that is bound to the host"));
  PetscCall(MatScale(A, 0.5));
  PetscCall(FirstSetUp(da, A, pc, NEW_VALUES_ON_HOST, "the same, with other values"));
  PetscCall(MatBindToCPU(A, PETSC_FALSE));
  PetscCall(MatScale(A, 2));
  PetscCall(FirstSetUp(da, A, pc, NEW_PLACE, "the same, not bound"));
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatZeroRows(A, end > first, &first, 1, NULL, NULL));
  PetscCall(FirstSetUp(da, A, pc, NEW_VALUES, "MatZeroRows()"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A pattern that the matrix does not count: one more entry in a block of the last process */
static PetscErrorCode OneMore(DM da, Mat A, PC pc)
{
  const PetscInt *columns;
  PetscInt        last;
  Mat             block[2];

  PetscFunctionBeginUser;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], &columns));
  if (CheckRank() == CheckProcesses() - 1) {
    PetscCall(MatGetSize(block[0], &last, NULL));
    PetscCall(MatSetOption(block[0], MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
    PetscCall(MatSetOption(block[0], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatSetValue(block[0], 0, last - 1, -0.5, INSERT_VALUES));
    PetscCall(CheckAssemble(block[0]));
  }
  PetscCall(MatScale(A, 2));
  PetscCall(FirstSetUp(da, A, pc, NEW_PATTERN, "one entry more"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Case(Grid g, PetscInt split)
{
  const PetscInt size = CheckProcesses(), boxes[] = {size % 2 ? size : 1, size % 2 ? 1 : 2, size % 2 ? 1 : size / 2};
  DM             da = NULL;
  PC             pc;
  KSP            ksp;
  Mat            A;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%d unknowns, split %d", (int)g.bs, (int)split));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g.bs, 0, 0));
  if (split < 4) PetscCall(Divided(&g, split, "bdiagh", &A));
  else PetscCall(DMDAMatrix(&g, boxes, &da, &A));
  if (split == 4) PetscCall(DMDAFill(&g, da, A));
  PetscCall(CheckDevice(A));
  PetscCall(CgCreate(A, g.bs == 1 ? "fusedcg" : "fusedbcgs", KSP_NORM_UNPRECONDITIONED, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(FirstSetUp(da, A, pc, NEW_PATTERN, "the first set-up"));
  PetscCall(Solve(ksp, A));
  PetscCall(Values(&g, da, A, pc));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_FALSE));
  g.wells = 2;
  PetscCall(Fill(&g, da, A));
  PetscCall(FirstSetUp(da, A, pc, NEW_PATTERN, "entries off the diagonals"));
  PetscCall(Values(&g, da, A, pc));
  PetscCall(Fill(&g, da, A));
  PetscCall(Solve(ksp, A));
  PetscCall(OneMore(da, A, pc));
  PetscCall(CheckDestroy(&ksp, &A));
  if (da) PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of this process and one of the next one, each diagonal entry in two parts, and an ignored entry after each row; the pattern if there is none */
static PetscErrorCode SetCOO(const Grid *g, Mat A, PetscBool pattern)
{
  PetscInt    first, end, all, n = 0, *i, *j, cols[GRID_MAX];
  PetscScalar vals[GRID_MAX], *v;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  PetscCall(MatGetSize(A, &all, NULL));
  PetscCall(PetscMalloc3((end - first) * GRID_MAX, &i, (end - first) * GRID_MAX, &j, (end - first) * GRID_MAX, &v));
  for (PetscInt r = first; r < end; r++) {
    const PetscInt row = (r + 1) % all, m = GridRow(g, row, cols, vals);

    for (PetscInt q = 0; q < m; q++)
      for (int part = 0; part < 1 + (cols[q] == row); part++) {
        i[n]   = row;
        j[n]   = cols[q];
        v[n++] = vals[q] / (1 + (cols[q] == row));
      }
    i[n]   = -1;
    j[n]   = row;
    v[n++] = 1e6;
  }
  if (pattern) PetscCall(MatSetPreallocationCOO(A, n, i, j));
  PetscCall(MatSetValuesCOO(A, v, INSERT_VALUES));
  PetscCall(PetscFree3(i, j, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Coordinates(Grid g, PetscInt split)
{
  PC  pc;
  KSP ksp;
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("coordinates, %d unknowns, split %d", (int)g.bs, (int)split));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g.bs, 0, 0));
  PetscCall(Divided(&g, split, "bdiagh", &A));
  PetscCall(CgCreate(A, g.bs == 1 ? "fusedcg" : "fusedbcgs", KSP_NORM_UNPRECONDITIONED, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  for (g.wells = 0; g.wells < 4; g.wells += 2) {
    PetscCall(SetCOO(&g, A, PETSC_TRUE));
    PetscCall(FirstSetUp(NULL, A, pc, NEW_PATTERN, "MatSetPreallocationCOO()"));
    PetscCall(Solve(ksp, A));
    for (int k = 0; k < 2; k++) {
      g.seed++;
      PetscCall(SetCOO(&g, A, PETSC_FALSE));
      PetscCall(FirstSetUp(NULL, A, pc, NEW_VALUES, "MatSetValuesCOO()"));
    }
  }
  PetscCall(CheckDestroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More values of a process than a message has */
static PetscErrorCode Long(Grid g)
{
  PC  pc;
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("long messages"));
  g.n[0] = g.n[1] = 40;
  g.n[2]          = 80;
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g.bs, 0, 0));
  PetscCall(Divided(&g, 0, "bdiagh", &A));
  PetscCall(GridMgCreate(A, &pc));
  for (int k = 0; k < 2; k++) {
    PetscCall(FirstSetUp(NULL, A, pc, k ? NEW_VALUES : NEW_PATTERN, "long messages"));
    g.seed++;
    PetscCall(GridFill(&g, A));
  }
  PetscCall(CheckDestroy(&pc, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid      g = {CELLS(7, 6, 9), .bs = 1, .seed = 5, .std = 1.5, .accumulation = 1e-3, STRENGTHS(1, 2, 3)};
  PetscBool brief;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  brief = CheckOption("-brief");
  PetscCall(PetscOptionsInsertString(NULL, "-pc_gridmg_divide 0 -heptane_groups no"));
  for (PetscInt split = brief ? 4 : 0; split < 5; split++)
    for (g.bs = 1; g.bs < 4; g.bs += 2) {
      PetscCall(Case(g, split));
      if (split < 4 || brief) PetscCall(Coordinates(g, split % 4));
    }
  g.bs = 1;
  if (!brief && ByMessages()) PetscCall(Long(g));
  return CheckFinish("gridmg_first");
}

/*TEST
  testset:
    args: -pc_gridmg_precision double -log_sync 0
    output_file: output/gridmg_first.out
    test:
      suffix: mpi
      nsize: {{2 3 4}}
      args: -heptane_comm mpi
    test:
      suffix: nccl
      nsize: {{2 3}}
      args: -heptane_comm nccl
    test:
      suffix: cuda
      nsize: {{2 3}}
      requires: cuda
      args: -expect_cuda -heptane_comm {{mpi nccl}}
  testset:
    args: -pc_gridmg_precision double -log_sync 0 -brief
    output_file: output/gridmg_first_brief.out
    nsize: 2
    test:
      suffix: brief
      comments: quick
      args: -heptane_comm nccl
    test:
      suffix: cuda_brief
      requires: cuda
      args: -expect_cuda -heptane_comm nccl
TEST*/
