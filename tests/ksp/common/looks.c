#include "looks.h"
#include "solution.h"

static PetscBool looks_agree; /* what has been built so far */

/* The iterate and its residual, whose norm is the one given, where that is the method's norm */
static PetscErrorCode LookAt(KSP ksp, PetscReal norm)
{
  Vec       v, x, r;
  PetscReal of_r, of_b;

  PetscFunctionBeginUser;
  PetscCall(KSPGetRhs(ksp, &v));
  PetscCall(VecNorm(v, NORM_2, &of_b));
  PetscCall(VecDuplicate(v, &v));
  PetscCall(KSPBuildSolution(ksp, v, &x));
  PetscCall(KSPBuildResidual(ksp, NULL, v, &r));
  PetscCall(VecNorm(r, NORM_2, &of_r));
  if (!(PetscAbsReal(of_r - norm) <= 1e-3 * norm + 1e-11 * of_b)) looks_agree = PETSC_FALSE;
  if (r != v) PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookMonitor(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  (void)it, (void)ctx;
  return LookAt(ksp, norm);
}

static PetscErrorCode LookTest(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *ctx)
{
  PetscFunctionBeginUser;
  PetscCall(LookAt(ksp, norm));
  PetscCall(KSPConvergedDefault(ksp, it, norm, reason, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FixFaces(const Grid *g, Mat A, PetscScalar diagonal)
{
  PetscInt lo, hi, n = 0, at[3], *rows;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(PetscMalloc1(hi - lo, &rows));
  for (PetscInt i = lo; i < hi; i++) {
    GridPosition(g, i / g->bs, at);
    if (at[0] == 0 || at[0] == g->n[0] - 1) rows[n++] = i;
  }
  PetscCall(MatZeroRows(A, n, rows, diagonal, NULL, NULL));
  PetscCall(MatSetOption(A, MAT_SYMMETRIC, PETSC_FALSE));
  PetscCall(PetscFree(rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LookRun(Mat A, Vec b, const char path[], const char variant[], Looker looker, Run *run)
{
  KSP       ksp;
  PetscBool nonzero;
  PetscReal size;
  void     *own;

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(path, PETSC_TRUE));
  PetscCall(OptionsSwitch(variant, PETSC_TRUE));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, 2000));
  PetscCall(KSPSetFromOptions(ksp));
  if (looker == MONITOR_BUILDS) PetscCall(KSPMonitorSet(ksp, LookMonitor, NULL, NULL));
  if (looker == TEST_BUILDS) {
    PetscCall(KSPConvergedDefaultCreate(&own));
    PetscCall(KSPSetConvergenceTest(ksp, LookTest, own, KSPConvergedDefaultDestroy));
  }
  PetscCall(CheckVecLike(b, 9, &run->x));
  looks_agree = PETSC_TRUE;
  PetscCall(KSPSolve(ksp, b, run->x));
  PetscCall(CheckTrue(looks_agree, "residuals that are built have the norms given"));
  PetscCall(KSPGetIterationNumber(ksp, &run->its));
  PetscCall(KSPGetConvergedReason(ksp, &run->reason));
  PetscCall(KSPGetInitialGuessNonzero(ksp, &nonzero));
  PetscCall(CheckTrue(!nonzero, "the program's guess is still zero"));
  PetscCall(ResidualNorm(A, run->x, b, &run->left));
  PetscCall(VecNorm(b, NORM_2, &size));
  run->left /= size;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(OptionsSwitch(variant, PETSC_FALSE));
  PetscCall(OptionsSwitch(path, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LookCompare(const Run *run, const Run *first, PetscInt more)
{
  PetscReal far = 0;

  PetscFunctionBeginUser;
  PetscCall(VecDistance(run->x, first->x, NULL, &far));
  PetscCall(CheckTrue(run->reason == first->reason && (more < 0 || PetscAbsInt(run->its - first->its) <= more),
                      CheckText("%s after %d iterations, else %s after %d", KSPConvergedReasons[run->reason], (int)run->its, KSPConvergedReasons[first->reason],
                                (int)first->its)));
  PetscCall(CheckTrue(run->left <= 2e-8 && far <= 1e-6, CheckText("true relative residual %g, x differs by %g", (double)run->left, (double)far)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
