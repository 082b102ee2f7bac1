static char help[] = "Options of a fused solver that cannot be: an error that names the option and what it may be.\n";

#include "common/compare.h"
#include "../mat/common/caught.h"

static PetscErrorCode Use(Mat A, Vec b)
{
  KSP ksp;
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(CheckDestroy(&x, &ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The option must end in an error whose message has these words */
static PetscErrorCode Refused(Mat A, Vec b, const char options[], const char one[], const char other[])
{
  PetscErrorCode code;
  PetscBool      good;

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  CheckCaught(code, Use(A, b));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  good = (PetscBool)(code && strstr(caught, one) && strstr(caught, other));
  if (!good) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s gave error %d: %s\n", options, (int)code, caught));
  PetscCall(CheckTrue(good, options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Refusals(void)
{
  const System s = {.kind = "grid", .cells = 300, .bs = 3, .seed = 16, .symmetric = TwinIs(KSPCG)};
  Mat          A;
  Vec          b;

  PetscFunctionBeginUser;
  PetscCall(Where(&s, "refusals"));
  PetscCall(SystemWithSide(&s, &A, &b));
  PetscCall(Refused(A, b, "-ksp_fused_mode fastest", "-ksp_fused_mode", "fastest"));
  PetscCall(Refused(A, b, "-ksp_fused_wait sleeping", "-ksp_fused_wait", "sleeping"));
  PetscCall(Refused(A, b, "-ksp_fused_check_interval -1", "-ksp_fused_check_interval", "-1"));
  PetscCall(Refused(A, b, "-ksp_fused_check_interval -1", "from 0 to", "0: automatic"));
  PetscCall(Refused(A, b, "-ksp_error_if_not_converged -ksp_max_it 2", "not converged", "DIVERGED_ITS"));
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Refusals, CompareSmall, "refusals", 5)

/*TEST
  test:
    suffix: 1
    comments: quick
    # what was being built when a refusal ended it is not given back
    args: -type {{fusedcg fusedbcgs fusedbicg}} -checkfunctionlist 0 -malloc_dump 0
    output_file: output/refusals.out
TEST*/
