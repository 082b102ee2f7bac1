static char help[] =
  "Which matrices PCGRIDMG takes: grids found in the offsets or given, what is refused and how; what it is a part of, on several processes too.\n";

#include "common/grid.h"

/* The error of a set-up with the option, where it is not empty */
static PetscErrorCode SetUp(Mat A, const char option[], const char value[], PetscErrorCode *code)
{
  PC pc;

  PetscFunctionBeginUser;
  if (option[0]) PetscCall(PetscOptionsSetValue(NULL, option, value));
  PetscCall(PCCreate(PetscObjectComm((PetscObject)A), &pc));
  PetscCall(PCSetType(pc, "gridmg"));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCSetFromOptions(pc));
  CheckCode(*code, PCSetUp(pc));
  PetscCall(PCDestroy(&pc));
  if (option[0]) PetscCall(PetscOptionsClearValue(NULL, option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Expect(Mat A, const char grid[], PetscErrorCode expected, const char what[])
{
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBeginUser;
  PetscCall(SetUp(A, grid[0] ? "-pc_gridmg_grid" : "", grid, &code));
  PetscCall(CheckTrue(code == expected, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A band matrix with these offsets, -1 beside 8 on the diagonal */
static PetscErrorCode Band(const char type[], PetscInt n, PetscInt count, const PetscInt offsets[], Mat *A)
{
  const PetscScalar off = -1, on = 8;

  PetscFunctionBeginUser;
  PetscCall(CheckMatCreate(PETSC_COMM_SELF, n, n, 0, type, PETSC_FALSE, A));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatSetValues(*A, 1, &i, 1, &i, &on, INSERT_VALUES));
    for (PetscInt k = 0; k < count; k++)
      for (PetscInt sign = -1; sign < 2; sign += 2) {
        const PetscInt j = i + sign * offsets[k];

        if (j >= 0 && j < n) PetscCall(MatSetValues(*A, 1, &i, 1, &j, &off, INSERT_VALUES));
      }
  }
  PetscCall(CheckAssemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refusals(void)
{
  const PetscInt line[] = {1}, odd[] = {1, 7, 20}, many[] = {1, 4, 12, 24}, wide[] = {4};
  Grid           g = {CELLS(4, 3, 5), .bs = 1, .seed = 5, .std = 1, .accumulation = 1e-3, STRENGTHS(1, 2, 3)};
  Mat            A;

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(check_where, "refusals", sizeof(check_where)));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(Expect(A, "", PETSC_SUCCESS, "a grid found in the offsets"));
  PetscCall(Expect(A, "4,3,5", PETSC_SUCCESS, "the same given"));
  PetscCall(Expect(A, "4,15", PETSC_ERR_ARG_WRONG, "a plane where there are three axes"));
  PetscCall(Expect(A, "4,4,5", PETSC_ERR_ARG_WRONG, "more cells than rows"));
  PetscCall(Expect(A, "3,4,5", PETSC_ERR_ARG_WRONG, "other extents"));
  PetscCall(MatDestroy(&A));
  PetscCall(Band("bdiagh", 60, 1, line, &A)); /* the couplings that another grid would not have are there */
  PetscCall(Expect(A, "", PETSC_SUCCESS, "a line"));
  PetscCall(Expect(A, "6,10,1", PETSC_ERR_ARG_WRONG, "the end of a line coupled with the next"));
  PetscCall(MatDestroy(&A));
  PetscCall(Band("bdiagh", 60, 3, odd, &A));
  PetscCall(Expect(A, "", PETSC_ERR_ARG_WRONG, "offsets of no grid"));
  PetscCall(MatDestroy(&A));
  PetscCall(Band("bdiagh", 60, 4, many, &A));
  PetscCall(Expect(A, "", PETSC_ERR_ARG_WRONG, "four axes"));
  PetscCall(MatDestroy(&A));
  PetscCall(Band("bdiagh", 60, 1, wide, &A));
  PetscCall(Expect(A, "", PETSC_ERR_ARG_WRONG, "no neighbours along the first axis"));
  PetscCall(Expect(A, "4,15", PETSC_SUCCESS, "the same with its extents"));
  PetscCall(MatDestroy(&A));
  PetscCall(Band(MATAIJ, 60, 1, line, &A));
  PetscCall(Expect(A, "", PETSC_ERR_ARG_WRONG, "another type"));
  PetscCall(MatDestroy(&A));
  for (g.bs = 8; g.bs < 10; g.bs++) {
    PetscCall(GridOption("-mat_bdiagh_block_size", "%d", g.bs, 0, 0));
    PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
    PetscCall(Expect(A, "", g.bs > 8 ? PETSC_ERR_SUP : PETSC_SUCCESS, "unknowns of a cell"));
    PetscCall(MatDestroy(&A));
  }
  PetscCall(GridOption("-mat_bdiagh_block_size", "1", 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells on the surface of the grid have rows of the identity, and others are coupled to them, as DMDA programs write Dirichlet values */
static PetscErrorCode FixedSurface(const PetscInt n[3])
{
  const PetscInt     stride[3] = {1, n[0], n[0] * n[1]}, N = stride[2] * n[2];
  const PetscScalar  one = 1, off = -1, on = 6;
  const Grid         g = {CELLS(n[0], n[1], n[2])};
  KSPConvergedReason reason;
  PetscInt           its, at[3];
  KSP                ksp;
  Mat                A;
  Vec                x, b;

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(check_where, "a fixed surface", sizeof(check_where)));
  PetscCall(CheckMatCreate(PETSC_COMM_SELF, N, N, 0, "bdiagh", PETSC_TRUE, &A));
  PetscCall(CheckVecs(A, &x, 0, &b, 3));
  PetscCall(VecSet(x, 0));
  for (PetscInt i = 0; i < N; i++) {
    PetscBool surface = PETSC_FALSE;

    GridPosition(&g, i, at);
    for (int a = 0; a < 3; a++)
      if (at[a] == 0 || at[a] + 1 == n[a]) surface = PETSC_TRUE;
    PetscCall(MatSetValues(A, 1, &i, 1, &i, surface ? &one : &on, INSERT_VALUES));
    if (surface) PetscCall(VecSetValue(b, i, 0, INSERT_VALUES));
    for (int k = 0; k < 6 && !surface; k++) {
      const PetscInt j = i + (k % 2 ? 1 : -1) * stride[k / 2];

      PetscCall(MatSetValues(A, 1, &i, 1, &j, &off, INSERT_VALUES));
    }
  }
  PetscCall(CheckAssemble(A));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(CheckKSPCreate(A, KSPCG, "gridmg", 1e-6, 100, &ksp));
  PetscCall(CheckKSPSolve(ksp, b, x, &its, &reason));
  PetscCall(CheckTrue(reason > 0 && its <= 12, KSPConvergedReasons[reason]));
  PetscCall(CheckDestroy(&ksp, &x, &b, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations of a solve with the options of the text, which must converge in at most so many */
static PetscErrorCode Solve(const Grid *g, const char options[], PetscInt most)
{
  KSPConvergedReason reason;
  PetscInt           its;
  KSP                ksp;
  Mat                A;
  Vec                x, b;

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(check_where, options, sizeof(check_where)));
  PetscCall(GridCreate(PETSC_COMM_WORLD, g, &A));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(CheckVecs(A, &x, 0, &b, 3));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "grid_"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetFromOptions(ksp));
  for (int again = 0; again < 2; again++) { /* with the values of another seed too */
    Grid other = *g;

    PetscCall(CheckKSPSolve(ksp, b, x, &its, &reason));
    PetscCall(CheckTrue(reason > 0 && its <= most, KSPConvergedReasons[reason]));
    other.seed++;
    PetscCall(GridFill(&other, A));
  }
  PetscCall(CheckDestroy(&ksp, &x, &b, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid        g = {CELLS(9, 8, 12), .bs = 1, .seed = 5, .std = 1.5, .accumulation = 1e-3, STRENGTHS(1, 2, 3)};
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  size = CheckProcesses();
  PetscCall(PetscOptionsSetValue(NULL, "-mat_bdiagh_block_size", "1"));
  if (size == 1) {
    PetscCall(Refusals());
    PetscCall(FixedSurface((PetscInt[]){12, 13, 14}));
  }
  PetscCall(Solve(&g, "-grid_ksp_type richardson -grid_ksp_rtol 1e-5 -grid_pc_type gridmg", 18));
  PetscCall(Solve(&g, "-grid_ksp_type cg -grid_ksp_rtol 1e-5 -grid_pc_type gridmg -grid_pc_gridmg_cycle w", 9));
  PetscCall(Solve(&g, "-grid_ksp_type fusedcg -grid_ksp_rtol 1e-5 -grid_pc_type gridmg", 10));
  PetscCall(Solve(&g, "-grid_ksp_type fusedbcgs -grid_ksp_rtol 1e-5 -grid_pc_type gridmg", 7));
  PetscCall(Solve(&g, "-grid_ksp_type fgmres -grid_pc_type composite -grid_pc_composite_pcs jacobi,gridmg", 20));
  PetscCall(Solve(&g, "-grid_ksp_type cg -grid_ksp_rtol 1e-5 -grid_pc_type bjacobi -grid_sub_pc_type gridmg", size == 1 ? 10 : 32));
  PetscCall(Solve(
    &g,
    "-grid_ksp_type fgmres -grid_ksp_rtol 1e-5 -grid_pc_type mg -grid_pc_mg_levels 1 -grid_mg_levels_ksp_type richardson -grid_mg_levels_ksp_max_it 2 -grid_mg_levels_pc_type gridmg",
    7));
  g.bs = 2;
  PetscCall(PetscOptionsSetValue(NULL, "-mat_bdiagh_block_size", "2"));
  PetscCall(Solve(
    &g,
    "-grid_ksp_type fgmres -grid_ksp_rtol 1e-5 -grid_pc_type fieldsplit -grid_pc_fieldsplit_block_size 2 -grid_fieldsplit_ksp_type preonly -grid_fieldsplit_mat_bdiagh_block_size 1 -grid_fieldsplit_pc_type gridmg",
    40));
  return CheckFinish("gridmg_grid");
}

/*TEST
  test:
    suffix: 1
    requires: double
    output_file: output/gridmg_grid.out
  test:
    suffix: 2
    comments: quick
    nsize: 2
    requires: double
    output_file: output/gridmg_grid_2.out
  test:
    suffix: groups
    nsize: 2
    requires: double
    args: -heptane_groups 2
    output_file: output/gridmg_grid_2.out
  test:
    suffix: cuda
    requires: cuda double
    args: -expect_cuda
    output_file: output/gridmg_grid.out
  test:
    suffix: cuda_2
    nsize: 2
    requires: cuda double
    args: -expect_cuda
    output_file: output/gridmg_grid_2.out
TEST*/
