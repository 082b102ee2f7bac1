#include "compare.h"

PetscErrorCode Repeatable(Mat A, PetscBool *repeatable)
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
static PetscErrorCode FactorsByCusparse(KSP ksp, PetscBool *cusparse)
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

Result             compare_results[4];
KSPConvergedReason compare_reason;
PetscBool          compare_bits = PETSC_TRUE;
PetscInt           compare_most = 5;

PetscErrorCode TwinsReference(Twins *p, const System *s, PetscReal scale)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(KSPGetOperators(p->ksp[1], &A, NULL));
  if (scale != 0) {
    PetscCall(SystemReference(PetscObjectComm((PetscObject)A), s, &p->R));
    PetscCall(MatScale(p->R, scale));
  } else PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &p->R));
  if (p->solve == KSPSolveTranspose) PetscCall(MatTranspose(p->R, MAT_INPLACE_MATRIX, &p->R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves by both, into compare_results, then their first iterations. scale times the system is what they solve, 0: something else */
static PetscErrorCode CompareBoth(const System *s, KSP f, KSP t, SolveFn *solve, PetscReal scale, Vec b, Vec guess, const char what[])
{
  Twins p = {
    .ksp = {f, t},
      .solve = solve, .b = b
  };
  Result *r = compare_results;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) PetscCall(ResultSolve(p.ksp[k], (PetscBool)(k == 1), solve, b, guess, &r[k]));
  PetscCall(TwinsReference(&p, s, scale));
  PetscCall(CheckWhole(&p, guess, &r[0], &r[1], what));
  compare_reason = r[1].reason;
  PetscCall(CheckSteps(&p, guess, compare_most, what));
  PetscCall(MatDestroy(&p.R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ComparePair(const System *s, KSP f, KSP t, SolveFn *solve, PetscReal scale, Vec b, Vec guess, const char what[])
{
  PetscFunctionBeginUser;
  PetscCall(CompareBoth(s, f, t, solve, scale, b, guess, what));
  for (int k = 0; k < 2; k++) PetscCall(ResultDestroy(&compare_results[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iterations from two iterates of the twin, after a quarter and a half of its iterations */
static PetscErrorCode CompareFromIterates(const System *s, KSP f, KSP t, Vec b, Vec guess, PetscInt its)
{
  static Result r[2];
  Twins         p = {
            .ksp = {f, t},
              .solve = KSPSolve, .b = b
  };
  PetscBool knoll, nonzero;
  PetscInt  limit;

  PetscFunctionBeginUser;
  PetscCall(KSPGetInitialGuessKnoll(t, &knoll));
  if (its < 8 || knoll) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TwinsReference(&p, s, 1));
  PetscCall(KSPGetInitialGuessNonzero(t, &nonzero));
  PetscCall(KSPGetTolerances(t, NULL, NULL, NULL, &limit));
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPSetTolerances(t, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, (k + 1) * its / 4));
    PetscCall(ResultSolve(t, PETSC_TRUE, KSPSolve, b, guess, &r[k]));
  }
  PetscCall(KSPSetTolerances(t, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, limit));
  for (int k = 0; k < 2; k++) PetscCall(KSPSetInitialGuessNonzero(p.ksp[k], PETSC_TRUE));
  for (int k = 0; k < 2; k++) {
    PetscCall(CheckSteps(&p, r[k].x, PetscMin(compare_most, 3), k ? "from half way" : "from a quarter of the way"));
    PetscCall(ResultDestroy(&r[k]));
  }
  for (int k = 0; k < 2; k++) PetscCall(KSPSetInitialGuessNonzero(p.ksp[k], nonzero));
  PetscCall(MatDestroy(&p.R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Repeats: the same KSP once more, and another one, have the same bits where products have */
static PetscErrorCode CompareRepeats(const System *s, KSP f, KSP other, KSP t, SolveFn *solve, Vec b, Vec guess)
{
  Twins p = {
    .ksp = {f, t},
      .solve = solve, .b = b
  };
  Result   *r          = compare_results;
  PetscBool repeatable = PETSC_TRUE, cusparse = PETSC_FALSE;
  Mat       A;

  PetscFunctionBeginUser;
  PetscCall(ResultSolve(f, PETSC_FALSE, solve, b, guess, &r[2]));
  PetscCall(ResultSolve(other, PETSC_FALSE, solve, b, guess, &r[3]));
  PetscCall(KSPGetOperators(f, &A, NULL));
  PetscCall(Repeatable(A, &repeatable));
  if (ResultMeans(&r[1])) PetscCall(FactorsByCusparse(f, &cusparse));
  repeatable = (PetscBool)(repeatable && compare_bits && ResultMeans(&r[1]));
  if (repeatable) PetscCall(CheckRepeat(&r[2], &r[0], "a second solve"));
  if (repeatable && !cusparse) PetscCall(CheckRepeat(&r[3], &r[0], "another KSP"));
  if (!repeatable || cusparse) {
    PetscCall(TwinsReference(&p, s, 1));
    if (!repeatable) PetscCall(CheckWhole(&p, guess, &r[2], &r[1], "a second solve"));
    PetscCall(CheckWhole(&p, guess, &r[3], &r[1], "another KSP"));
    PetscCall(MatDestroy(&p.R));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareSolver(const System *s, Mat A, Mat P, Vec b, Vec guess, const char options[], SolveFn *solve, SetupFn *setup, void *ctx)
{
  Result *r = compare_results;
  KSP     ksp[3];
  char    own[512]; /* they may be a CheckText() */

  PetscFunctionBeginUser;
  PetscCall(PetscStrncpy(own, options, sizeof(own)));
  PetscCall(WhereWith(s, own));
  for (int k = 0; k < 3; k++) {
    PetscCall(SolverCreate(A, P, k == 1 ? compare_twin : compare_type, &ksp[k]));
    if (setup) PetscCall(setup(ksp[k], ctx));
  }
  PetscCall(CompareBoth(s, ksp[0], ksp[1], solve, 1, b, guess, "solve"));
  PetscCall(CompareRepeats(s, ksp[0], ksp[2], ksp[1], solve, b, guess));
  if (solve == KSPSolve && ResultMeans(&r[1])) PetscCall(CompareFromIterates(s, ksp[0], ksp[1], b, guess, r[1].its));
  for (int k = 0; k < 4; k++) PetscCall(ResultDestroy(&r[k]));
  for (int k = 0; k < 3; k++) PetscCall(KSPDestroy(&ksp[k]));
  PetscCall(OptionsSwitch(own, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareJacobi(const System *s, Mat A, Vec b)
{
  return CompareSolver(s, A, A, b, NULL, "-pc_type jacobi", KSPSolve, NULL, NULL);
}

PetscErrorCode CompareSmall(void)
{
  const System s = {.kind = "grid", .cells = 36, .bs = 1, .seed = 3, .symmetric = TwinIsSymmetric()};

  PetscFunctionBeginUser;
  PetscCall(SystemUse(&s, CompareJacobi));
  PetscFunctionReturn(PETSC_SUCCESS);
}
