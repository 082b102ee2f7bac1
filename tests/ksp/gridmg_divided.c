static char help[] =
  "Levels of PCGRIDMG divided among processes: the cycle of one process, for grids, axes, cycles and options of many kinds; solves; what is not divided, and why.\n";

#include "common/ranks_grid.h"
#include "../mat/common/check_device.h"

/* (M x, y) = (x, M y), to the rounding of the cycle */
static PetscErrorCode Symmetric(PC pc, Vec x)
{
  Vec         y, mx, my;
  PetscScalar a, b;
  PetscReal   n, m;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecDuplicate(x, &mx));
  PetscCall(VecDuplicate(x, &my));
  PetscCall(CheckVecFill(y, 11));
  PetscCall(PCApply(pc, x, mx));
  PetscCall(PCApply(pc, y, my));
  PetscCall(VecDot(mx, y, &a));
  PetscCall(VecDot(x, my, &b));
  PetscCall(VecNorm(mx, NORM_2, &n));
  PetscCall(VecNorm(y, NORM_2, &m));
  PetscCall(CheckTrue(PetscAbsScalar(a - b) < 1e-5 * n * m, "symmetry"));
  PetscCall(CheckDestroy(&y, &mx, &my));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cycle of one process with values, with others and for other rows per process. says: a line of -ksp_view; symmetric: it has to be */
static PetscErrorCode Cycle(Grid g, PetscInt split, const char options[], const char says[], PetscBool symmetric)
{
  Mat A;
  Vec x;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%d x %d x %d cells of %d, split %d, %s", (int)g.n[0], (int)g.n[1], (int)g.n[2], (int)g.bs, (int)split, options));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g.bs, 0, 0));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_precision", "single"));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(Divided(&g, split, "bdiagh", &A));
  PetscCall(CheckDevice(A));
  PetscCall(CheckVecs(A, &x, 7, NULL, 0));
  PetscCall(GridMgCreate(A, &pc));
  PetscCall(Against(&g, pc, x, NULL, PETSC_FALSE, "PCApply"));
  PetscCall(Says(pc, says, "-ksp_view"));
  if (symmetric) PetscCall(Symmetric(pc, x));
  g.seed++;
  PetscCall(GridFill(&g, A));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(Against(&g, pc, x, NULL, PETSC_FALSE, "changed values"));
  PetscCall(CheckDestroy(&x, &pc, &A));
  for (int k = 0; k < 7; k++) {
    const char *const names[] = {"-pc_gridmg_divide", "-pc_gridmg_smooths", "-pc_gridmg_line_axis", "-pc_gridmg_precision",
                                 "-pc_gridmg_half",   "-pc_gridmg_levels",  "-pc_gridmg_cycle"};

    PetscCall(PetscOptionsClearValue(NULL, names[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations on several processes and on one, which are as many */
static PetscErrorCode Solves(Grid g, KSPType type)
{
  PetscInt its[2] = {0, 0}, first;
  Mat      A;
  KSP      ksp;
  Vec      x, b;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("solves by %s, %d wells", type, (int)g.wells));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g.bs, 0, 0));
  for (int alone = 0; alone < 2; alone++) {
    const MPI_Comm comm = alone ? PETSC_COMM_SELF : PETSC_COMM_WORLD;

    PetscCall(GridCreate(comm, &g, &A));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(x, 1));
    PetscCall(MatMult(A, x, b));
    PetscCall(VecGetOwnershipRange(b, &first, NULL));
    if (!first) PetscCall(VecSetValue(b, 0, 1, ADD_VALUES));
    PetscCall(VecAssemblyBegin(b));
    PetscCall(VecAssemblyEnd(b));
    PetscCall(CheckKSPCreate(A, type, "gridmg", 1e-8, 200, &ksp));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(CheckKSPSolve(ksp, b, x, &its[alone], NULL));
    PetscCall(CheckDestroy(&ksp, &x, &b, &A));
  }
  PetscCall(CheckTrue(its[0] > 3 && PetscAbsInt(its[0] - its[1]) <= 1, "iterations are those of one process"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Wells in columns along z: where these are the lines, each lies in one slab */
static PetscErrorCode Wells(Grid g, PetscBool brief)
{
  const char *const in_two = InSlabs("finest 2 levels divided"), *const in_one = InSlabs("finest 1 levels divided");

  PetscFunctionBeginUser;
  g.wells = 2;
  if (brief) {
    PetscCall(Cycle(g, 0, "-pc_gridmg_divide 2", in_two, PETSC_TRUE));
    g.bs = 3;
    PetscCall(Cycle(g, 0, "-pc_gridmg_divide 1 -pc_gridmg_smooths 2", in_one, PETSC_FALSE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt split = 0; split < 3; split++) PetscCall(Cycle(g, split, "-pc_gridmg_divide 1", in_one, PETSC_TRUE));
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 2", in_two, PETSC_TRUE));
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 2 -pc_gridmg_smooths 2 -pc_gridmg_precision double", in_two, PETSC_TRUE));
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 1 -pc_gridmg_smooths 3", in_one, PETSC_TRUE));
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 1 -pc_gridmg_cycle w", in_one, PETSC_TRUE));
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 1 -pc_gridmg_cycle f -pc_gridmg_smooths 2", in_one, PETSC_FALSE));
  PetscCall(
    Cycle(g, 0, "-pc_gridmg_divide 1 -pc_gridmg_line_axis x", "by messages: entries off the block diagonals couple cells of several lines", PETSC_TRUE));
  g.bs = 3;
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 2", in_two, PETSC_FALSE));
  g.n[2] = 64; /* links on all levels, with more of a row than a thread loads ahead */
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 1", in_one, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* brief: wells alone, few cycles */
static PetscErrorCode Kinds(PetscBool brief)
{
  const Grid        g      = {CELLS(9, 22, 8), .bs = 1, .seed = 5, .std = 1.5, .accumulation = 1e-3, STRENGTHS(1, 2, 3)};
  const char *const in_two = InSlabs("finest 2 levels divided"), *const in_one = InSlabs("finest 1 levels divided");
  Grid      h    = g;
  PetscBool cuda = CheckOption("-expect_cuda");

  PetscFunctionBeginUser;
  if (brief) {
    PetscCall(Wells(g, brief));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 1 -pc_gridmg_smooths 1", cuda ? "cycle: v, on the device" : "cycle: v, on the host", PETSC_TRUE));
  for (PetscInt split = 0; split < 3; split++) PetscCall(Cycle(g, split, "-pc_gridmg_divide 1", InSlabs(CheckText("along y (%s)", SlabsBy())), PETSC_TRUE));
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 2", in_two, PETSC_TRUE));
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 2 -pc_gridmg_smooths 2", in_two, PETSC_TRUE));
  PetscCall(Cycle(g, 1, "-pc_gridmg_divide 2 -pc_gridmg_smooths 3 -pc_gridmg_precision double", in_two, PETSC_TRUE));
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 1 -pc_gridmg_cycle w", in_one, PETSC_TRUE));
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 1 -pc_gridmg_cycle f -pc_gridmg_smooths 2", in_one, PETSC_FALSE));
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 1 -pc_gridmg_half no", in_one, PETSC_TRUE));
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 1 -pc_gridmg_levels 2", in_one, PETSC_TRUE));
  h.n[0] = 6;
  h.n[1] = 11;
  h.n[2] = 27; /* slabs along the axis by which rows are divided, of odd extent */
  PetscCall(Cycle(h, 0, "-pc_gridmg_divide 2 -pc_gridmg_line_axis x", in_two, PETSC_TRUE));
  PetscCall(Cycle(h, 0, "-pc_gridmg_divide 1 -pc_gridmg_line_axis y", in_one, PETSC_TRUE));
  h.n[0] = 33;
  h.n[1] = 3; /* fewer slabs than processes, a last one of one row */
  PetscCall(Cycle(h, 0, "-pc_gridmg_divide 1", in_one, PETSC_TRUE));
  h             = g;
  h.strength[0] = 20; /* the first levels are paired along the other axis */
  h.strength[1] = 1;
  h.strength[2] = 60;
  PetscCall(Cycle(h, 0, "-pc_gridmg_divide 2", in_two, PETSC_TRUE));
  h          = g;
  h.inactive = 0.3;
  PetscCall(Cycle(h, 0, "-pc_gridmg_divide 2", in_two, PETSC_TRUE));
  h              = g;
  h.accumulation = 0; /* singular */
  PetscCall(Cycle(h, 0, "-pc_gridmg_divide 1", in_one, PETSC_FALSE));
  h = g;
  for (h.bs = 2; h.bs < 9; h.bs += 3) PetscCall(Cycle(h, 0, "-pc_gridmg_divide 2", in_two, PETSC_FALSE));
  PetscCall(Wells(g, brief));
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 0", "by messages: -pc_gridmg_divide 0", PETSC_TRUE));
  PetscCall(Cycle(g, 0, "-pc_gridmg_divide 30", "by messages: -pc_gridmg_divide is larger than", PETSC_TRUE));
  h      = g;
  h.n[1] = 2; /* one row of aggregates */
  PetscCall(Cycle(h, 0, "-pc_gridmg_divide 1", "too few for slabs", PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid      g = {CELLS(24, 33, 21), .bs = 1, .seed = 5, .std = 2.5, .accumulation = 1e-6, STRENGTHS(1, 4, 10)};
  PetscBool brief;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-brief", &brief));
  PetscCall(Kinds(brief));
  if (brief) return CheckFinish("gridmg_divided");
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_divide", "2"));
  PetscCall(Solves(g, KSPCG));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_divide", "-1")); /* by the estimate, whatever it says */
  PetscCall(Solves(g, KSPCG));
  g.wells        = 2;
  g.accumulation = 1e-2;
  PetscCall(Solves(g, "fusedcg"));
  PetscCall(Solves(g, "fusedbcgs"));
  g.bs = 3;
  PetscCall(Solves(g, "fusedbcgs"));
  return CheckFinish("gridmg_divided");
}

/*TEST
  testset:
    output_file: output/gridmg_divided.out
    requires: double
    test:
      suffix: 1
      nsize: {{2 3 4}}
    test:
      suffix: peer
      nsize: {{2 4}}
      args: -heptane_test_comm_check -heptane_comm peer
    test:
      suffix: mpi
      nsize: 2
      args: -heptane_comm mpi
    test:
      suffix: nccl
      nsize: {{2 3}}
      args: -log_sync 0 -heptane_comm nccl
    test:
      suffix: cuda
      nsize: 2
      requires: cuda
      args: -expect_cuda -heptane_test_comm_check -heptane_comm {{peer mpi nccl}}

  testset:
    output_file: output/gridmg_divided_brief.out
    requires: double
    args: -brief -heptane_test_comm_check -heptane_comm peer
    test:
      suffix: brief
      nsize: 3
    test:
      suffix: groups
      nsize: 3
      args: -heptane_groups {{2 3}}
    test:
      suffix: brief_2
      comments: quick
      nsize: 2
    # more processes than a kernel can exchange words with
    test:
      suffix: brief_9
      nsize: 9
    test:
      suffix: nccl_brief
      nsize: 4
      args: -log_sync 0 -heptane_comm nccl
    test:
      suffix: cuda_small
      nsize: 2
      requires: cuda
      args: -expect_cuda
TEST*/
