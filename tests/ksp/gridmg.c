static char help[] =
  "PCGRIDMG against a cycle with dense matrices: grids of every parity, line axes, cycles, unknowns per cell, wells, inactive cells; and against its own transpose.\n";

#include "common/gridcompare.h"
#include "common/system.h"

/* x' M y = y' M x */
static PetscErrorCode Symmetric(const Grid *g, PetscInt line, const char cycle[])
{
  Mat         A;
  Vec         x, y, z;
  PC          pc;
  PetscScalar xy, yx, norm;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%d x %d x %d cells of %d, lines along %d, %s cycle", (int)g->n[0], (int)g->n[1], (int)g->n[2], (int)g->bs, (int)line, cycle));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g->bs, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, g, &A));
  PetscCall(GridSolverCreate(g, &(GridCycle){.line = line, .cycle = cycle, .smooths = 1}, 0, A, &pc));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(x, &z));
  PetscCall(CheckVecFill(x, 3));
  PetscCall(CheckVecFill(y, 4));
  PetscCall(PCApply(pc, y, z));
  PetscCall(VecDot(x, z, &xy));
  PetscCall(PCApplyTranspose(pc, x, z));
  PetscCall(VecDot(z, y, &yx));
  PetscCall(VecDot(z, x, &norm));
  PetscCall(CheckTrue(PetscRealPart(norm) > 0 && PetscAbsScalar(xy - yx) <= 1e5 * PETSC_MACHINE_EPSILON * PetscRealPart(norm), "symmetric and positive"));
  PetscCall(CheckDestroy(&pc, &x, &y, &z, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cycles, levels and sweeps on one grid */
static PetscErrorCode Cycles(Grid g)
{
  const char *const cycles[] = {"v", "w", "f"};

  PetscFunctionBeginUser;
  for (int c = 0; c < 3; c++)
    for (PetscInt most = 0; most < 4; most += 2)
      for (PetscInt smooths = 1; smooths < 3; smooths++)
        PetscCall(CompareCycle(&g, (GridCycle){.line = 2, .cycle = cycles[c], .most = most, .smooths = smooths}, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Grids of every parity, thin in one direction or two, with every line axis; brief: few of them */
static PetscErrorCode Grids(Grid g, PetscBool brief)
{
  const PetscInt grids[][3] = {
    {1,  1, 1 },
    {2,  1, 1 },
    {1,  3, 1 },
    {1,  1, 31},
    {17, 1, 1 },
    {1,  2, 5 },
    {2,  2, 1 },
    {3,  1, 4 },
    {5,  4, 1 },
    {1,  8, 7 },
    {16, 3, 1 },
    {3,  3, 3 },
    {4,  4, 4 },
    {5,  3, 2 },
    {2,  6, 7 },
    {7,  2, 6 },
    {6,  7, 3 },
    {5,  7, 6 },
    {4,  1, 9 },
    {9,  8, 2 },
  };

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(grids); k += brief ? 6 : 1)
    for (PetscInt line = 0; line < 3; line++)
      for (g.bs = 1; g.bs < 4; g.bs++) {
        PetscCall(PetscArraycpy(g.n, grids[k], 3));
        g.inactive = k % 3 == 2 ? 0.3 : 0;
        PetscCall(CompareCycle(&g, (GridCycle){.line = line, .cycle = "v", .smooths = 1}, PETSC_FALSE));
        if (g.bs == 1) PetscCall(Symmetric(&g, line, k % 2 ? "v" : "w"));
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A thread per row of a cell: lines of more cells than a block has chunks, wells, inactive cells, symmetric systems. brief: one */
static PetscErrorCode Blocks(Grid g, Grid well, PetscBool brief)
{
  PetscFunctionBeginUser;
  g.inactive = 0.3;
  PetscCall(PetscArraycpy(g.n, ((PetscInt[]){3, 2, 19}), 3));
  for (g.bs = 5; g.bs < 9; g.bs += brief ? 4 : 3) PetscCall(CompareCycle(&g, (GridCycle){.line = 2, .cycle = "v", .smooths = 1}, PETSC_FALSE));
  if (brief) PetscFunctionReturn(PETSC_SUCCESS);
  g.symmetric = PETSC_TRUE;
  g.bs        = 7;
  PetscCall(Symmetric(&g, 2, "v"));
  well.bs = 4;
  PetscCall(CompareCycle(&well, (GridCycle){.line = 2, .cycle = "v", .smooths = 1}, PETSC_FALSE));
  well.bs = 6;
  PetscCall(PetscArraycpy(well.n, ((PetscInt[]){4, 4, 7}), 3));
  PetscCall(CompareCycle(&well, (GridCycle){.line = 1, .cycle = "v", .smooths = 2}, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Wells in lines of many lengths, whose inverses have fewer rows than a warp has lanes, as many, more, and more than these load ahead */
static PetscErrorCode Lines(Grid well, PetscBool brief)
{
  const PetscInt lines[][2] = {
    {2,   1},
    {31,  1},
    {32,  1},
    {33,  1},
    {70,  1},
    {97,  1},
    {130, 1},
    {150, 1},
    {33,  2},
    {21,  3},
    {17,  4},
    {19,  5},
    {40,  8},
  };

  PetscFunctionBeginUser;
  for (size_t k = brief; k < PETSC_STATIC_ARRAY_LENGTH(lines); k += brief ? 4 : 1) {
    PetscCall(PetscArraycpy(well.n, ((PetscInt[]){3, 2, lines[k][0]}), 3));
    well.bs = lines[k][1];
    PetscCall(CompareCycle(&well, (GridCycle){.line = 2, .cycle = "v", .smooths = 1}, PETSC_FALSE));
    if (!brief && lines[k][1] < 4) PetscCall(CompareCycle(&well, (GridCycle){.line = 2, .cycle = "w", .smooths = 2}, PETSC_FALSE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid      g     = {CELLS(4, 3, 5), .bs = 1, .seed = 2, STRENGTHS(1, 2, 5), .std = 1.5, .accumulation = 0.1};
  Grid      well  = {CELLS(5, 4, 9), .bs = 1, .seed = 3, STRENGTHS(1, 2, 5), .std = 1, .accumulation = 0.1, .wells = 2};
  PetscBool brief = PETSC_FALSE;
  PetscInt  before[2];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-brief", &brief, NULL));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_bdiagh_max_remainder", "1"));
  PetscCall(Grids(g, brief));
  for (g.bs = 4; g.bs < 9; g.bs += brief ? 4 : 1) PetscCall(CompareCycle(&g, (GridCycle){.line = 1, .cycle = "w", .smooths = 1}, PETSC_FALSE));
  PetscCall(Blocks(g, well, brief));
  PetscCall(Lines(well, brief));
  for (g.bs = well.bs = 1; g.bs < 4; g.bs += 2, well.bs += 2) {
    PetscCall(PetscArraycpy(g.n, ((PetscInt[]){7, 6, 5}), 3));
    if (!brief) PetscCall(Cycles(g));
    if (!brief) PetscCall(Cycles(well));
    PetscCall(CompareCycle(&well, (GridCycle){.line = 0, .cycle = "v", .smooths = 1}, PETSC_FALSE));
    PetscCall(CompareCycle(&well, (GridCycle){.line = 1, .cycle = "w", .smooths = 1}, PETSC_FALSE));
    RejectBegin(before);
    PetscCall(CompareCycle(&g, (GridCycle){.line = 2, .cycle = "v", .smooths = 1}, PETSC_TRUE));
    PetscCall(RejectEnd(before, "the cycle of other values is told from the right one"));
  }
  return CheckFinish("gridmg");
}

/*TEST
  testset:
    output_file: output/gridmg.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: cuda
      requires: cuda
      args: -expect_cuda

  # for compute-sanitizer, with which a launch takes 10 ms
  testset:
    args: -brief
    output_file: output/gridmg_small.out
    test:
      suffix: small
    test:
      suffix: cuda_small
      requires: cuda
      args: -expect_cuda
TEST*/
