static char help[] = "Solves with PCLINES and PCREDBLACK: iterations beside those of Jacobi, changed values, singular systems, what ends with a reason and what is refused.\n";

#include "grid.h"

static PetscErrorCode InnerIterations(PC pc, PetscInt *its)
{
  KSP inner;
  PetscErrorCode (*get)(PC, KSP *);

  PetscFunctionBeginUser;
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, "PCRedBlackGetKSP_C", &get));
  if (!get) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*get)(pc, &inner));
  PetscCall(KSPGetIterationNumber(inner, its));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rtol 1e-8; redblack: of the inner solver. The iterations, of the inner solver where there is one, and the true residual */
static PetscErrorCode Solve(Mat A, const char type[], const char pctype[], PetscInt *its, KSPConvergedReason *reason)
{
  const PetscReal rtol = PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-8;
  PetscBool       redblack;
  KSP             ksp;
  PC              pc;
  Vec             x, b, r;
  PetscReal       norm, whole;
  char            text[32];

  PetscFunctionBeginUser;
  PetscCall(PetscStrcmp(pctype, "redblack", &redblack));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%g", (double)rtol));
  PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_rtol", text));
  PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_max_it", "3000"));
  PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_type", type));
  PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_norm_type", "unpreconditioned"));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(CheckVecFill(x, 3));
  PetscCall(MatMult(A, x, b)); /* which a singular matrix can solve too */
  PetscCall(VecSet(x, 0));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
  PetscCall(KSPSetType(ksp, redblack ? KSPPREONLY : type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, pctype));
  PetscCall(KSPSetOperators(ksp, A, A));
  if (!redblack) PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, 3000));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(InnerIterations(pc, its));
  PetscCall(KSPGetConvergedReason(ksp, reason));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecNorm(b, NORM_2, &whole));
  if (*reason > 0) PetscCall(CheckTrue((PetscBool)(norm < 3 * rtol * whole), "the residual"));
  else *its = -1;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "%d x %d x %d cells of %d, std %g, %d wells, %s", (int)g->n[0], (int)g->n[1], (int)g->n[2], (int)g->bs, (double)g->std, (int)g->wells,
                          type));
  PetscCall(GridCreate(PETSC_COMM_SELF, g, &A));
  for (int k = 0; k < 3; k++) {
    PetscCall(Solve(A, type, pcs[k], &its[k], &reason));
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
    .n = {7, 6, 9},
      .bs = 1, .seed = 5, .std = 1.5, .accumulation = 1e-2, .strength = {1, 4,  10},
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

/* Pure Neumann problems with their null space */
static PetscErrorCode Singular(const char pctype[], PetscInt nx, PetscInt ny, PetscInt nz)
{
  Grid g = {
    .n = {nx, ny, nz},
      .bs = 1, .seed = 5, .std = 1, .strength = {1,  2,  3 }
  };
  KSPConvergedReason reason;
  PetscInt           its;
  MatNullSpace       null;
  Mat                A;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "%s, singular, %d x %d x %d", pctype, (int)nx, (int)ny, (int)nz));
  PetscCall(GridOption("-mat_bdiagh_block_size", "1", 0, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_TRUE, 0, NULL, &null));
  PetscCall(MatSetNullSpace(A, null));
  PetscCall(Solve(A, KSPCG, pctype, &its, &reason));
  PetscCall(CheckTrue((PetscBool)(its > 0), KSPConvergedReasons[reason]));
  PetscCall(MatNullSpaceDestroy(&null));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One row of zeros, or a value that is no number, in a red column or a black one: a reason, and none with good values again */
static PetscErrorCode Failing(const char type[], PetscBool nan, PetscInt row, PetscInt bs)
{
  const PetscReal none = 0;
  Grid            g    = {
                  .n = {6, 5, 4},
                    .bs = bs, .seed = 5, .std = 1.5, .accumulation = 1e-3, .strength = {1, 2, 3}
  };
  KSPConvergedReason reason;
  PetscInt           its, cols[GRID_MAX], n;
  PetscScalar        vals[GRID_MAX];
  PetscErrorCode     code;
  PC                 pc;
  Mat                A;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "%s, %s in row %d of %d unknowns per cell", type, nan ? "no number" : "zeros", (int)row, (int)bs));
  PetscCall(GridOption("-mat_bdiagh_block_size", "%d", bs, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  n = GridRow(&g, row, cols, vals);
  for (PetscInt k = 0; k < n; k++) vals[k] = nan && k == 2 ? none / none : 0;
  PetscCall(MatSetValues(A, 1, &row, n, cols, vals, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(Solve(A, KSPGMRES, type, &its, &reason));
  PetscCall(CheckTrue((PetscBool)(reason == KSP_DIVERGED_PC_FAILED || (nan && reason < 0)), KSPConvergedReasons[reason]));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, type));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetErrorIfFailure(pc, PETSC_TRUE));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = PCSetUp(pc);
  PetscCall(PetscPopErrorHandler());
  PetscCall(CheckTrue((PetscBool)(code == (nan ? PETSC_ERR_FP : PETSC_ERR_MAT_LU_ZRPVT)), "after PCSetErrorIfFailure()"));
  PetscCall(PCDestroy(&pc));
  PetscCall(GridFill(&g, A));
  PetscCall(MatSetErrorIfFailure(A, PETSC_FALSE));
  PetscCall(Solve(A, "fusedbcgs", type, &its, &reason));
  PetscCall(CheckTrue((PetscBool)(reason > 0), "good values after bad ones"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error of a set-up with this option */
static PetscErrorCode Refuse(Mat A, const char type[], const char option[], const char value[], PetscErrorCode expected, const char what[])
{
  PetscErrorCode code;
  PC             pc;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "refusals, %s %s %s", type, option, value));
  if (option[0]) PetscCall(PetscOptionsSetValue(NULL, option, value));
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), &pc));
  PetscCall(PCSetType(pc, type));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = PCSetUp(pc);
  PetscCall(PetscPopErrorHandler());
  PetscCall(CheckTrue((PetscBool)(code == expected), what));
  PetscCall(PCDestroy(&pc));
  if (option[0]) PetscCall(PetscOptionsClearValue(NULL, option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refusals(void)
{
  Grid g = {
    .n = {4, 3, 5},
      .bs = 1, .seed = 5, .std = 1, .accumulation = 1e-3, .strength = {1, 2, 3}
  };
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(GridOption("-mat_bdiagh_block_size", "1", 0, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(Refuse(A, "lines", "-pc_lines_grid", "4,3,5", PETSC_SUCCESS, "the grid given"));
  PetscCall(Refuse(A, "lines", "-pc_lines_grid", "3,4,5", PETSC_ERR_ARG_WRONG, "another grid"));
  PetscCall(Refuse(A, "redblack", "-pc_redblack_grid", "4,3,5", PETSC_SUCCESS, "the grid given"));
  PetscCall(Refuse(A, "redblack", "-pc_redblack_grid", "3,4,5", PETSC_ERR_ARG_WRONG, "another grid"));
  PetscCall(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, &A));
  PetscCall(Refuse(A, "lines", "", "", PETSC_ERR_ARG_WRONG, "another type"));
  PetscCall(Refuse(A, "redblack", "", "", PETSC_ERR_ARG_WRONG, "another type"));
  PetscCall(MatDestroy(&A));
  g.bs = 9;
  PetscCall(GridOption("-mat_bdiagh_block_size", "9", 0, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(Refuse(A, "lines", "", "", PETSC_ERR_SUP, "nine unknowns"));
  PetscCall(Refuse(A, "redblack", "", "", PETSC_ERR_SUP, "nine unknowns"));
  PetscCall(MatDestroy(&A));
  g.bs = 1;
  PetscCall(GridOption("-mat_bdiagh_block_size", "1", 0, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(Refuse(A, "redblack", "-redblack_pc_type", "jacobi", PETSC_ERR_SUP, "a preconditioner that needs the diagonal"));
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
    for (PetscInt bs = 1; bs < 4; bs += 2) {
      PetscCall(Changed(types[t], bs));
      for (PetscInt row = 37 * bs; row < 40 * bs; row += bs) { /* both colours */
        PetscCall(Failing(types[t], PETSC_FALSE, row + bs - 1, bs));
        PetscCall(Failing(types[t], PETSC_TRUE, row, bs));
      }
    }
    PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_type", KSPCG));
    for (PetscInt wells = 0; wells < 3; wells++) PetscCall(Symmetric(types[t], wells));
    PetscCall(Singular(types[t], 13, 17, 1));
    PetscCall(Singular(types[t], 8, 9, 11));
  }
  PetscCall(Refusals());
  return CheckFinish("lines_solve");
}

/*TEST

  testset:
    output_file: output/lines_solve.out
    test:
      suffix: 1
      requires: double
    test:
      suffix: cuda
      requires: cuda double
      args: -expect_cuda

TEST*/
