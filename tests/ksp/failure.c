static char help[] = "After a solve that ended with an error everything is as if it had ended without: vectors, the iterate, the next solve.\n";

#include "common/solution.h"
#include "common/try.h"

static const System system_ = {.kind = "grid", .cells = 300, .bs = 1, .seed = 12, .symmetric = PETSC_TRUE};

/* Indefinite with a positive diagonal: CG breaks down after some iterations */
static PetscErrorCode Indefinite(Mat *A)
{
  Vec         d;
  PetscReal   least;
  PetscScalar shift;

  PetscFunctionBeginUser;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &system_, A));
  PetscCall(MatCreateVecs(*A, &d, NULL));
  PetscCall(MatGetDiagonal(*A, d));
  PetscCall(VecMin(d, NULL, &least));
  shift = -0.5 * least;
  PetscCall(MatShift(*A, shift));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve that does not converge, which is an error, then one of another system with other vectors by the same solver */
static PetscErrorCode NotConverged(const char options[])
{
  Mat            A, B;
  KSP            ksp[2];
  Vec            b, x[2];
  PetscReal      distance = 0;
  PetscErrorCode code[2];
  PetscInt       its = 0;

  PetscFunctionBeginUser;
  PetscCall(WhereWith(&system_, options));
  PetscCall(Indefinite(&A));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &system_, &B));
  PetscCall(CheckVecs(A, &b, 5, NULL, 0));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDuplicate(b, &x[k]));
    PetscCall(VecSet(x[k], 0.0));
    PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
    PetscCall(KSPSetErrorIfNotConverged(ksp[k], PETSC_TRUE));
    PetscCall(TrySolve(ksp[k], b, x[k], &code[k]));
    PetscCall(KSPGetIterationNumber(ksp[k], &its));
    PetscCall(KSPSetErrorIfNotConverged(ksp[k], PETSC_FALSE));
    PetscCall(KSPSetOperators(ksp[k], B, B));
  }
  PetscCall(CheckTrue(code[0] == PETSC_ERR_NOT_CONVERGED && code[1] == code[0], "both are errors"));
  PetscCall(VecDistance(x[0], x[1], NULL, &distance));
  PetscCall(CheckTrue(distance <= RESULT_ROUNDING, "the iterate of the solve that did not converge"));
  PetscCall(ComparePair(&system_, ksp[0], ksp[1], KSPSolve, 1, b, NULL, "the next solve"));
  PetscCall(CheckDestroy(&ksp[0], &x[0], &ksp[1], &x[1], &b, &A, &B));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A monitor that gives up, after which the solver goes on to be used */
static PetscErrorCode GivesUp(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  (void)ksp, (void)norm;
  return it == 3 && *(PetscBool *)ctx ? PETSC_ERR_USER : PETSC_SUCCESS;
}

static PetscErrorCode MonitorFails(const char options[])
{
  Mat            A;
  KSP            ksp[2];
  Vec            b, x;
  PetscErrorCode code = PETSC_SUCCESS;
  PetscBool      on;

  PetscFunctionBeginUser;
  PetscCall(WhereWith(&system_, options));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &system_, &A));
  PetscCall(CheckVecs(A, &b, 5, &x, 0));
  for (int k = 0; k < 2; k++) {
    PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
    PetscCall(KSPMonitorSet(ksp[k], GivesUp, &on, NULL));
    on = PETSC_TRUE;
    PetscCall(TrySolve(ksp[k], b, x, &code));
    PetscCall(CheckTrue(code == PETSC_ERR_USER, "the monitor's error"));
    on = PETSC_FALSE;
  }
  PetscCall(ComparePair(&system_, ksp[0], ksp[1], KSPSolve, 1, b, NULL, "the next solve"));
  PetscCall(CheckDestroy(&ksp[0], &ksp[1], &x, &b, &A));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Failures(void)
{
  PetscFunctionBeginUser;
  if (TwinIs(KSPCG)) {
    PetscCall(NotConverged("-pc_type jacobi"));
    PetscCall(NotConverged("-pc_type none"));
    PetscCall(NotConverged("-pc_type jacobi -ksp_fused_fold yes"));
    PetscCall(NotConverged("-pc_type jacobi -ksp_fused_fold yes -ksp_norm_type natural"));
  }
  PetscCall(MonitorFails("-pc_type jacobi"));
  PetscCall(MonitorFails("-pc_type jacobi -ksp_fused_fold yes"));
  PetscCall(MonitorFails("-pc_type bjacobi"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Failures, CompareSmall, "failure", 15000)

/*TEST
  testset:
    output_file: output/failure.out
    args: -options_left 0
    test:
      suffix: 1
      comments: quick
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: groups
      nsize: 3
      args: -mat_type bdiagh -heptane_groups {{2 3}}
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda
TEST*/
