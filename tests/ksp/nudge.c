static char help[] = "The whole history of a solve follows the twin's as near as a right-hand side with other last bits does.\n";

#include "common/program.h"
#include "../mat/common/problem.h"

#define NUDGES 4
#define FACTOR 100 /* rounding in every operation against that of one right-hand side; 6 was seen */

/* y: b with the last bit of every entry changed, one way or the other by the seed */
static PetscErrorCode VecNudge(Vec b, PetscInt seed, Vec y)
{
  PetscScalar *a;
  PetscInt     lo, hi;

  PetscFunctionBeginUser;
  PetscCall(VecCopy(b, y));
  PetscCall(VecGetOwnershipRange(y, &lo, &hi));
  PetscCall(VecGetArray(y, &a));
  for (PetscInt i = lo; i < hi; i++) a[i - lo] *= 1 + (ProblemHash(seed, i, i) % 2 ? 1 : -1) * PETSC_MACHINE_EPSILON;
  PetscCall(VecRestoreArray(y, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* change[k]: how far the histories of nudged solves are from the twin's up to entry k, the largest, relative */
static PetscErrorCode Spread(KSP twin, Vec b, const Result *t, PetscReal change[])
{
  static Result r;
  Vec           y;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &y));
  for (PetscInt k = 0; k < t->n; k++) change[k] = PETSC_MACHINE_EPSILON;
  for (PetscInt seed = 0; seed < NUDGES; seed++) {
    PetscCall(VecNudge(b, 7 + seed, y));
    PetscCall(ResultSolve(twin, PETSC_TRUE, KSPSolve, y, NULL, &r));
    for (PetscInt k = 0; k < PetscMin(r.n, t->n); k++) change[k] = PetscMax(change[k], PetscAbsReal(r.history[k] - t->history[k]) / t->history[k]);
  }
  for (PetscInt k = 1; k < t->n; k++) change[k] = PetscMax(change[k], change[k - 1]);
  PetscCall(ResultDestroy(&r));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareHistory(const System *s, const char options[])
{
  static Result    r[2];
  static PetscReal change[RESULT_MAX];
  KSP              ksp[2];
  Mat              A;
  Vec              b;
  PetscInt         k = 0;

  PetscFunctionBeginUser;
  PetscCall(WhereWith(s, options));
  PetscCall(SystemWithSide(s, &A, &b));
  for (int t = 0; t < 2; t++) {
    PetscCall(SolverCreate(A, A, t ? compare_twin : compare_type, &ksp[t]));
    PetscCall(ResultSolve(ksp[t], (PetscBool)(t == 1), KSPSolve, b, NULL, &r[t]));
  }
  PetscCall(Spread(ksp[1], b, &r[1], change));
  PetscCall(CheckTrue(r[0].n == r[1].n, "as many iterations"));
  while (k < PetscMin(r[0].n, r[1].n) && PetscAbsReal(r[0].history[k] - r[1].history[k]) <= FACTOR * change[k] * r[1].history[k]) k++;
  PetscCall(CheckTrue(k == r[1].n, CheckText("%" PetscInt_FMT " norms of %" PetscInt_FMT " as near as nudged ones", k, r[1].n)));
  result_values += k;
  for (int t = 0; t < 2; t++) {
    PetscCall(KSPDestroy(&ksp[t]));
    PetscCall(ResultDestroy(&r[t]));
  }
  PetscCall(SystemDestroy(&A, &b));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CG, whose history is least sensitive, and BiCGStab; what rounding does to BiCG, whose two products round differently, a nudge does not show */
static PetscErrorCode Nudge(void)
{
  const System s = {.kind = "grid", .cells = 257, .bs = 3, .seed = 5, .symmetric = TwinIs(KSPCG)};

  return CompareHistory(&s, TwinIs(KSPCG) ? "-pc_type jacobi" : "-pc_type pbjacobi");
}

static PetscErrorCode Rejects(void)
{
  const System s = {.kind = "grid", .cells = 36, .bs = 1, .seed = 5, .symmetric = TwinIs(KSPCG)};

  return CompareHistory(&s, "-pc_type jacobi");
}

COMPARE_MAIN(Nudge, Rejects, "nudge", 20)

/*TEST
  testset:
    args: -type fusedcg,fusedbcgs
    output_file: output/nudge.out
    test:
      suffix: 1
      comments: quick
      nsize: {{1 2}}
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: groups
      nsize: 3
      args: -mat_type bdiagh -heptane_groups {{2 3}}
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -mode kernels,graph -expect_cuda
TEST*/
