static char help[] = "Solves with PCLINES and PCREDBLACK: iterations beside those of Jacobi, changed values, symmetry.\n";

#include "linesolve.h"

/* Iterations of Jacobi, of lines, and of what is left where red columns are eliminated: `fewer` times fewer than Jacobi, in hundredths */
static PetscErrorCode Fewer(const Grid *g, const char type[], PetscInt of_lines, PetscInt of_redblack)
{
  const char *const  pcs[]  = {g->bs > 1 ? "pbjacobi" : "jacobi", "lines", "redblack"};
  PetscInt           its[3] = {0, 0, 0};
  PetscBool          show   = PETSC_FALSE;
  KSPConvergedReason reason;
  Mat                A;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-show", &show, NULL));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g->bs, 0, 0));
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "%d x %d x %d cells of %d, std %g, %d wells, %s", (int)g->n[0], (int)g->n[1], (int)g->n[2],
                          (int)g->bs, (double)g->std, (int)g->wells, type));
  PetscCall(GridCreate(PETSC_COMM_SELF, g, &A));
  for (int k = 0; k < 3; k++) {
    PetscCall(LinesSolve(A, type, pcs[k], &its[k], &reason));
    PetscCall(CheckTrue((PetscBool)(reason > 0), KSPConvergedReasons[reason]));
  }
  if (show) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %d, %d, %d iterations\n", check_where, (int)its[0], (int)its[1], (int)its[2]));
  PetscCall(CheckTrue((PetscBool)(100 * its[0] >= of_lines * its[1]), "lines take fewer iterations"));
  PetscCall(CheckTrue((PetscBool)(100 * its[0] >= of_redblack * its[2]), "without red columns they are fewer again"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Iterations(void)
{
  Grid g = {
    .n = {24, 33, 21},
      .bs = 1, .seed = 5, .std = 2, .accumulation = 1e-2, .strength = {1,  4,  10}
  };

  PetscFunctionBeginUser;
  PetscCall(Fewer(&g, KSPCG, 110, 220));
  PetscCall(Fewer(&g, "fusedcg", 110, 220));
  g.inactive = 0.3;
  PetscCall(Fewer(&g, "fusedcg", 110, 220));
  g.wells    = 3;
  g.inactive = 0;
  PetscCall(Fewer(&g, "fusedcg", 110, 220));
  g.bs = 3;
  PetscCall(Fewer(&g, "fusedbcgs", 110, 200));
  g.n[2] = 1;
  PetscCall(Fewer(&g, KSPBCGS, 100, 150));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values in the same PC: what a new PC with them gives, bit for bit */
static PetscErrorCode Changed(const char type[], PetscInt bs)
{
  Grid g = {
    .n = {9, 10, 11},
      .bs = bs, .seed = 5, .std = 1.5, .accumulation = 1e-3, .strength = {1, 4,  10},
      .wells = 2
  };
  PC  pc[2];
  Mat A;
  Vec x, y[2];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "%s, changed values, %d unknowns", type, (int)bs));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", bs, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(MatCreateVecs(A, &x, &y[0]));
  PetscCall(VecDuplicate(y[0], &y[1]));
  PetscCall(CheckVecFill(x, 7));
  for (int k = 0; k < 2; k++) {
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc[k]));
    PetscCall(PCSetType(pc[k], type));
    PetscCall(PCSetOperators(pc[k], A, A));
    PetscCall(PCSetFromOptions(pc[k]));
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
  for (int k = 0; k < 2; k++) {
    PetscCall(PCDestroy(&pc[k]));
    PetscCall(VecDestroy(&y[k]));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x' M y = y' M x */
static PetscErrorCode Symmetric(const char type[], PetscInt wells)
{
  Grid g = {
    .n = {7, 6, 9 },
      .bs = 1, .seed = 5, .std = 1.5, .accumulation = 1e-2, .strength = {1, 4, 10},
      .wells = wells
  };
  Mat         A;
  Vec         x, y, z;
  PC          pc;
  PetscScalar xy, yx, norm;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "%s, %d wells", type, (int)wells));
  PetscCall(GridOption("-mat_bdiagh_block_size", "1", 0, 0, 0));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_lines_precision", "double"));
  PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_rtol", PetscDefined(USE_REAL_SINGLE) ? "1e-6" : "1e-13"));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, type));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(x, &z));
  PetscCall(CheckVecFill(x, 3));
  PetscCall(CheckVecFill(y, 4));
  PetscCall(PCApply(pc, y, z));
  PetscCall(VecDot(x, z, &xy));
  PetscCall(PCApplyTranspose(pc, x, z));
  PetscCall(VecDot(z, y, &yx));
  PetscCall(VecDot(z, x, &norm));
  PetscCall(
    CheckTrue((PetscBool)(PetscRealPart(norm) > 0 && PetscAbsScalar(xy - yx) <= 1e5 * PETSC_MACHINE_EPSILON * PetscRealPart(norm)), "symmetric and positive"));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_lines_precision"));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is in y is where the inner solver begins, if it is told so; none where nothing is left */
static PetscErrorCode Guess(PetscInt lines)
{
  Grid g = {
    .n = {lines, 1, 9 },
      .bs = 2, .seed = 5, .std = 1.5, .accumulation = 1e-2, .strength = {1,     4, 10}
  };
  PetscInt  its[2] = {-1, -1};
  Mat       A;
  Vec       x, y, r;
  PetscReal norm, whole;
  PC        pc;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "initial guess, %d lines", (int)lines));
  PetscCall(GridOption("-mat_bdiagh_block_size", "2", 0, 0, 0));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_redblack_grid", lines == 1 ? "1,1,9" : "7,1,9"));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_redblack_line_axis", "z"));
  PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_type", "fusedbcgs"));
  PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_rtol", "1e-8"));
  PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_initial_guess_nonzero", "1"));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(CheckVecFill(x, 3));
  PetscCall(VecSet(y, 0));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, "redblack"));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetFromOptions(pc));
  for (int k = 0; k < 2; k++) {
    PetscCall(PCApply(pc, x, y));
    PetscCall(InnerIterations(pc, &its[k]));
  }
  PetscCall(CheckTrue((PetscBool)(lines == 1 ? its[0] == 0 && its[1] == 0 : its[0] > 1 && its[1] < its[0]), "a solution as initial guess"));
  PetscCall(VecDuplicate(x, &r));
  PetscCall(MatMult(A, y, r));
  PetscCall(VecAYPX(r, -1, x));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecNorm(x, NORM_2, &whole));
  PetscCall(CheckTrue((PetscBool)(norm < 1e-6 * whole), "the residual"));
  PetscCall(VecDestroy(&r));
  PetscCall(PCDestroy(&pc));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const types[] = {"lines", "redblack"};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_bdiagh_max_remainder", "0.5"));
  PetscCall(Iterations());
  for (int t = 0; t < 2; t++) {
    for (PetscInt bs = 1; bs < 4; bs += 2) PetscCall(Changed(types[t], bs));
    PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_type", KSPCG));
    for (PetscInt wells = 0; wells < 3; wells++) PetscCall(Symmetric(types[t], wells));
  }
  PetscCall(Guess(7));
  PetscCall(Guess(1));
  return CheckFinish("lines_solve");
}

/*TEST

  testset:
    output_file: output/lines_solve.out
    test:
      suffix: 1
      comments: quick
      requires: double
    test:
      suffix: cuda
      requires: cuda double
      args: -expect_cuda

TEST*/
