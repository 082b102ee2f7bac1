/*
   A fused solver and PETSc's own on the same system: counts, reasons, histories, solutions, true residuals, and repeats bit for bit.
   A program runs its tests for each type of -type (by default all) in each mode of -mode (by default without -ksp_fused_mode); the twin is
   the type's name without "fused", or -twin.
*/
#pragma once

#include "result.h"

static char compare_type[64], compare_twin[64], compare_mode[64];

static inline PetscBool TwinIs(const char name[])
{
  PetscBool same = PETSC_FALSE;

  PetscCallAbort(PETSC_COMM_SELF, PetscStrcmp(compare_twin, name, &same));
  return same;
}

/* What a failing comparison prints first */
static inline PetscErrorCode Where(const System *s, const char more[])
{
  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where), "%s%s, %s, %" PetscInt_FMT " cells of %" PetscInt_FMT ", split %" PetscInt_FMT ": %s", compare_type,
                          compare_mode, s->kind, s->cells, s->bs, s->split, more));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The program's options and these, or without them again: the sub-solvers of a preconditioner read theirs as late as in the first solve */
static inline PetscErrorCode OptionsSwitch(const char options[], PetscBool on)
{
  PetscOptions own;
  PetscInt     n;
  char       **names, **values;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, options));
  PetscCall(PetscOptionsLeftGet(own, &n, &names, &values));
  for (PetscInt k = 0; k < n; k++) {
    char name[128];

    PetscCall(PetscSNPrintf(name, sizeof(name), "-%s", names[k]));
    if (on) PetscCall(PetscOptionsSetValue(NULL, name, values[k]));
    else PetscCall(PetscOptionsClearValue(NULL, name));
  }
  PetscCall(PetscOptionsLeftRestore(own, &n, &names, &values));
  PetscCall(PetscOptionsDestroy(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Calls the test for each type and mode asked for */
static inline PetscErrorCode CompareEach(PetscErrorCode (*test)(void))
{
  char     *types[8], *modes[8];
  PetscInt  ntypes = 8, nmodes = 8;
  PetscBool given, fused;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-type", types, &ntypes, &given));
  if (!given) {
    ntypes = 3;
    PetscCall(PetscStrallocpy("fusedcg", &types[0]));
    PetscCall(PetscStrallocpy("fusedbcgs", &types[1]));
    PetscCall(PetscStrallocpy("fusedbicg", &types[2]));
  }
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-mode", modes, &nmodes, &given));
  if (!given) nmodes = 0;
  for (PetscInt t = 0; t < ntypes; t++) {
    PetscCall(PetscStrncpy(compare_type, types[t], sizeof(compare_type)));
    PetscCall(PetscStrncmp(types[t], "fused", 5, &fused));
    PetscCall(PetscStrncpy(compare_twin, types[t] + (fused ? 5 : 0), sizeof(compare_twin)));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-twin", compare_twin, sizeof(compare_twin), NULL));
    for (PetscInt m = 0; m < PetscMax(nmodes, 1); m++) {
      if (nmodes) PetscCall(PetscSNPrintf(compare_mode, sizeof(compare_mode), " -ksp_fused_mode %s", modes[m]));
      PetscCall(OptionsSwitch(compare_mode, PETSC_TRUE));
      PetscCall(test());
      PetscCall(OptionsSwitch(compare_mode, PETSC_FALSE));
    }
    PetscCall(PetscFree(types[t]));
  }
  for (PetscInt m = 0; m < nmodes; m++) PetscCall(PetscFree(modes[m]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode SolverCreate(Mat A, Mat P, const char type[], KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetOperators(*ksp, A, P));
  PetscCall(KSPSetType(*ksp, type));
  PetscCall(KSPSetTolerances(*ksp, PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-9, PETSC_CURRENT, PETSC_CURRENT, 500));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether products give the same bits twice: not cuSPARSE's, and not a transpose with several processes on the device, where PETSc adds by atomic operations */
static inline PetscErrorCode Repeatable(Mat A, PetscBool *repeatable)
{
  PetscBool   cusparse, device;
  PetscMPIInt size;
  Vec         x;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &cusparse, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, ""));
  PetscCall(MatCreateVecs(A, &x, NULL));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)x, &device, VECSEQCUDA, VECMPICUDA, ""));
  PetscCall(VecDestroy(&x));
  *repeatable = (PetscBool) !(cusparse || (device && size > 1 && TwinIs(KSPBICG)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether cuSPARSE solves with the factors of the blocks of block Jacobi or ASM: its incomplete factors have other bits each time they are made */
static inline PetscErrorCode FactorsByCusparse(KSP ksp, PetscBool *cusparse)
{
  PC            pc;
  KSP          *sub = NULL;
  PetscInt      n   = 0;
  PetscBool     bjacobi, assm, factors;
  Mat           F;
  MatSolverType type;

  PetscFunctionBeginUser;
  *cusparse = PETSC_FALSE;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCBJACOBI, &bjacobi));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCASM, &assm));
  if (bjacobi) PetscCall(PCBJacobiGetSubKSP(pc, &n, NULL, &sub));
  if (assm) PetscCall(PCASMGetSubKSP(pc, &n, NULL, &sub));
  for (PetscInt k = 0; k < n && !*cusparse; k++) {
    PetscCall(KSPGetPC(sub[k], &pc));
    PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &factors, PCILU, PCICC, ""));
    if (!factors) continue;
    PetscCall(PCFactorGetMatrix(pc, &F));
    PetscCall(MatFactorGetSolverType(F, &type));
    PetscCall(PetscStrcmp(type, MATSOLVERCUSPARSE, cusparse));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static Result             compare_results[5];        /* type, twin, twin nudged, type again, another KSP of the type or the type nudged */
static KSPConvergedReason compare_reason;            /* of the last twin, so that a case can tell whether it tests what it is for */
static PetscBool          compare_bits = PETSC_TRUE; /* repeats must have the same bits */

/* Solves by both, which have the same operators and settings. scale times the system is what they solve, 0: something else */
static inline PetscErrorCode ComparePair(const System *s, KSP f, KSP t, SolveFn *solve, PetscReal scale, Vec b, Vec guess, const char what[])
{
  Result   *r = compare_results;
  Vec       nudged, start = NULL;
  PetscReal norm[3];

  PetscFunctionBeginUser;
  PetscCall(VecNudge(b, 1, 7, &nudged));
  if (guess) PetscCall(VecNudge(guess, 1, 7, &start));
  PetscCall(ResultSolve(f, solve, b, guess, &r[0]));
  PetscCall(ResultSolve(t, solve, b, guess, &r[1]));
  PetscCall(ResultSolve(t, solve, nudged, start, &r[2]));
  PetscCall(ResultSolve(f, solve, nudged, start, &r[4])); /* so that both have solved as often */
  PetscCall(ResultDestroy(&r[4]));
  if (ResultsPart(&r[0], &r[1], &r[2])) PetscCall(ResultSpread(f, t, solve, b, guess, &r[0], &r[1], &r[2]));
  PetscCall(CheckResult(&r[0], &r[1], &r[2], what));
  compare_reason = r[1].reason;
  if (scale != 0 && r[1].reason > 0) {
    char text[128];

    for (int k = 0; k < 3; k++) PetscCall(SystemResidual(s, scale, k == 2 ? nudged : b, r[k].x, &norm[k]));
    PetscCall(
      PetscSNPrintf(text, sizeof(text), "%s: true residual %.2g, the twin's %.2g, nudged %.2g", what, (double)norm[0], (double)norm[1], (double)norm[2]));
    norm[1] = PetscMax(norm[1], norm[2]);
    PetscCall(CheckTrue((PetscBool)(norm[0] <= (r[0].its == r[1].its ? 10 : 100) * norm[1] + RESULT_FACTOR * PETSC_MACHINE_EPSILON), text));
  }
  PetscCall(VecDestroy(&nudged));
  PetscCall(VecDestroy(&start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves A x = b (P: of the preconditioner) by the type and by its twin, with these options, and compares everything; then once more, and by
   another KSP, for the same bits. setup, if there is one, is called for each KSP. */
typedef PetscErrorCode       SetupFn(KSP, void *);
static inline PetscErrorCode CompareSolver(const System *s, Mat A, Mat P, Vec b, Vec guess, const char options[], SolveFn *solve, SetupFn *setup, void *ctx)
{
  Result   *r = compare_results;
  KSP       ksp[3];
  PetscBool repeatable = PETSC_TRUE, cusparse;

  PetscFunctionBeginUser;
  PetscCall(Where(s, options));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  for (int k = 0; k < 3; k++) {
    PetscCall(SolverCreate(A, P, k == 1 ? compare_twin : compare_type, &ksp[k]));
    if (setup) PetscCall(setup(ksp[k], ctx));
  }
  PetscCall(ComparePair(s, ksp[0], ksp[1], solve, solve == KSPSolve ? 1 : 0, b, guess, "solve"));
  PetscCall(ResultSolve(ksp[0], solve, b, guess, &r[3]));
  PetscCall(ResultSolve(ksp[2], solve, b, guess, &r[4]));
  PetscCall(Repeatable(A, &repeatable));
  if (compare_bits && repeatable && ResultMeans(&r[1])) {
    PetscCall(CheckRepeat(&r[3], &r[0], "a second solve"));
    PetscCall(FactorsByCusparse(ksp[0], &cusparse));
    if (cusparse) PetscCall(CheckResult(&r[4], &r[1], &r[2], "another KSP"));
    else PetscCall(CheckRepeat(&r[4], &r[0], "another KSP"));
  } else {
    PetscCall(CheckResult(&r[3], &r[1], &r[2], "a second solve"));
    PetscCall(CheckResult(&r[4], &r[1], &r[2], "another KSP"));
  }
  for (int k = 0; k < 5; k++) PetscCall(ResultDestroy(&r[k]));
  for (int k = 0; k < 3; k++) PetscCall(KSPDestroy(&ksp[k]));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ends a test program: "name: ok", or how many comparisons failed; none made is a failure too */
static inline int CompareFinish(const char name[])
{
  int code = !check_count || check_failures ? 1 : 0;

  PetscCall(code ? PetscPrintf(PETSC_COMM_WORLD, "%s: %" PetscInt_FMT " of %" PetscInt_FMT " comparisons failed\n", name, check_failures, check_count)
                 : PetscPrintf(PETSC_COMM_WORLD, "%s: ok\n", name));
  PetscCall(PetscFinalize());
  return code;
}
