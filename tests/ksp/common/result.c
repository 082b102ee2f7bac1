#include "result.h"
#include "solution.h"
#include "twin.h"
#include "../../mat/common/check.h"

double result_values = 0;

PetscErrorCode ResultDestroy(Result *r)
{
  return VecDestroy(&r->x);
}

PetscBool ResultMeans(const Result *r)
{
  return (PetscBool)(r->reason != KSP_DIVERGED_NANORINF && r->reason != KSP_DIVERGED_PC_FAILED);
}

/* What KSPBuildResidual() gives after the solve, against b - A x. A sign of the solver's own vectors: not a check of x. */
static PetscErrorCode ResidualGap(KSP ksp, Vec b, Vec x, PetscReal *gap)
{
  Mat       A;
  Vec       v, built, r;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(VecDuplicate(b, &v));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(KSPBuildResidual(ksp, NULL, v, &built));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecAXPY(r, -1.0, built));
  PetscCall(VecNorm(r, NORM_2, gap));
  PetscCall(VecNorm(b, NORM_2, &norm));
  if (norm > 0) *gap /= norm;
  if (built != v) PetscCall(VecDestroy(&built));
  PetscCall(CheckDestroy(&v, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ResultSolve(KSP ksp, PetscBool twin, SolveFn *solve, Vec b, Vec guess, Result *r)
{
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&r->x));
  PetscCall(VecDuplicate(b, &r->x));
  if (guess) PetscCall(VecCopy(guess, r->x));
  else PetscCall(VecSet(r->x, 0.0));
  PetscCall(KSPSetResidualHistory(ksp, r->history, RESULT_MAX, PETSC_TRUE));
  twin_solves = twin;
  PetscCall(solve(ksp, b, r->x));
  twin_solves = PETSC_FALSE;
  PetscCall(KSPGetResidualHistory(ksp, NULL, &r->n));
  PetscCall(KSPGetIterationNumber(ksp, &r->its));
  PetscCall(KSPGetResidualNorm(ksp, &r->rnorm));
  PetscCall(KSPGetConvergedReason(ksp, &r->reason));
  if (solve == KSPSolve && r->reason == KSP_DIVERGED_NANORINF) PetscCall(ResultSolution(ksp, r->x));
  PetscCall(KSPSetResidualHistory(ksp, NULL, 0, PETSC_TRUE));
  r->gap = 0;
  if (solve == KSPSolve && ResultMeans(r)) PetscCall(ResidualGap(ksp, b, r->x, &r->gap));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckRepeat(const Result *a, const Result *b, const char what[])
{
  const PetscScalar *x, *y;
  PetscInt           n, N;
  PetscBool          same = PETSC_FALSE, equal = PETSC_FALSE;

  PetscFunctionBeginUser;
  if (a->n == b->n && a->its == b->its && a->reason == b->reason) PetscCall(PetscMemcmp(a->history, b->history, sizeof(PetscReal) * (size_t)a->n, &same));
  PetscCall(CheckTrue(same, CheckText("%s: the same history bit for bit", what)));
  PetscCall(VecGetLocalSize(a->x, &n));
  PetscCall(VecGetSize(a->x, &N));
  PetscCall(VecGetArrayRead(a->x, &x));
  PetscCall(VecGetArrayRead(b->x, &y));
  PetscCall(PetscMemcmp(x, y, sizeof(PetscScalar) * (size_t)n, &equal));
  PetscCall(VecRestoreArrayRead(a->x, &x));
  PetscCall(VecRestoreArrayRead(b->x, &y));
  PetscCall(CheckTrue(equal, CheckText("%s: the same solution bit for bit", what)));
  result_values += a->n + N;
  PetscFunctionReturn(PETSC_SUCCESS);
}
