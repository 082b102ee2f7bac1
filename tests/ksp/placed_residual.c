static char help[] =
  "Solves on vectors of the solver's own: the residual and the objective that the solver tells of them, also after PETSc's loop ran; null spaces that they stay for.\n";

#include "common/system.h"
#include "../mat/common/check_device.h"

/* The residual that the solver builds is b - A x; objective: that of CG is that of x */
static PetscErrorCode Told(KSP ksp, Mat A, Vec b, Vec x, PetscBool objective)
{
  const PetscReal near = PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-8;
  Vec             r, built;
  PetscReal       obj;
  PetscScalar     xr, xb;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(KSPBuildResidual(ksp, NULL, NULL, &built));
  PetscCall(CheckVec(built, r, near, "residual"));
  PetscCall(VecDot(x, r, &xr));
  PetscCall(VecDot(x, b, &xb));
  if (objective) {
    PetscCall(KSPCGGetObjFcn(ksp, &obj));
    PetscCall(CheckReal(obj, PetscRealPart(-0.5 * (xb + xr)), near, "objective"));
  }
  PetscCall(CheckDestroy(&built, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RemoveNothing(MatNullSpace space, Vec x, void *ctx)
{
  PetscBool standard;

  PetscFunctionBeginUser;
  (void)space, (void)ctx;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)x, &standard, VECSEQ, VECMPI, ""));
  PetscCall(CheckTrue(standard, "the function of a null space is given vectors on the host"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const System s = {.kind = "grid", .cells = 700, .bs = 3, .seed = 6, .symmetric = PETSC_TRUE};
  Mat          A;
  KSP          ksp;
  Vec          b, x;
  PetscInt     n;
  MatNullSpace space;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
  PetscCall(CheckDevice(A));
  PetscCall(MatGetLocalSize(A, &n, NULL));
  PetscCall(VecCreate(PETSC_COMM_WORLD, &b));
  PetscCall(VecSetSizes(b, n, PETSC_DECIDE));
  PetscCall(VecSetType(b, VECSTANDARD));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(CheckVecFill(b, 5));
  for (PetscInt its = 2; its < 5; its++) {
    PetscCall(CheckWhere("%" PetscInt_FMT " iterations", its));
    PetscCall(CheckKSPCreate(A, "fusedcg", NULL, 1e-5, its, &ksp));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(CheckVecFill(x, 7));
    PetscCall(KSPSetInitialGuessNonzero(ksp, (PetscBool)(its == 2)));  /* x is orthogonal to r without one */
    if (its == 3) PetscCall(KSPCGUseSingleReduction(ksp, PETSC_TRUE)); /* a variant that PETSc's loop has on the host */
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(Told(ksp, A, b, x, (PetscBool)(its != 3)));
    if (its == 4) PetscCall(KSPCGSetRadius(ksp, 1e9));
    PetscCall(VecScale(b, 2.0));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(Told(ksp, A, b, x, PETSC_FALSE));
    PetscCall(KSPDestroy(&ksp));
  }
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_FALSE, 0, NULL, &space));
  PetscCall(MatNullSpaceSetFunction(space, RemoveNothing, NULL));
  PetscCall(MatSetNullSpace(A, space));
  PetscCall(MatNullSpaceDestroy(&space));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, "fusedcg"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(CheckDestroy(&ksp, &b, &x, &A));
  return CheckFinish("placed_residual");
}

/*TEST
  testset:
    output_file: output/placed_residual.out
    args: -options_left 0 -ksp_fused_place device -pc_type jacobi
    # solves are moved to other vectors on the host
    test:
      suffix: moved
      comments: quick
      args: -mat_type {{bdiagh sellp}} -heptane_test_move
    test:
      suffix: moved_2
      nsize: 2
      args: -mat_type bdiagh -heptane_test_move
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda
TEST*/
