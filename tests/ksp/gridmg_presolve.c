static char help[] =
  "PCGRIDMG puts fixed values into x before a solve: guesses and settings stay those of the program; matrices of two kinds, several right-hand sides, other values, inner solves, errors.\n";

#include "common/presolve.h"

/* Guesses of all kinds: as many iterations as where the program gives the fixed values, and its settings stay */
static PetscErrorCode Guesses(const char type[])
{
  PetscInt  wanted = 0, its;
  PetscReal tolerances[2];
  PetscBool nonzero, knoll;
  Solve     s;

  PetscFunctionBeginUser;
  PetscCall(SolveCreate(presolve_grid, type, 2, &s));
  PetscCall(KSPGetTolerances(s.ksp, NULL, NULL, &tolerances[0], NULL));
  for (int k = 0; k < 5; k++) {
    PetscCall(CheckWhere("%s, guess %d", type, k));
    PetscCall(VecCopy(s.b, s.x));
    PetscCall(VecScale(s.x, 0.5)); /* the fixed values */
    if (k > 0) PetscCall(CheckVecFill(s.x, 7));
    if (k == 4) PetscCall(VecSet(s.b, 0));
    PetscCall(KSPSetInitialGuessNonzero(s.ksp, (PetscBool)(k == 0 || k == 2)));
    PetscCall(KSPSetInitialGuessKnoll(s.ksp, (PetscBool)(k == 3)));
    PetscCall(CheckKSPSolve(s.ksp, s.b, s.x, &its, NULL));
    if (!k) wanted = its;
    PetscCall(CheckTrue(k == 4 ? its == 0 : PetscAbsInt(its - wanted) <= 2, "iterations"));
    if (k < 4) PetscCall(SolveCheck(&s, "guess"));
    PetscCall(KSPGetInitialGuessNonzero(s.ksp, &nonzero));
    PetscCall(KSPGetInitialGuessKnoll(s.ksp, &knoll));
    PetscCall(KSPGetTolerances(s.ksp, NULL, NULL, &tolerances[1], NULL));
    PetscCall(CheckTrue((nonzero == (k == 0 || k == 2) || k == 3) && knoll == (k == 3) && tolerances[0] == tolerances[1], "settings"));
  }
  PetscCall(SolveDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fixed values make the residual much larger than b, which is no divergence */
static PetscErrorCode Large(const char type[])
{
  Solve s;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%s, fixed rows of small size", type));
  PetscCall(SolveCreate(presolve_grid, type, 1e-7, &s));
  PetscCall(KSPSetTolerances(s.ksp, 1e-4, PETSC_CURRENT, PETSC_CURRENT, 60));
  PetscCall(VecSet(s.b, 1e-7)); /* x is 1 there */
  PetscCall(KSPSolve(s.ksp, s.b, s.x));
  PetscCall(SolveCheck(&s, "large"));
  PetscCall(SolveDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ShellMult(Mat S, Vec x, Vec y)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(MatShellGetContext(S, &A));
  PetscCall(MatMult(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of the residual is another one: with entries that are known, or none */
static PetscErrorCode TwoMatrices(void)
{
  const PetscReal *history;
  PetscReal        size;
  PetscInt         m, M;
  Mat              other;
  Solve            s;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("two matrices"));
  PetscCall(SolveCreate(presolve_grid, KSPCG, 3, &s));
  PetscCall(MatConvert(s.A, MATAIJ, MAT_INITIAL_MATRIX, &other));
  PetscCall(KSPSetOperators(s.ksp, other, s.A));
  PetscCall(KSPSolve(s.ksp, s.b, s.x));
  PetscCall(SolveCheck(&s, "aij"));
  PetscCall(MatDestroy(&other));
  PetscCall(SolveDestroy(&s));

  PetscCall(SolveCreate(presolve_grid, KSPFGMRES, 3, &s));
  PetscCall(MatGetSize(s.A, &M, NULL));
  PetscCall(MatGetLocalSize(s.A, &m, NULL));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, m, m, M, M, s.A, &other));
  PetscCall(MatShellSetOperation(other, MATOP_MULT, (PetscErrorCodeFn *)ShellMult));
  PetscCall(KSPSetOperators(s.ksp, other, s.A));
  PetscCall(KSPSetResidualHistory(s.ksp, NULL, 100, PETSC_TRUE));
  PetscCall(KSPSolve(s.ksp, s.b, s.x));
  PetscCall(SolveCheck(&s, "shell"));
  PetscCall(KSPGetResidualHistory(s.ksp, &history, NULL));
  PetscCall(VecNorm(s.b, NORM_2, &size));
  PetscCall(CheckReal(history[0], size, 1e-12, "the residual of a shell begins with b"));
  PetscCall(MatDestroy(&other));
  PetscCall(SolveDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Columns(const char type[])
{
  Mat      B, X;
  PetscInt m, M;
  Vec      column;
  Solve    s;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%s, several right-hand sides", type));
  PetscCall(SolveCreate(presolve_grid, type, 1, &s));
  PetscCall(MatGetSize(s.A, &M, NULL));
  PetscCall(MatGetLocalSize(s.A, &m, NULL));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, m, PETSC_DECIDE, M, 3, NULL, &B));
  PetscCall(MatSetRandom(B, NULL));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  PetscCall(KSPMatSolve(s.ksp, B, X));
  for (PetscInt k = 0; k < 3; k++) {
    PetscCall(MatDenseGetColumnVecRead(B, k, &column));
    PetscCall(VecCopy(column, s.b));
    PetscCall(MatDenseRestoreColumnVecRead(B, k, &column));
    PetscCall(MatDenseGetColumnVecRead(X, k, &column));
    PetscCall(VecCopy(column, s.x));
    PetscCall(MatDenseRestoreColumnVecRead(X, k, &column));
    PetscCall(SolveCheck(&s, "column"));
  }
  PetscCall(CheckDestroy(&B, &X));
  PetscCall(SolveDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other values of the same pattern, with zeros that are stored: no cells fixed, planes, some here and there; a preconditioner that is kept */
static PetscErrorCode Values(const char type[])
{
  PetscInt    lo, hi, cols[GRID_MAX], at[3], n;
  Grid        g = presolve_grid;
  Solve       s;
  PetscScalar vals[GRID_MAX];

  PetscFunctionBeginUser;
  PetscCall(SolveCreate(presolve_grid, type, 0, &s));
  for (int k = 0; k < 6; k++) {
    PetscCall(CheckWhere("%s, values number %d", type, k));
    g.seed += k;
    PetscCall(GridFill(&g, s.A));
    PetscCall(MatGetOwnershipRange(s.A, &lo, &hi));
    for (PetscInt i = lo; i < hi; i++) {
      GridPosition(&g, i, at);
      if (k == 0 || k == 3 || (k == 4 ? GridNumber(&g, i, 99) > 0.15 : at[k % 3] > k / 3)) continue;
      n = GridRow(&g, i, cols, vals);
      for (PetscInt q = 1; q < n; q++) vals[q] = 0;
      PetscCall(MatSetValues(s.A, 1, &i, n, cols, vals, INSERT_VALUES));
    }
    PetscCall(CheckAssemble(s.A));
    if (k == 5) { /* what fits other values is a poor preconditioner */
      PetscCall(KSPSetPCSide(s.ksp, PC_RIGHT));
      PetscCall(KSPSetType(s.ksp, KSPFGMRES));
      PetscCall(KSPGMRESSetRestart(s.ksp, 400));
      PetscCall(KSPSetTolerances(s.ksp, 1e-5, PETSC_CURRENT, PETSC_CURRENT, 400));
    }
    PetscCall(KSPSetReusePreconditioner(s.ksp, (PetscBool)(k == 5)));
    PetscCall(KSPSolve(s.ksp, s.b, s.x));
    PetscCall(SolveCheck(&s, "values"));
  }
  PetscCall(SolveDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const types[] = {KSPCG, "fusedcg"};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (int k = 0; k < 2; k++) {
    PetscCall(Guesses(types[k]));
    PetscCall(Large(types[k]));
    PetscCall(Columns(types[k]));
    PetscCall(Values(types[k]));
  }
  PetscCall(Large(KSPFGMRES));
  PetscCall(TwoMatrices());
  return CheckFinish("gridmg_presolve");
}

/*TEST
  testset:
    requires: double
    output_file: output/gridmg_presolve.out
    test:
      suffix: 1
      comments: quick
      nsize: {{1 2}}
    test:
      suffix: groups
      nsize: 2
      args: -heptane_groups 2
    test:
      suffix: moved
      nsize: {{1 2}}
      args: -heptane_test_move -ksp_fused_place device
    test:
      suffix: peer
      nsize: 4
      args: -heptane_comm peer
    test:
      suffix: cuda
      requires: cuda
      args: -expect_cuda
    test:
      suffix: cuda_2
      requires: cuda
      nsize: 2
      args: -expect_cuda -heptane_comm peer
TEST*/
