static char help[] =
  "Fused solvers with a process that has no rows, solve after solve: sums are counted on each process by itself, so that a pass that one of them leaves out shows in the next solve.\n"
  "  -solvers: types; -pcs: preconditioners; -bs: unknowns of a cell\n";

#include "common/program.h"

/* Right-hand sides by turns, with one solver; the second time with the matrix scaled */
static PetscErrorCode Solves(Mat A)
{
  KSP                ksp;
  Vec                b, x;
  KSPConvergedReason reason;
  PetscReal          residual, norm;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-9, PETSC_CURRENT, PETSC_CURRENT, 2000));
  PetscCall(KSPSetFromOptions(ksp));
  for (PetscInt k = 0; k < 6; k++) {
    if (k == 3) PetscCall(MatScale(A, 0.5));
    PetscCall(CheckVecFill(b, 5 + k));
    PetscCall(CheckKSPSolve(ksp, b, x, NULL, &reason));
    PetscCall(ResidualNorm(A, x, b, &residual));
    PetscCall(VecNorm(b, NORM_2, &norm));
    PetscCall(CheckTrue(reason > 0, "converged"));
    PetscCall(CheckTrue(residual <= 1e-6 * norm, "the residual")); /* not a number: false */
  }
  PetscCall(CheckDestroy(&ksp, &b, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Systems(void)
{
  System   s          = {.kind = "grid", .cells = 140, .bs = 2, .seed = 7};
  char    *solvers[8] = {NULL}, *pcs[16] = {NULL}, options[256];
  PetscInt most_solvers = 8, most_pcs = 16;
  Mat      A;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-bs", &s.bs, NULL));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-solvers", solvers, &most_solvers, NULL));
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-pcs", pcs, &most_pcs, NULL));
  for (PetscInt t = 0; t < most_solvers; t++) {
    PetscCall(PetscStrcmp(solvers[t], "fusedcg", &s.symmetric));
    for (PetscInt p = 0; p < most_pcs; p++)
      for (s.split = 1; s.split < 3; s.split++) {
        PetscCall(PetscSNPrintf(options, sizeof(options), "-ksp_type %s -pc_type %s", solvers[t], pcs[p]));
        PetscCall(WhereWith(&s, options));
        PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
        PetscCall(Solves(A));
        PetscCall(MatDestroy(&A));
        PetscCall(OptionsSwitch(options, PETSC_FALSE));
      }
  }
  for (PetscInt t = 0; t < most_solvers; t++) PetscCall(PetscFree(solvers[t]));
  for (PetscInt p = 0; p < most_pcs; p++) PetscCall(PetscFree(pcs[p]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(Systems());
  return CheckFinish("no_rows");
}

/*TEST
  # blocks of the preconditioner that the format does not have: passes of their own on a device
  testset:
    args: -options_left 0 -heptane_comm_timeout 10 -heptane_test_comm_check -solvers fusedbcgs,fusedbicg -pcs none,jacobi,pbjacobi
    args: -mat_type {{bdiagh sellp}} -mat_bdiagh_block_size {{0 1}} -mat_sellp_block_size 1
    output_file: output/no_rows.out
    test:
      suffix: 1
      nsize: 3
      args: -ksp_fused_mode kernels -heptane_comm {{mpi peer}}
    test:
      suffix: groups
      nsize: 3
      args: -ksp_fused_mode kernels -heptane_groups {{2 3}}
    test:
      suffix: cuda
      requires: cuda
      nsize: {{2 4}}
      args: -ksp_fused_mode {{kernels graph}} -expect_cuda

  # preconditioners that are applied as launches between the passes
  testset:
    args: -options_left 0 -heptane_comm_timeout 10 -heptane_test_comm_check -solvers fusedcg,fusedbcgs -pcs gridmg -pc_gridmg_divide {{-1 1}} -mat_type bdiagh -bs {{1 3}}
    output_file: output/no_rows_gridmg.out
    test:
      suffix: gridmg
      nsize: 3
      args: -ksp_fused_mode kernels
    test:
      suffix: gridmg_groups
      nsize: 3
      args: -ksp_fused_mode kernels -heptane_groups 2
    test:
      suffix: gridmg_cuda
      requires: cuda
      nsize: {{2 4}}
      args: -ksp_fused_mode {{kernels graph}} -expect_cuda

  testset:
    requires: cuda
    nsize: 8
    args: -options_left 0 -heptane_comm_timeout 10 -heptane_test_comm_check -solvers fusedcg,fusedbcgs -expect_cuda -mat_type bdiagh
    test:
      suffix: cuda_8
      args: -pcs none,jacobi,pbjacobi -ksp_fused_mode {{kernels graph}} -heptane_comm peer
      output_file: output/no_rows.out
    test:
      suffix: gridmg_cuda_8
      args: -pcs gridmg -pc_gridmg_divide 1 -bs 1 -ksp_fused_mode graph
      output_file: output/no_rows_gridmg.out

  test:
    suffix: 2
    comments: quick
    nsize: 2
    args: -options_left 0 -heptane_comm_timeout 10 -heptane_test_comm_check -solvers fusedbcgs,fusedbicg -pcs none,jacobi,pbjacobi
    args: -mat_type bdiagh -mat_bdiagh_block_size 1 -ksp_fused_mode kernels -heptane_comm peer
    output_file: output/no_rows.out

  test:
    suffix: groups_2
    comments: quick
    nsize: 3
    args: -options_left 0 -heptane_comm_timeout 10 -heptane_test_comm_check -solvers fusedbicg -pcs jacobi
    args: -mat_type bdiagh -ksp_fused_mode kernels -heptane_groups 2
    output_file: output/no_rows_groups_2.out
TEST*/
