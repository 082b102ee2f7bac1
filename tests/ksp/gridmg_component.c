static char help[] =
  "-pc_gridmg_component: a cycle for one component, then a sweep over lines, against the same written down with the matrices of both stages; iterations; refusals.\n";

#include "component.h"

static PetscErrorCode Create(const Grid *g, PetscInt component, PetscInt levels, Mat A, PC *pc)
{
  PetscFunctionBeginUser;
  PetscCall(GridOption("-pc_gridmg_grid", "%d,%d,%d", g->n[0], g->n[1], g->n[2]));
  PetscCall(GridOption("-pc_gridmg_component", "%d", component, 0, 0));
  PetscCall(GridOption("-pc_gridmg_levels", "%d", levels, 0, 0));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_line_axis", "z"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_threshold", "1e30")); /* levels do not depend on the values */
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_precision", "double"));
  PetscCall(PCCreate(PETSC_COMM_SELF, pc));
  PetscCall(PCSetType(*pc, "gridmg"));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = both stages for r, from their matrices */
static PetscErrorCode Reference(const Grid *g, PetscInt c, Mat A, Vec r, Vec y)
{
  const PetscInt     bs = g->bs, cells = GridCells(g);
  const PetscScalar *a;
  PetscScalar       *to;
  PetscReal         *w;
  Vec                b, x, left, whole;
  Mat                P;
  PC                 pc;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(cells * bs, &w));
  PetscCall(AllWeights(g, c, w));
  PetscCall(GridOption("-mat_bdiagh_block_size", "1", 0, 0, 0));
  PetscCall(Component(g, c, w, &P));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", bs, 0, 0));
  PetscCall(MatCreateVecs(P, &x, &b));
  PetscCall(VecDuplicate(r, &left));
  PetscCall(VecDuplicate(r, &whole));
  PetscCall(VecGetArrayRead(r, &a));
  PetscCall(VecGetArrayWrite(b, &to));
  for (PetscInt i = 0; i < cells; i++) {
    to[i] = 0;
    for (PetscInt p = 0; p < bs; p++) to[i] += w[i * bs + p] * a[i * bs + p];
  }
  PetscCall(VecRestoreArrayWrite(b, &to));
  PetscCall(VecRestoreArrayRead(r, &a));
  PetscCall(Create(g, -1, 0, P, &pc));
  PetscCall(PCApply(pc, b, x));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecSet(whole, 0));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArray(whole, &to));
  for (PetscInt i = 0; i < cells; i++) to[i * bs + c] = a[i];
  PetscCall(VecRestoreArray(whole, &to));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscCall(MatMult(A, whole, left));
  PetscCall(VecAYPX(left, -1, r));
  PetscCall(Create(g, -1, 1, A, &pc));
  PetscCall(PCApply(pc, left, y));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecAXPY(y, 1, whole));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&left));
  PetscCall(VecDestroy(&whole));
  PetscCall(MatDestroy(&P));
  PetscCall(PetscFree(w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the values of two seeds, the second in the memory of the first. other: the reference is that of other values, which has to be noticed */
static PetscErrorCode Compare(Grid g, PetscInt c, PetscBool other)
{
  Mat A, B;
  Vec r, y, z;
  PC  pc;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "%d x %d x %d cells of %d, %d wells, component %d", (int)g.n[0], (int)g.n[1], (int)g.n[2],
                          (int)g.bs, (int)g.wells, (int)c));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g.bs, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(Create(&g, c, 0, A, &pc));
  PetscCall(MatCreateVecs(A, &r, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(CheckVecFill(r, 3));
  for (int again = 0; again < 2; again++) {
    Grid of = g;

    of.seed += other;
    PetscCall(GridCreate(PETSC_COMM_SELF, &of, &B));
    PetscCall(PCApply(pc, r, y));
    PetscCall(Reference(&of, c, B, r, z));
    PetscCall(CheckVec(y, z, sizeof(PetscReal) == sizeof(double) ? 1e-9 : 2e-3, "both stages"));
    PetscCall(MatDestroy(&B));
    g.seed++;
    PetscCall(MatZeroEntries(A)); /* other cells may be inactive, and wells have other entries */
    PetscCall(GridFill(&g, A));
    PetscCall(PCSetOperators(pc, A, A));
  }
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rtol 1e-6; at most so many iterations */
static PetscErrorCode Solve(const Grid *g, const char type[], PetscInt component, PetscInt most, PetscErrorCode expected)
{
  KSPConvergedReason reason;
  PetscErrorCode     code;
  PetscInt           its;
  PetscBool          show = PETSC_FALSE;
  Mat                A;
  Vec                x, b;
  KSP                ksp;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-show", &show, NULL));
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "solve, %d unknowns per cell, component %d, %s", (int)g->bs, (int)component, type));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g->bs, 0, 0));
  PetscCall(GridOption("-pc_gridmg_grid", "%d,%d,%d", g->n[0], g->n[1], g->n[2]));
  PetscCall(GridOption("-pc_gridmg_component", "%d", component, 0, 0));
  PetscCall(GridOption("-pc_gridmg_levels", "0", 0, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, g, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(CheckVecFill(b, 3));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, type));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_type", "gridmg"));
  PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_CURRENT, PETSC_CURRENT, 300));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = KSPSetUp(ksp);
  PetscCall(PetscPopErrorHandler());
  PetscCall(CheckTrue((PetscBool)(code == expected), "the set-up"));
  if (!code) {
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    if (show) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %d iterations\n", check_where, (int)its));
    PetscCall(CheckTrue((PetscBool)(reason > 0 && its <= most), KSPConvergedReasons[reason]));
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid g = {
    .n = {6, 5, 7},
      .bs = 2, .seed = 2, .strength = {1, 2, 5},
      .std = 1.5, .accumulation = 0.1
  };
  PetscInt before[2];

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_bdiagh_max_remainder", "0.5"));
  for (g.bs = 2; g.bs < 5; g.bs++)
    for (g.wells = 0; g.wells < 3; g.wells += 2)
      for (PetscInt c = 0; c < g.bs; c++) PetscCall(Compare(g, c, PETSC_FALSE));
  g.bs       = 3;
  g.inactive = 0.3;
  PetscCall(Compare(g, 0, PETSC_FALSE));
  RejectBegin(before);
  PetscCall(Compare(g, 0, PETSC_TRUE));
  PetscCall(RejectEnd(before, "other values are told from the right ones"));
  g = (Grid){
    .n = {17, 23, 12},
      .bs = 3, .seed = 5, .std = 2, .accumulation = 1e-2, .strength = {1,  4,  10},
      .wells = 2
  };
  PetscCall(Solve(&g, "fusedbcgs", 0, 25, PETSC_SUCCESS));
  PetscCall(Solve(&g, KSPGMRES, 0, 40, PETSC_SUCCESS));
  PetscCall(Solve(&g, KSPGMRES, 3, 40, PETSC_ERR_ARG_OUTOFRANGE));
  g.bs = 1;
  PetscCall(Solve(&g, KSPCG, 0, 25, PETSC_SUCCESS)); /* the ordinary cycle */
  return CheckFinish("gridmg_component");
}

/*TEST

  testset:
    output_file: output/gridmg_component.out
    test:
      suffix: 1
      comments: quick
      requires: double
    test:
      suffix: cuda
      requires: cuda double
      args: -expect_cuda

TEST*/
