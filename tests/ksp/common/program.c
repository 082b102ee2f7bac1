#include "program.h"
#include "twin.h"

char compare_type[64], compare_twin[64], compare_mode[64];

PetscBool TwinIs(const char name[])
{
  PetscBool same = PETSC_FALSE;

  PetscCallAbort(PETSC_COMM_SELF, PetscStrcmp(compare_twin, name, &same));
  return same;
}

PetscBool TwinIsSymmetric(void)
{
  return (PetscBool)(TwinIs(KSPCG) || TwinIs(KSPCHEBYSHEV));
}

PetscErrorCode Where(const System *s, const char more[])
{
  return CheckWhere("%s%s, %s, %" PetscInt_FMT " cells of %" PetscInt_FMT ", split %" PetscInt_FMT ": %s", compare_type, compare_mode, s->kind, s->cells, s->bs,
                    s->split, more);
}

PetscErrorCode OptionsSwitch(const char options[], PetscBool on)
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

PetscErrorCode WhereWith(const System *s, const char options[])
{
  PetscFunctionBeginUser;
  PetscCall(Where(s, options));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SystemWithSide(const System *s, Mat *A, Vec *b)
{
  PetscFunctionBeginUser;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, s, A));
  PetscCall(MatCreateVecs(*A, b, NULL));
  PetscCall(CheckVecFill(*b, 5));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SystemDestroy(Mat *A, Vec *b)
{
  return CheckDestroy(b, A);
}

PetscErrorCode SystemUse(const System *s, PetscErrorCode (*f)(const System *, Mat, Vec))
{
  Mat       A;
  Vec       b;
  PetscInt  rows;
  PetscBool cusparse;

  PetscFunctionBeginUser;
  PetscCall(SystemWithSide(s, &A, &b));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJCUSPARSE, &cusparse));
  PetscCall(MatGetSize(A, &rows, NULL));
  if (!cusparse || rows != 32) PetscCall(f(s, A, b));
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A comparison must fail with each wrong twin, and not with the right one */
static PetscErrorCode CheckRejects(PetscErrorCode (*compare)(void))
{
  const double values = result_values;

  PetscFunctionBeginUser;
  PetscCall(compare());
  for (int kind = WRONG_NOTHING + 1; kind < WRONG_KINDS; kind++) {
    PetscInt before[2];
    char     text[128];

    wrong_kind = (Wrong)kind;
    RejectBegin(before);
    PetscCall(compare());
    wrong_kind = WRONG_NOTHING;
    PetscCall(PetscSNPrintf(text, sizeof(text), "a twin with %s is not told from the right one", wrong_kinds[kind]));
    PetscCall(RejectEnd(before, text));
  }
  result_values = values; /* these are not what the program is for */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareEach(PetscErrorCode (*test)(void), PetscErrorCode (*rejects)(void))
{
  char     *types[8], *modes[8];
  PetscInt  ntypes = 8, nmodes = 8;
  PetscBool given, fused, reject = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-rejects", &reject, NULL));
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
    twin_sums = TwinIs(KSPCHEBYSHEV);
    for (PetscInt m = 0; m < PetscMax(nmodes, 1); m++) {
      if (nmodes) PetscCall(PetscSNPrintf(compare_mode, sizeof(compare_mode), " -ksp_fused_mode %s", modes[m]));
      PetscCall(OptionsSwitch(compare_mode, PETSC_TRUE));
      if (!m && reject) PetscCall(CheckRejects(rejects));
      PetscCall(test());
      PetscCall(OptionsSwitch(compare_mode, PETSC_FALSE));
    }
    PetscCall(PetscFree(types[t]));
  }
  for (PetscInt m = 0; m < nmodes; m++) PetscCall(PetscFree(modes[m]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal SolverTolerance(void)
{
  return PetscDefined(USE_REAL_DOUBLE) ? 1e-9 : TwinIs(KSPBICG) || TwinIs(KSPCHEBYSHEV) ? 1e-3 : 1e-4;
}

PetscErrorCode SolverCreate(Mat A, Mat P, const char type[], KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetOperators(*ksp, A, P));
  PetscCall(KSPSetType(*ksp, type));
  PetscCall(KSPSetTolerances(*ksp, SolverTolerance(), PETSC_CURRENT, PETSC_CURRENT, 500));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int CompareFinish(const char name[], int least)
{
  const double values = result_values + check_count;
  int          code;

  PetscCall(CheckWhere("%.0f values compared", values));
  PetscCall(CheckTrue(values >= least, "too few"));
  code = check_failures ? 1 : 0;
  PetscCall(PetscFPrintf(PETSC_COMM_WORLD, stderr, "%s: %.0f values compared\n", name, values));
  PetscCall(code ? PetscPrintf(PETSC_COMM_WORLD, "%s: %" PetscInt_FMT " of %" PetscInt_FMT " comparisons failed\n", name, check_failures, check_count)
                 : PetscPrintf(PETSC_COMM_WORLD, "%s: ok, at least %d values compared\n", name, least));
  PetscCall(PetscFinalize());
  return code;
}

int CompareMain(int argc, char **argv, const char help[], PetscErrorCode (*test)(void), PetscErrorCode (*rejects)(void), const char name[], int least)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CompareEach(test, rejects));
  return CompareFinish(name, least);
}
