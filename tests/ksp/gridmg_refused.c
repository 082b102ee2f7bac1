static char help[] =
  "What PCGRIDMG says of matrices that it refuses: the row of a zero pivot, the unknowns per cell, and the grid of a matrix that comes after one that was refused.\n";

#include "common/ranks_grid.h"
#include "../mat/common/caught.h"

/* The row of the matrix that the cell of zeros begins with */
static PetscErrorCode ZeroRow(Grid g, PetscBool boxes, const char options[])
{
  const PetscInt cell = GridCells(&g) - 8, processes[] = {PETSC_DECIDE, PETSC_DECIDE, 1};
  PetscInt       rows[8], row, lo, hi, found = -1, begins;
  PetscReal      value;
  MatFactorError error;
  PCFailedReason reason;
  DM             da = NULL;
  AO             order;
  Mat            A;
  PC             pc;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("zero row, %d unknowns, boxes %d, %s", (int)g.bs, (int)boxes, options));
  PetscCall(PetscOptionsInsertString(NULL, options));
  if (boxes) {
    PetscCall(DMDAMatrix(&g, processes, &da, &A));
    PetscCall(DMDAFill(&g, da, A));
  } else {
    const PetscInt plane  = g.n[0] * g.n[1] * g.bs;
    PetscInt       planes = PETSC_DECIDE, all = g.n[2];

    PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &planes, &all));
    PetscCall(CheckMatCreate(PETSC_COMM_WORLD, planes * plane, PETSC_DETERMINE, 0, "bdiagh", PETSC_FALSE, &A)); /* the blocks are found in the pattern */
    PetscCall(GridFill(&g, A));
  }
  for (PetscInt p = 0; p < g.bs; p++) rows[p] = cell * g.bs + p;
  if (da) PetscCall(DMDAGetAO(da, &order));
  if (da) PetscCall(AOApplicationToPetsc(order, g.bs, rows));
  begins = rows[0];
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatZeroRows(A, begins >= lo && begins < hi ? g.bs : 0, rows, 0, NULL, NULL));
  PetscCall(GridMgCreate(A, &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &reason));
  PetscCall(MatFactorGetError(A, &error));
  PetscCall(CheckTrue(reason == PC_FACTOR_NUMERIC_ZEROPIVOT && error == MAT_FACTOR_NUMERIC_ZEROPIVOT, PCFailedReasons[reason]));
  PetscCall(MatFactorGetErrorZeroPivot(A, &value, &row));
  found = row;
  PetscCall(CheckTrue(found == begins, CheckText("row %d, found %d", (int)begins, (int)found)));
  PetscCall(CheckDestroy(&pc, &A, &da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A set-up that must end with an error with this text, or without any */
static PetscErrorCode SetUp(PC pc, Mat A, const char says[])
{
  PetscErrorCode code;

  PetscFunctionBeginUser;
  PetscCall(PCSetOperators(pc, A, A));
  CheckCaught(code, PCSetUp(pc));
  PetscCall(CheckTrue(says ? code && strstr(caught, says) : !code, code ? caught : "no error"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix, another one that is refused, and the first one again with a value where the grid has no neighbours */
static PetscErrorCode Refused(const Grid *g)
{
  Mat A, B;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("a refused matrix"));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, GridCells(g), GridCells(g), 8, NULL, &A));
  PetscCall(MatSetValue(A, g->n[0] - 1, g->n[0], 0, INSERT_VALUES)); /* the end of a line and the beginning of the next */
  PetscCall(GridFill(g, A));
  PetscCall(MatConvert(A, "bdiagh", MAT_INPLACE_MATRIX, &A));
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, GridCells(g), GridCells(g), 3, NULL, &B));
  for (PetscInt i = 0; i < GridCells(g); i++) {
    PetscCall(MatSetValue(B, i, i, 2, INSERT_VALUES));
    if (i >= 7) PetscCall(MatSetValue(B, i, i - 7, -1, INSERT_VALUES));
  }
  PetscCall(CheckAssemble(B));
  PetscCall(MatConvert(B, "bdiagh", MAT_INPLACE_MATRIX, &B));
  PetscCall(GridMgCreate(A, &pc));
  PetscCall(SetUp(pc, A, NULL));
  PetscCall(SetUp(pc, B, "No block diagonal has offset 1"));
  PetscCall(MatSetValue(A, g->n[0] - 1, g->n[0], -1, INSERT_VALUES));
  PetscCall(CheckAssemble(A));
  PetscCall(SetUp(pc, A, "no neighbours in a grid of 6 x 5 x 4"));
  PetscCall(CheckDestroy(&pc, &A, &B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More unknowns per cell than there are kernels for */
static PetscErrorCode Many(Grid g, const char options[])
{
  Mat A;
  PC  pc;

  PetscFunctionBeginUser;
  g.bs = 9;
  PetscCall(CheckWhere("%d unknowns, %s", (int)g.bs, options));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g.bs, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_WORLD, &g, &A));
  PetscCall(GridMgCreate(A, &pc));
  PetscCall(SetUp(pc, A, "up to 8 unknowns per cell, the matrix has 9: use -pc_type pbjacobi"));
  PetscCall(CheckDestroy(&pc, &A));
  PetscCall(PetscOptionsClearValue(NULL, "-mat_bdiagh_block_size"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid        g = {CELLS(6, 5, 4), .bs = 1, .seed = 5, .std = 0.5, .accumulation = 0.1, STRENGTHS(1, 2, 3)};
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  size = CheckProcesses();
  if (size == 1) PetscCall(Refused(&g));
  PetscCall(Many(g, "-pc_gridmg_divide 0"));
  PetscCall(Many(g, "-pc_gridmg_divide 1"));
  for (g.bs = 1; g.bs <= 3; g.bs += 2)
    for (int boxes = 0; boxes < 2; boxes++) {
      PetscCall(ZeroRow(g, (PetscBool)boxes, "-pc_gridmg_divide 0"));
      PetscCall(ZeroRow(g, (PetscBool)boxes, "-pc_gridmg_divide 1"));
      PetscCall(PetscOptionsClearValue(NULL, "-mat_bdiagh_block_size"));
    }
  return CheckFinish("gridmg_refused");
}

/*TEST
  test:
    suffix: quick
    comments: quick
  test:
    suffix: 2
    nsize: {{2 4}}
    output_file: output/gridmg_refused_2.out
  test:
    suffix: groups
    nsize: 2
    args: -heptane_groups 2
    output_file: output/gridmg_refused_2.out
  test:
    suffix: cuda
    requires: cuda
    output_file: output/gridmg_refused_quick.out
TEST*/
