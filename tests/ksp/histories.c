static char help[] = "Residual histories kept in several ways: PETSc's own array, a short one of the user's, one that goes on over two solves.\n";

#include "common/compare.h"

static PetscErrorCode HistoriesOf(const System *s, Mat A, Vec b)
{
  PetscReal        h[2][12], all[2][400];
  const PetscReal *own;
  PetscInt         n[2][4], its = 0;
  Vec              x;

  PetscFunctionBeginUser;
  PetscCall(Where(s, "histories"));
  PetscCall(VecDuplicate(b, &x));
  for (int k = 0; k < 2; k++) {
    KSP ksp;

    PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp));
    PetscCall(KSPSetTolerances(ksp, 0.0, PETSC_CURRENT, PETSC_CURRENT, 15));
    PetscCall(KSPSetResidualHistory(ksp, NULL, PETSC_DECIDE, PETSC_TRUE));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &its));
    PetscCall(KSPGetResidualHistory(ksp, &own, &n[k][0]));
    for (PetscInt i = 0; i < 12; i++) all[k][i] = own[i];
    PetscCall(KSPSetResidualHistory(ksp, h[k], 12, PETSC_TRUE));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetResidualHistory(ksp, NULL, &n[k][1]));
    for (PetscInt i = 0; i < 12; i++) PetscCall(CheckReal(h[k][i], all[k][i], 0, "the short one is the beginning"));
    PetscCall(KSPSetResidualHistory(ksp, all[k], 400, PETSC_FALSE));
    for (int solve = 2; solve < 4; solve++) {
      PetscCall(KSPSolve(ksp, b, x));
      PetscCall(KSPGetResidualHistory(ksp, NULL, &n[k][solve]));
    }
    for (PetscInt i = 0; i < 12; i++) PetscCall(CheckReal(all[k][n[k][2] + i], h[k][i], 0, "the second solve's follows the first's"));
    PetscCall(KSPDestroy(&ksp));
  }
  for (int solve = 0; solve < 4; solve++) PetscCall(CheckTrue((PetscBool)(n[0][solve] == n[1][solve] && n[1][solve] >= 12), "entries"));
  PetscCall(CheckTrue((PetscBool)(n[0][3] == 2 * (its + 1)), "entries of two solves"));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Histories(void)
{
  const System s = {.kind = "grid", .cells = 140, .bs = 2, .seed = 18, .symmetric = TwinIs(KSPCG)};

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch("-pc_type jacobi", PETSC_TRUE));
  PetscCall(SystemUse(&s, HistoriesOf));
  PetscCall(OptionsSwitch("-pc_type jacobi", PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return CompareMain(argc, argv, help, Histories, CompareSmall, "histories", 50);
}

/*TEST

  testset:
    output_file: output/histories.out
    args: -ksp_fused_check_interval {{0 5}}
    test:
      suffix: 1
      comments: quick
      nsize: {{1 2}}
    test:
      suffix: cuda
      requires: cuda
      args: -mode kernels,graph,persistent -expect_cuda

TEST*/
