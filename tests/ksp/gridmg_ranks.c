static char help[] =
  "PCGRIDMG on several processes: what it does on one, bit for bit, however rows or a DMDA are divided; failures and refusals that all processes see.\n";

#include "common/ranks_grid.h"
#include "../mat/common/check_device.h"

/* What -ksp_view has to say with -expect_slabs */
static PetscErrorCode SaysWay(const Grid *g, PetscInt split, PC pc)
{
  PetscBool         slabs;
  const char *const way = g->n[2] == 1 ? "too few for slabs"
                          : split == 3 ? "vectors by messages: processes have other block diagonals than the grid"
                                       : SlabsBy();

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-expect_slabs", &slabs));
  PetscCall(Says(pc, slabs ? way : "gridmg", "-ksp_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same vectors on the host, whatever the matrix does */
static PetscErrorCode HostVectors(PC pc, Mat A, Vec x)
{
  PetscInt  m, M;
  Vec       y, u, v;
  PetscReal norm, error;

  PetscFunctionBeginUser;
  PetscCall(MatGetLocalSize(A, &m, NULL));
  PetscCall(MatGetSize(A, &M, NULL));
  PetscCall(VecCreateMPI(PetscObjectComm((PetscObject)A), m, M, &u));
  PetscCall(VecDuplicate(u, &v));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(CheckVecFill(u, 7));
  PetscCall(PCApply(pc, u, v));
  PetscCall(PCApply(pc, x, y));
  PetscCall(VecNorm(y, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(v, -1, y));
  PetscCall(VecNorm(v, NORM_INFINITY, &error));
  PetscCall(CheckTrue(error <= 1e-4 * norm, "vectors on the host"));
  PetscCall(CheckDestroy(&y, &u, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Applications: with the values of another seed, after PCReset(), with another matrix in the same PC */
static PetscErrorCode Applications(Grid g, PetscInt split)
{
  Mat A, B;
  Vec x;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%d unknowns, %d wells, split %d", (int)g.bs, (int)g.wells, (int)split));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g.bs, 0, 0));
  PetscCall(Divided(&g, split, "bdiagh", &A));
  PetscCall(CheckDevice(A));
  PetscCall(CheckVecs(A, &x, 7, NULL, 0));
  PetscCall(GridMgCreate(A, &pc));
  PetscCall(Against(&g, pc, x, NULL, PETSC_FALSE, "PCApply"));
  PetscCall(Against(&g, pc, x, NULL, PETSC_TRUE, "other values are noticed"));
  PetscCall(SaysWay(&g, split, pc));
  PetscCall(HostVectors(pc, A, x));
  for (int k = 0; k < 2; k++) {
    g.seed++;
    PetscCall(GridFill(&g, A));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(Against(&g, pc, x, NULL, PETSC_FALSE, "changed values"));
  }
  PetscCall(PCReset(pc));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(Against(&g, pc, x, NULL, PETSC_FALSE, "after PCReset()"));
  g.seed++;
  PetscCall(Divided(&g, 0, "bdiagh", &B)); /* of another layout over the processes */
  PetscCall(PCReset(pc));
  PetscCall(PCSetOperators(pc, B, B));
  PetscCall(VecDestroy(&x));
  PetscCall(CheckVecs(B, &x, 8, NULL, 0));
  PetscCall(Against(&g, pc, x, NULL, PETSC_FALSE, "another matrix"));
  PetscCall(CheckDestroy(&x, &pc, &A, &B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of a DMDA, whose boxes number the cells in their own order */
static PetscErrorCode Boxes(Grid g)
{
  const PetscInt boxes[] = {PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE};
  DM             da;
  Mat            A;
  Vec            x;
  PC             pc;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("a DMDA of %d unknowns", (int)g.bs));
  PetscCall(DMDAMatrix(&g, boxes, &da, &A));
  PetscCall(DMDAFill(&g, da, A));
  PetscCall(CheckVecs(A, &x, 7, NULL, 0));
  PetscCall(GridMgCreate(A, &pc));
  PetscCall(Against(&g, pc, x, da, PETSC_FALSE, "PCApply"));
  PetscCall(Against(&g, pc, x, da, PETSC_TRUE, "other values are noticed"));
  PetscCall(SaysWay(&g, 0, pc));
  PetscCall(CheckDestroy(&pc, &x, &A, &da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error of a set-up and its reason, on every process */
static PetscErrorCode Expect(Mat A, PetscBool errors, PetscErrorCode expected, PCFailedReason failed, const char what[])
{
  PetscErrorCode code;
  PCFailedReason reason;
  PC             pc;

  PetscFunctionBeginUser;
  PetscCall(GridMgCreate(A, &pc));
  PetscCall(PCSetErrorIfFailure(pc, errors));
  CheckCode(code, PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &reason));
  PetscCall(CheckTrue(code == expected && reason == failed, what));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid      g = {CELLS(7, 6, 9), .bs = 1, .seed = 5, .std = 1.5, .accumulation = 1e-3, STRENGTHS(1, 2, 3)};
  PetscBool brief;
  PetscInt  most, splits;
  Mat       A;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-brief", &brief));
  most   = brief ? 1 : 8;
  splits = brief ? 1 : 3;
  for (PetscInt split = 0; split < splits; split++)
    for (g.bs = 1; g.bs <= most; g.bs += 3)
      for (g.wells = 0; g.wells < 3; g.wells += 2) PetscCall(Applications(g, split));
  g.wells = 0;
  for (g.bs = 1; g.bs <= most; g.bs += 3) PetscCall(Boxes(g));
  g.bs   = 1;
  g.n[1] = 54;
  g.n[2] = 1; /* in one plane, whose lines are cut */
  for (PetscInt split = 0; split < splits; split++) PetscCall(Applications(g, split));
  g.n[1] = 27;
  g.n[2] = 2; /* in two, none of which a process need have whole: no block of one process has their couplings */
  PetscCall(Applications(g, 0));
  g.n[1] = 6;
  g.n[2] = 9;
  if (brief) return CheckFinish("gridmg_ranks");
  PetscCall(Applications(g, 3));
  PetscCall(PetscStrncpy(check_where, "refusals", sizeof(check_where)));
  PetscCall(Divided(&g, 0, MATAIJ, &A));
  PetscCall(Expect(A, PETSC_FALSE, PETSC_ERR_ARG_WRONG, PC_NOERROR, "another type"));
  PetscCall(MatDestroy(&A));
  PetscCall(Divided(&g, 0, "bdiagh", &A));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_grid", "6,7,9"));
  PetscCall(Expect(A, PETSC_FALSE, PETSC_ERR_ARG_WRONG, PC_NOERROR, "other extents"));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_gridmg_grid"));
  PetscCall(MatZeroRows(A, 1, (PetscInt[]){0}, 0, NULL, NULL));
  PetscCall(Expect(A, PETSC_TRUE, PETSC_ERR_MAT_LU_ZRPVT, PC_NOERROR, "a row of zeros"));
  PetscCall(Expect(A, PETSC_FALSE, PETSC_SUCCESS, PC_FACTOR_NUMERIC_ZEROPIVOT, "a row of zeros, no errors asked for"));
  PetscCall(GridFill(&g, A));
  PetscCall(Expect(A, PETSC_TRUE, PETSC_SUCCESS, PC_NOERROR, "good values again"));
  PetscCall(MatDestroy(&A));
  return CheckFinish("gridmg_ranks");
}

/*TEST
  testset:
    args: -pc_gridmg_precision single
    output_file: output/gridmg_ranks.out
    test:
      suffix: 1
      nsize: {{2 3 4}}
      requires: double
    test:
      suffix: divided
      nsize: 3
      requires: double
      args: -pc_gridmg_divide {{1 2}}
    test:
      suffix: peer
      nsize: {{2 4}}
      requires: double
      args: -heptane_test_comm_check -heptane_comm peer -expect_slabs -pc_gridmg_divide 1
    test:
      suffix: nccl
      nsize: {{2 4}}
      requires: double
      args: -log_sync 0 -heptane_comm nccl -expect_slabs -pc_gridmg_divide 1
    test:
      suffix: first
      nsize: {{2 4}}
      requires: double
      args: -pc_gridmg_divide 0
    test:
      suffix: cuda
      nsize: 2
      requires: cuda double
      args: -expect_cuda
    test:
      suffix: cuda_peer
      nsize: 2
      requires: cuda double
      args: -expect_cuda -heptane_test_comm_check -heptane_comm peer -expect_slabs -pc_gridmg_divide 1
    test:
      suffix: cuda_first
      nsize: 2
      requires: cuda double
      args: -expect_cuda -pc_gridmg_divide 0
  testset:
    args: -pc_gridmg_precision single
    output_file: output/gridmg_ranks_brief.out
    nsize: 2
    test:
      suffix: brief
      comments: quick
      requires: double
      args: -brief -heptane_test_comm_check -heptane_comm peer -expect_slabs -pc_gridmg_divide 1
    test:
      suffix: groups
      requires: double
      args: -brief -heptane_groups 2
    test:
      suffix: cuda_small
      requires: cuda double
      args: -brief -expect_cuda -heptane_test_comm_check -heptane_comm peer -expect_slabs -pc_gridmg_divide 1
TEST*/
