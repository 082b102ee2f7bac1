static char help[] = "PCLINES and PCREDBLACK with singular systems, rows of zeros and values that are no numbers; what is refused, and what the view shows.\n";

#include "linesolve.h"

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
  PetscCall(LinesSolve(A, KSPCG, pctype, &its, &reason));
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
  PetscCall(LinesSolve(A, KSPGMRES, type, &its, &reason));
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
  PetscCall(LinesSolve(A, "fusedbcgs", type, &its, &reason));
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

/* Several processes: refused, and each on its own rows */
static PetscErrorCode Parallel(void)
{
  Grid g = {
    .n = {9, 8, 12},
      .bs = 1, .seed = 5, .std = 1.5, .accumulation = 1e-2, .strength = {3, 2, 1 }
  };
  const char *const  types[] = {"lines", "redblack"};
  KSPConvergedReason reason;
  PetscInt           its;
  Mat                A;

  PetscFunctionBeginUser;
  PetscCall(GridOption("-mat_bdiagh_block_size", "1", 0, 0, 0));
  PetscCall(PetscOptionsSetValue(NULL, "-sub_redblack_ksp_rtol", "1e-10"));
  PetscCall(GridCreate(PETSC_COMM_WORLD, &g, &A));
  for (int t = 0; t < 2; t++) {
    PetscCall(Refuse(A, types[t], "", "", PETSC_ERR_SUP, "several processes"));
    PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "bjacobi with %s", types[t]));
    PetscCall(PetscOptionsSetValue(NULL, "-sub_pc_type", types[t]));
    PetscCall(LinesSolve(A, KSPFGMRES, PCBJACOBI, &its, &reason));
    PetscCall(CheckTrue((PetscBool)(reason > 0 && its < 200), KSPConvergedReasons[reason]));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the view says */
static PetscErrorCode Shown(void)
{
  Grid g = {
    .n = {5, 4, 9},
      .bs = 2, .seed = 3, .strength = {1, 2, 5},
      .std = 1, .accumulation = 0.1, .wells = 2
  };
  PC  pc;
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(GridOption("-mat_bdiagh_block_size", "2", 0, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
  PetscCall(PCSetType(pc, "redblack"));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PCView(pc, PETSC_VIEWER_STDOUT_SELF));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetUp(pc));
  PetscCall(PCView(pc, PETSC_VIEWER_STDOUT_SELF));
  PetscCall(PCDestroy(&pc));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const types[] = {"lines", "redblack"};
  PetscBool         shown   = PETSC_FALSE;
  PetscMPIInt       size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-mat_bdiagh_max_remainder", "0.5"));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-shown", &shown, NULL));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (shown) PetscCall(Shown());
  if (size > 1) PetscCall(Parallel());
  if (shown || size > 1) return CheckFinish("lines_limits");
  for (int t = 0; t < 2; t++) {
    for (PetscInt bs = 1; bs < 4; bs += 2)
      for (PetscInt row = 37 * bs; row < 40 * bs; row += bs) { /* both colours */
        PetscCall(Failing(types[t], PETSC_FALSE, row + bs - 1, bs));
        PetscCall(Failing(types[t], PETSC_TRUE, row, bs));
      }
    PetscCall(Singular(types[t], 13, 17, 1));
    PetscCall(Singular(types[t], 8, 9, 11));
  }
  PetscCall(Refusals());
  return CheckFinish("lines_limits");
}

/*TEST

  testset:
    output_file: output/lines_limits.out
    test:
      suffix: 1
      requires: double
    test:
      suffix: cuda
      requires: cuda double
      args: -expect_cuda

  test:
    suffix: 2
    comments: quick
    nsize: 2
    requires: double

  test:
    suffix: shown
    requires: double
    args: -shown -redblack_ksp_type fusedbcgs
    filter: grep -E "lines|are left|not yet|comparisons"

TEST*/
