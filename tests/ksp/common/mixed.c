#include "compare.h"
#include "mixed.h"
#include "solution.h"

/* All of a vector that may be distributed, on every process */
static PetscErrorCode Gathered(Vec x, Vec *all)
{
  VecScatter scatter;

  PetscFunctionBeginUser;
  PetscCall(VecScatterCreateToAll(x, &scatter, all));
  PetscCall(VecScatterBegin(scatter, x, *all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, x, *all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterDestroy(&scatter));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LongResidual(KSP ksp, Mat R, Vec b, Vec x, PetscReal *norm)
{
  const PetscInt    *j;
  const PetscScalar *v, *xa, *ba;
  PetscScalar       *ra;
  PetscInt           lo, hi, m;
  Vec                r, all;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecGetOwnershipRange(b, &lo, &hi));
  PetscCall(Gathered(x, &all));
  PetscCall(VecGetArrayRead(all, &xa));
  PetscCall(VecGetArrayRead(b, &ba));
  PetscCall(VecGetArray(r, &ra));
  for (PetscInt i = lo; i < hi; i++) {
    Long sum = ba[i - lo];

    PetscCall(MatGetRow(R, i, &m, &j, &v));
    for (PetscInt k = 0; k < m; k++) sum -= (Long)v[k] * (Long)xa[j[k]];
    PetscCall(MatRestoreRow(R, i, &m, &j, &v));
    ra[i - lo] = (PetscScalar)sum;
  }
  PetscCall(VecRestoreArray(r, &ra));
  PetscCall(VecRestoreArrayRead(all, &xa));
  PetscCall(VecRestoreArrayRead(b, &ba));
  PetscCall(VecDestroy(&all));
  PetscCall(MethodNorm(ksp, KSPSolve, r, norm));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LongSolve(Mat R, Vec b, Vec x)
{
  const PetscInt    *j;
  const PetscScalar *v, *ba;
  PetscScalar       *xa;
  PetscInt           n, m;
  Long              *a;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(b, &n));
  PetscCall(PetscCalloc1(n * (n + 1), &a)); /* the right-hand side behind each row */
  PetscCall(VecGetArrayRead(b, &ba));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(MatGetRow(R, i, &m, &j, &v));
    for (PetscInt k = 0; k < m; k++) a[i * (n + 1) + j[k]] = v[k];
    PetscCall(MatRestoreRow(R, i, &m, &j, &v));
    a[i * (n + 1) + n] = ba[i];
  }
  PetscCall(VecRestoreArrayRead(b, &ba));
  for (PetscInt k = 0; k < n; k++) {
    PetscInt pivot = k;

    for (PetscInt i = k + 1; i < n; i++)
      if (fabsl(a[i * (n + 1) + k]) > fabsl(a[pivot * (n + 1) + k])) pivot = i;
    for (PetscInt c = k; c <= n; c++) {
      const Long t           = a[k * (n + 1) + c];
      a[k * (n + 1) + c]     = a[pivot * (n + 1) + c];
      a[pivot * (n + 1) + c] = t;
    }
    for (PetscInt i = 0; i < n; i++) {
      const Long factor = i == k ? 0 : a[i * (n + 1) + k] / a[k * (n + 1) + k];

      for (PetscInt c = k; c <= n && factor != 0; c++) a[i * (n + 1) + c] -= factor * a[k * (n + 1) + c];
    }
  }
  PetscCall(VecGetArray(x, &xa));
  for (PetscInt i = 0; i < n; i++) xa[i] = (PetscScalar)(a[i * (n + 1) + n] / a[i * (n + 1) + i]);
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(PetscFree(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckPromise(KSP ksp, Mat R, Vec b, Vec exact, const Result *f, const Result *t, const char what[])
{
  const double more = TwinIs(KSPBCGS) ? 1.6 : 1.1; /* BiCGStab may take more: docs/guide/mixed-precision.md */
  PetscReal    rtol, norm, size, part, distance = 0;
  Vec          w;
  PetscInt     N;

  PetscFunctionBeginUser;
  PetscCall(
    CheckTrue(f->reason > 0 && f->its <= more * (double)t->its + 4, CheckText("%s: %s after %" PetscInt_FMT ", the twin %s after %" PetscInt_FMT, what,
                                                                              KSPConvergedReasons[f->reason], f->its, KSPConvergedReasons[t->reason], t->its)));
  PetscCall(CheckTrue(f->n == f->its + (TwinIs(KSPCHEBYSHEV) && f->its ? 0 : 1) && f->history[f->n - 1] == f->rnorm, "the norm is the last of the history"));
  PetscCall(KSPGetTolerances(ksp, &rtol, NULL, NULL, NULL));
  PetscCall(MethodNorm(ksp, KSPSolve, b, &size));
  PetscCall(CheckTrue(f->rnorm <= rtol * size * (1 + RESULT_ROUNDING), "the tolerance is met"));
  PetscCall(VecDuplicate(b, &w));
  PetscCall(MatMult(R, f->x, w));
  PetscCall(MethodNorm(ksp, KSPSolve, w, &part));
  PetscCall(LongResidual(ksp, R, b, f->x, &norm));
  PetscCall(CheckTrue(PetscAbsReal(f->rnorm - norm) <= 100 * PETSC_MACHINE_EPSILON * (size + part),
                      CheckText("%s: norm %.15g, in long double %.15g", what, (double)f->rnorm, (double)norm)));
  if (exact) {
    PetscCall(VecDistance(f->x, exact, NULL, &distance));
    PetscCall(CheckTrue(distance <= 1000 * rtol, CheckText("%s: solution %.2g from that in long double", what, (double)distance)));
  }
  PetscCall(VecGetSize(b, &N));
  result_values += N + 5;
  PetscCall(VecDestroy(&w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MixedSolve(Mat A, Vec b, Vec guess, const char options[], Result *r, Plan *p)
{
  static Result again;
  KSP           ksp;

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  PetscCall(ResultSolve(ksp, PETSC_FALSE, KSPSolve, b, guess, r));
  PetscCall(ResultSolve(ksp, PETSC_FALSE, KSPSolve, b, guess, &again));
  if (ResultMeans(r)) PetscCall(CheckRepeat(&again, r, options));
  PetscCall(Look(ksp, p));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(ResultDestroy(&again));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WantsPersistent(const System *s, PetscInt cells, const char options[], PetscBool *wants)
{
  PetscBool asked, remainder, device = CheckOption("-expect_cuda");

  PetscFunctionBeginUser;
  PetscCall(PetscStrcmp(compare_mode, " -ksp_fused_mode persistent", &asked));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_bdiagh_max_remainder", &remainder));
  *wants = (PetscBool)(asked && device && !TwinIs(KSPCHEBYSHEV) && s->bs == 1 && cells > 2 * SystemPlane(s) && !s->wells && !remainder &&
                       strstr(options, "-pc_type jacobi") && !strstr(options, "rowmax"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TwinSolve(Mat R, Vec b, Vec guess, const char options[], KSP *ksp, Result *r)
{
  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(SolverCreate(R, R, compare_twin, ksp));
  PetscCall(ResultSolve(*ksp, PETSC_TRUE, KSPSolve, b, guess, r));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
