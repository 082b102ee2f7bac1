static char help[] = "Log events of the levels of PCGRIDMG: their steps and flops, and that logging changes no answer.\n";

#include "common/grid.h"

/* y = the preconditioner for x; the flops that the process has logged on the way */
static PetscErrorCode Apply(Mat A, const char cycle[], PetscBool log, Vec x, Vec y, PetscLogDouble *flops)
{
  PetscLogDouble before;
  PC             pc;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_cycle", cycle));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_log", log ? "true" : "false"));
  PetscCall(CheckPCCreate(A, "gridmg", &pc));
  PetscCall(PCSetUp(pc));
  PetscCall(PetscGetFlops(&before));
  PetscCall(PCApply(pc, x, y));
  PetscCall(PetscGetFlops(flops));
  *flops -= before;
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the event of a level has counted until now; zeros where there is none of that name */
static PetscErrorCode Counted(int level, PetscInt *count, PetscLogDouble *flops)
{
  char               name[32];
  PetscEventPerfInfo info;
  PetscLogEvent      event;

  PetscFunctionBeginUser;
  *count = 0;
  *flops = 0;
  PetscCall(PetscSNPrintf(name, sizeof(name), "GridMGLevel%d", level));
  PetscCall(PetscLogEventGetId(name, &event));
  if (event < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventGetPerfInfo(PETSC_DEFAULT, event, &info));
  *count = (PetscInt)info.count;
  *flops = info.flops;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* steps: of each level in a cycle, as many levels as there are */
static PetscErrorCode Logged(PetscInt bs, const char cycle[], const PetscInt steps[], int levels)
{
  Grid           g = {CELLS(4, 3, 5), .bs = bs, .seed = 5, .std = 1, .accumulation = 0.1, STRENGTHS(1, 1, 9)};
  PetscInt       count[2];
  PetscLogDouble flops[2], whole[3], sum = 0;
  Mat            A;
  Vec            x, y[3];

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%d unknowns, %s cycle", (int)bs, cycle));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", bs, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(MatCreateVecs(A, &x, &y[0]));
  PetscCall(VecDuplicate(y[0], &y[1]));
  PetscCall(VecDuplicate(y[0], &y[2]));
  PetscCall(CheckVecFill(x, 3));
  PetscCall(Apply(A, cycle, PETSC_FALSE, x, y[0], &whole[0]));
  for (int l = 0; l <= levels; l++) {
    PetscCall(Counted(l, &count[0], &flops[0]));
    PetscCall(Apply(A, cycle, PETSC_FALSE, x, y[1], &whole[1])); /* without the option nothing is counted */
    PetscCall(Counted(l, &count[1], &flops[1]));
    PetscCall(CheckTrue(count[0] == count[1], "an event without -pc_gridmg_log"));
    PetscCall(Apply(A, cycle, PETSC_TRUE, x, y[2], &whole[2]));
    PetscCall(Counted(l, &count[1], &flops[1]));
    PetscCall(CheckTrue(count[1] - count[0] == (l < levels ? steps[l] : 0), "the steps of a level"));
    PetscCall(CheckTrue((flops[1] > flops[0]) == (l < levels), "the flops of a level"));
    sum += flops[1] - flops[0];
  }
  PetscCall(CheckTrue(whole[0] == whole[1] && PetscAbsReal(whole[0] - whole[2]) < 1e-9 * whole[0], "the flops of an application"));
  PetscCall(CheckTrue(PetscAbsReal(sum - whole[0]) < 1e-9 * whole[0], "the flops of all levels"));
  PetscCall(CheckVec(y[2], y[0], 1e-5, "PCApply")); /* on a device last levels have kernels of their own */
  PetscCall(CheckDestroy(&x, &y[0], &y[1], &y[2], &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  /* 4 x 3 columns, 2 x 2, 1: four solves and a restriction, and what takes and gives on the finest one; the last level is solved once. W: the level between twice, the second time not from zero */
  const PetscInt v[] = {7, 5, 1}, w[] = {7, 9, 2};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscLogDefaultBegin());
  for (PetscInt bs = 1; bs < 9; bs += 2) {
    PetscCall(Logged(bs, "v", v, 3));
    PetscCall(Logged(bs, "w", w, 3));
  }
  return CheckFinish("gridmg_log");
}

/*TEST
  test:
    suffix: 1
    comments: quick
    requires: double
    args: -pc_gridmg_precision single
    output_file: output/gridmg_log.out
  test:
    suffix: cuda
    requires: cuda double
    args: -expect_cuda -pc_gridmg_precision single
    output_file: output/gridmg_log.out
TEST*/
