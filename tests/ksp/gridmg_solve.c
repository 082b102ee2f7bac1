static char help[] = "Solves with PCGRIDMG: iterations on random fields, changed values, singular systems, what ends with a reason and what is refused.\n";

#include "common/grid.h"

/* rtol 1e-6 with the options; the number of iterations, or -1 */
static PetscErrorCode Solve(const Grid *g, Mat A, const char type[], const char pctype[], PetscInt *its, KSPConvergedReason *reason)
{
  KSP       ksp;
  Vec       x, b;
  PetscReal norm, whole;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%d x %d x %d cells of %d, std %g, %d %% inactive, %d wells, %s", (int)g->n[0], (int)g->n[1], (int)g->n[2], (int)g->bs, (double)g->std,
                       (int)(100 * g->inactive), (int)g->wells, type));
  PetscCall(CheckVecs(A, &x, 3, &b, 0));
  PetscCall(MatMult(A, x, b)); /* which a singular matrix can solve too */
  PetscCall(VecSet(x, 0));
  PetscCall(CheckKSPCreate(A, type, pctype, 1e-6, 300, &ksp));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(CheckKSPSolve(ksp, b, x, its, reason));
  PetscCall(ResidualNorm(A, x, b, &norm));
  PetscCall(VecNorm(b, NORM_2, &whole));
  if (*reason > 0) PetscCall(CheckTrue(norm < 2e-6 * whole, "the residual"));
  else *its = -1;
  PetscCall(CheckDestroy(&x, &b, &ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At most so many iterations, and at least a third of them, so that the bound says something */
static PetscErrorCode Within(const Grid *g, const char type[], PetscInt most)
{
  PetscBool          show = CheckOption("-show");
  KSPConvergedReason reason;
  PetscInt           its;
  Mat                A;

  PetscFunctionBeginUser;
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g->bs, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, g, &A));
  PetscCall(Solve(g, A, type, "gridmg", &its, &reason));
  if (show) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %d iterations, at most %d\n", check_where, (int)its, (int)most));
  PetscCall(CheckTrue(its > most / 3 && its <= most, "iterations"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Iterations(void)
{
  Grid g = {CELLS(24, 33, 21), .bs = 1, .seed = 5, .std = 2.5, .accumulation = 1e-6, STRENGTHS(1, 4, 10)}; /* cells of 20 x 10 x 2 */
  Grid b;

  PetscFunctionBeginUser;
  PetscCall(Within(&g, KSPCG, 15));
  PetscCall(Within(&g, "fusedcg", 15));
  b          = g;
  b.inactive = 0.45; /* scattered: what is left hardly hangs together */
  PetscCall(Within(&b, KSPCG, 44));
  b       = g;
  b.wells = 4;
  PetscCall(Within(&b, KSPCG, 15));
  b     = g;
  b.std = 1.5;
  for (PetscInt k = 0; k < 3; k++) b.strength[k] = 1;
  PetscCall(Within(&b, KSPCG, 11));
  b.strength[2] = 190;
  PetscCall(Within(&b, KSPCG, 8));
  b.strength[2] = 1e-3;
  PetscCall(Within(&b, KSPCG, 10));
  b.strength[0] = 300; /* strong along the first axis */
  PetscCall(Within(&b, KSPCG, 6));
  for (PetscInt a = 0; a < 3; a++) { /* one cell thick */
    b      = g;
    b.n[a] = 1;
    PetscCall(Within(&b, KSPCG, 10));
    b.bs           = 3;
    b.accumulation = 1e-3;
    PetscCall(Within(&b, "fusedbcgs", 7));
  }
  g.bs           = 3;
  g.accumulation = 1e-3;
  PetscCall(Within(&g, KSPBCGS, 10));
  g.wells = 4;
  PetscCall(Within(&g, "fusedbcgs", 10));
  PetscCall(PetscArraycpy(g.n, ((PetscInt[]){11, 10, 9}), 3));
  g.bs = 8;
  PetscCall(Within(&g, "fusedbcgs", 10));
  g.inactive = 0.3;
  PetscCall(Within(&g, KSPGMRES, 20));
  g.inactive  = 0;
  g.wells     = 0;
  g.symmetric = PETSC_TRUE;
  PetscCall(Within(&g, "fusedcg", 12));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values in the same PC: what a new PC with them gives, bit for bit */
static PetscErrorCode Changed(PetscInt bs)
{
  Grid g = {CELLS(9, 10, 11), .bs = bs, .seed = 5, .std = 1.5, .accumulation = 1e-3, STRENGTHS(1, 4, 10), .wells = 2};
  PC   pc[2];
  Mat  A;
  Vec  x, y[2];

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("changed values, %d unknowns", (int)bs));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", bs, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(MatCreateVecs(A, &x, &y[0]));
  PetscCall(VecDuplicate(y[0], &y[1]));
  PetscCall(CheckVecFill(x, 7));
  for (int k = 0; k < 2; k++) {
    PetscCall(CheckPCCreate(A, "gridmg", &pc[k]));
    PetscCall(PCApply(pc[k], x, y[k]));
    if (k) PetscCall(CheckSame(y[0], y[1], "PCApply"));
    g.seed++;
    PetscCall(GridFill(&g, A));
    PetscCall(PCSetOperators(pc[0], A, A));
    PetscCall(PCApply(pc[0], x, y[0]));
  }
  PetscCall(PCReset(pc[0]));
  PetscCall(PCSetOperators(pc[0], A, A));
  PetscCall(PCApply(pc[0], x, y[1]));
  PetscCall(CheckSame(y[0], y[1], "PCApply after PCReset"));
  PetscCall(CheckDestroy(&pc[0], &y[0], &pc[1], &y[1], &x, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pure Neumann problems with their null space */
static PetscErrorCode Singular(PetscInt nx, PetscInt ny, PetscInt nz)
{
  Grid               g = {CELLS(nx, ny, nz), .bs = 1, .seed = 5, .std = 1.5, STRENGTHS(1, 2, 3)};
  KSPConvergedReason reason;
  PetscInt           its;
  MatNullSpace       null;
  Mat                A;

  PetscFunctionBeginUser;
  PetscCall(GridOption("-mat_bdiagh_block_size", "1", 0, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, NULL, &null));
  PetscCall(MatSetNullSpace(A, null));
  PetscCall(Solve(&g, A, KSPCG, "gridmg", &its, &reason));
  PetscCall(CheckTrue(its > 0 && its < 16, "a singular system"));
  PetscCall(CheckDestroy(&null, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One row of zeros, or a value that is no number: a reason, and none with good values again */
static PetscErrorCode Failing(PetscInt bs, PetscBool nan)
{
  const PetscReal    none = 0;
  Grid               g    = {CELLS(6, 5, 4), .bs = bs, .seed = 5, .std = 1.5, .accumulation = 1e-3, STRENGTHS(1, 2, 3)};
  KSPConvergedReason reason;
  PetscInt           its, cols[GRID_MAX], n;
  PetscScalar        vals[GRID_MAX];
  PetscErrorCode     code;
  PC                 pc;
  Mat                A;

  PetscFunctionBeginUser;
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", bs, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  for (PetscInt row = 37 * bs; row < 38 * bs; row++) {
    n = GridRow(&g, row, cols, vals);
    for (PetscInt k = 0; k < n; k++) vals[k] = nan && k == 2 ? none / none : 0;
    PetscCall(MatSetValues(A, 1, &row, n, cols, vals, INSERT_VALUES));
  }
  PetscCall(CheckAssemble(A));
  PetscCall(Solve(&g, A, KSPGMRES, "gridmg", &its, &reason));
  PetscCall(CheckTrue(reason == KSP_DIVERGED_PC_FAILED || nan, KSPConvergedReasons[reason]));
  PetscCall(CheckTrue(reason < 0, KSPConvergedReasons[reason]));
  PetscCall(CheckPCCreate(A, "gridmg", &pc));
  PetscCall(PCSetErrorIfFailure(pc, PETSC_TRUE));
  CheckCode(code, PCSetUp(pc));
  PetscCall(CheckTrue(code == (nan ? PETSC_ERR_FP : PETSC_ERR_MAT_LU_ZRPVT), "after PCSetErrorIfFailure()"));
  PetscCall(PCDestroy(&pc));
  PetscCall(GridFill(&g, A));
  PetscCall(MatSetErrorIfFailure(A, PETSC_FALSE));
  PetscCall(Solve(&g, A, bs == 1 ? KSPCG : KSPGMRES, "gridmg", &its, &reason));
  PetscCall(CheckTrue(reason > 0, "good values after bad ones"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(Iterations());
  PetscCall(Changed(1));
  PetscCall(Changed(3));
  PetscCall(Changed(8));
  PetscCall(Singular(1, 1, 40));
  PetscCall(Singular(30, 1, 1));
  PetscCall(Singular(13, 17, 1));
  PetscCall(Singular(8, 9, 11));
  for (PetscInt bs = 1; bs < 9; bs += 4) {
    PetscCall(Failing(bs, PETSC_FALSE));
    PetscCall(Failing(bs, PETSC_TRUE));
  }
  return CheckFinish("gridmg_solve");
}

/*TEST
  testset:
    output_file: output/gridmg_solve.out
    test:
      suffix: 1
      comments: quick
      requires: double
    test:
      suffix: cuda
      requires: cuda double
      args: -expect_cuda
TEST*/
