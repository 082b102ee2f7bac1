static char help[] =
  "PCGRIDMG on several processes against one: random grids, rows cut anywhere or boxes of a DMDA, unknowns, wells, inactive cells, cycles, divided levels.\n"
  "  -first, -number: seeds, each of one system\n";

#include "common/ranks_grid.h"
#include "../mat/common/check_device.h"
#include "../mat/common/random_below.h"

/* The grid of a seed, and the options of the preconditioner */
static PetscErrorCode Draw(PetscInt seed, unsigned long long *state, Grid *g, PetscBool *boxes)
{
  const PetscInt    blocks[] = {1, 1, 1, 2, 3, 5, 8};
  const char *const cycles[] = {"w", "f", "v", "v", "v", "v"}, *const axes[] = {"x", "y", "auto", "auto"};
  char options[256];

  PetscFunctionBeginUser;
  *g = (Grid){.bs = blocks[RandomBelow(state, 7)], .seed = seed, .std = 1.5, .accumulation = 1e-3, STRENGTHS(1, 2, 3)};
  for (int a = 0; a < 3; a++) {
    g->n[a]        = (a ? 1 : 3) + RandomBelow(state, 11); /* with two cells a matrix may be a dense block */
    g->strength[a] = 1 + RandomBelow(state, 5);
  }
  if (RandomBelow(state, 4) == 0) g->n[2] = 1;
  if (RandomBelow(state, 3) == 0) g->n[1] = 8 + RandomBelow(state, 30);
  *boxes      = (PetscBool)(RandomBelow(state, 3) == 0);
  g->wells    = RandomBelow(state, 4) == 0 && !*boxes ? 1 + RandomBelow(state, 2) : 0;
  g->inactive = RandomBelow(state, 5) == 0 ? 0.3 : 0;
  PetscCall(PetscSNPrintf(options, sizeof(options),
                          "-pc_gridmg_divide %d -pc_gridmg_cycle %s -pc_gridmg_smooths %d -pc_gridmg_line_axis %s -pc_gridmg_half %d -mat_bdiagh_block_size %d "
                          "-pc_gridmg_grid %d,%d,%d",
                          (int)RandomBelow(state, 5) - 1, cycles[RandomBelow(state, 6)], RandomBelow(state, 4) ? 1 : 2, axes[RandomBelow(state, 4)],
                          RandomBelow(state, 4) ? 1 : 0, (int)g->bs, (int)g->n[0], (int)g->n[1], (int)g->n[2]));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(CheckWhere("seed %d: %d wells, %g inactive, boxes %d, %s", (int)seed, (int)g->wells, (double)g->inactive, (int)*boxes, options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows cut at random places, some processes perhaps without any */
static PetscErrorCode Cut(const Grid *g, unsigned long long *state, Mat *A)
{
  const PetscMPIInt size = CheckProcesses(), rank = CheckRank();
  PetscInt          cells = GridCells(g), cut[17] = {0};

  PetscFunctionBeginUser;
  PetscCheck(size <= 16, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "At most 16 processes");
  for (PetscMPIInt p = 1; p < size; p++) cut[p] = RandomBelow(state, cells + 1);
  PetscCall(PetscSortInt(size - 1, cut + 1));
  cut[size] = cells;
  PetscCall(CheckMatCreate(PETSC_COMM_WORLD, (cut[rank + 1] - cut[rank]) * g->bs, cells * g->bs, g->bs, "bdiagh", PETSC_FALSE, A));
  PetscCall(GridFill(g, *A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Seed(PetscInt seed)
{
  const PetscInt     processes[] = {PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE};
  unsigned long long state       = (unsigned long long)seed * 7919 + 12345;
  const PetscMPIInt  size        = CheckProcesses();
  PetscBool          boxes;
  Grid               g;
  DM                 da = NULL;
  Mat                A;
  Vec                x;
  PC                 pc;

  PetscFunctionBeginUser;
  (void)RandomBelow(&state, 2); /* neighbouring seeds begin alike */
  PetscCall(Draw(seed, &state, &g, &boxes));
  for (int a = 0; a < 2 && boxes; a++) g.n[a] += size; /* a box for each process */
  if (boxes) {
    PetscCall(GridOption("-pc_gridmg_grid", "%d,%d,%d", g.n[0], g.n[1], g.n[2]));
    PetscCall(DMDAMatrix(&g, processes, &da, &A));
    PetscCall(DMDAFill(&g, da, A));
  } else PetscCall(Cut(&g, &state, &A));
  PetscCall(CheckDevice(A));
  PetscCall(CheckVecs(A, &x, 7, NULL, 0));
  PetscCall(GridMgCreate(A, &pc));
  PetscCall(Against(&g, pc, x, da, PETSC_FALSE, "PCApply"));
  PetscCall(CheckDestroy(&pc, &x, &A, &da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt first = 0, number = 40;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-first", &first, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-number", &number, NULL));
  for (PetscInt seed = first; seed < first + number; seed++) PetscCall(Seed(seed));
  return CheckFinish("gridmg_random");
}

/*TEST
  testset:
    args: -pc_gridmg_precision single
    output_file: output/gridmg_random.out
    requires: double
    test:
      suffix: 1
      nsize: {{2 3 4}}
    test:
      suffix: groups
      nsize: 2
      args: -heptane_groups 2 -first 10
    test:
      suffix: first
      comments: quick
      nsize: 2
      args: -first 10
    test:
      suffix: peer
      nsize: {{2 3 4}}
      args: -heptane_test_comm_check -heptane_comm peer -first 40
    test:
      suffix: cuda
      nsize: 2
      requires: cuda
      args: -expect_cuda -heptane_test_comm_check -heptane_comm peer -first 80
TEST*/
