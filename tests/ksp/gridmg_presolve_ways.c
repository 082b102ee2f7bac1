static char help[] =
  "PCGRIDMG with fixed values: a cycle gives exactly zero where the residual is zero there; single rows of cells; vectors on the host; inner solves; a solve that ends with an error.\n";

#include "common/presolve.h"

/* Calls f with the grid in each place and in both precisions */
static PetscErrorCode Everywhere(PetscErrorCode (*f)(Grid, const char *))
{
  static const char *const places[]     = {"-pc_gridmg_divide 0", "-pc_gridmg_divide 1", "-pc_gridmg_divide 2", "-pc_gridmg_cycle w", "-pc_gridmg_cycle f"};
  static const char *const precisions[] = {" -pc_gridmg_precision single", " -pc_gridmg_precision double", " -pc_gridmg_half no", " -pc_gridmg_smooths 2"};

  PetscFunctionBeginUser;
  for (PetscInt bs = 1; bs <= 3; bs++)
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(places); k++)
      for (size_t q = 0; q < PETSC_STATIC_ARRAY_LENGTH(precisions); q++) {
        Grid g = presolve_grid;
        char options[128];

        g.bs        = bs;
        g.symmetric = (PetscBool)(bs < 3);
        PetscCall(PetscSNPrintf(options, sizeof(options), "%s%s", places[k], precisions[q]));
        PetscCall(CheckWhere("%d unknowns, %s", (int)bs, options));
        PetscCall(OptionsSwitch(options, PETSC_TRUE));
        PetscCall(f(g, options));
        PetscCall(OptionsSwitch(options, PETSC_FALSE));
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The fixed cells of a vector become zero; the largest of them before */
static PetscErrorCode Zero(const Grid *g, Vec v, PetscReal *largest)
{
  PetscScalar *a;
  PetscInt     lo, hi, at[3];

  PetscFunctionBeginUser;
  *largest = 0;
  PetscCall(VecGetOwnershipRange(v, &lo, &hi));
  PetscCall(VecGetArray(v, &a));
  for (PetscInt i = lo; i < hi; i++) {
    GridPosition(g, i / g->bs, at);
    if (at[0] != 0 && at[0] != g->n[0] - 1) continue;
    *largest  = PetscMax(*largest, PetscAbsScalar(a[i - lo]));
    a[i - lo] = 0;
  }
  PetscCall(VecRestoreArray(v, &a));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, largest, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A cycle, and what cg comes to */
static PetscErrorCode Cycle(Grid g, const char options[])
{
  PetscReal largest;
  PetscBool f;
  PC        pc;
  Solve     s;

  PetscFunctionBeginUser;
  PetscCall(SolveCreate(g, g.symmetric ? KSPCG : KSPFGMRES, 3, &s));
  PetscCall(KSPSetUp(s.ksp));
  PetscCall(KSPGetPC(s.ksp, &pc));
  PetscCall(VecCopy(s.b, s.r));
  PetscCall(Zero(&g, s.r, &largest));
  PetscCall(PCApply(pc, s.r, s.x));
  PetscCall(Zero(&g, s.x, &largest));
  PetscCall(CheckTrue(largest == 0, "a cycle keeps zeros"));
  PetscCall(PetscStrncmp(options, "-pc_gridmg_cycle f", 18, &f));
  if (f && g.symmetric) PetscCall(KSPSetType(s.ksp, KSPFCG)); /* such cycles are not symmetric */
  PetscCall(KSPSolve(s.ksp, s.b, s.x));
  PetscCall(SolveCheck(&s, "solve"));
  PetscCall(SolveDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One of the rows of some cells is that of a fixed value: the residual begins with zero there, for methods that need no symmetry */
static PetscErrorCode SomeRows(const char type[])
{
  PetscInt lo, hi, n = 0, at[3], *rows;
  Grid     g = presolve_grid;
  Solve    s;

  PetscFunctionBeginUser;
  g.bs        = 2;
  g.symmetric = PETSC_TRUE;
  PetscCall(CheckWhere("%s, some rows of cells", type));
  PetscCall(SolveCreate(g, type, 0, &s));
  PetscCall(MatGetOwnershipRange(s.A, &lo, &hi));
  PetscCall(PetscMalloc1(hi - lo, &rows));
  for (PetscInt i = lo; i < hi; i++) {
    GridPosition(&g, i / g.bs, at);
    if (i % 2 == 0 && at[1] == 0) rows[n++] = i;
  }
  PetscCall(MatZeroRows(s.A, n, rows, 4, NULL, NULL));
  PetscCall(MatSetOption(s.A, MAT_SYMMETRIC, PETSC_FALSE));
  PetscCall(PetscFree(rows));
  PetscCall(KSPSolve(s.ksp, s.b, s.x));
  PetscCall(SolveCheck(&s, "rows"));
  PetscCall(SolveDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors on the host, wherever the matrix is; then those that fit the matrix, in one solver */
static PetscErrorCode OnHost(const char type[])
{
  PetscInt n;
  Vec      b, x;
  Solve    s;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%s, vectors on the host", type));
  PetscCall(SolveCreate(presolve_grid, type, 1, &s));
  PetscCall(VecCreate(PETSC_COMM_WORLD, &b));
  PetscCall(VecGetLocalSize(s.b, &n));
  PetscCall(VecSetSizes(b, n, PETSC_DETERMINE));
  PetscCall(VecSetType(b, VECSTANDARD));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecCopy(s.b, b));
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPSolve(s.ksp, b, x));
    PetscCall(VecCopy(x, s.x));
    PetscCall(SolveCheck(&s, "host"));
    PetscCall(KSPReset(s.ksp));
    PetscCall(KSPSetOperators(s.ksp, s.A, s.A));
    PetscCall(KSPSolve(s.ksp, s.b, s.x));
    PetscCall(SolveCheck(&s, "with the matrix"));
    PetscCall(KSPReset(s.ksp));
    PetscCall(KSPSetOperators(s.ksp, s.A, s.A));
  }
  PetscCall(CheckDestroy(&b, &x));
  PetscCall(SolveDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* cg as the preconditioner of another method */
static PetscErrorCode Inner(void)
{
  KSP   inner;
  PC    pc;
  Solve s;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("inner solves"));
  PetscCall(SolveCreate(presolve_grid, KSPFGMRES, 1, &s));
  PetscCall(KSPGetPC(s.ksp, &pc));
  PetscCall(PCSetType(pc, PCKSP));
  PetscCall(PCKSPGetKSP(pc, &inner));
  PetscCall(KSPSetType(inner, KSPCG));
  PetscCall(KSPSetTolerances(inner, 1e-4, PETSC_CURRENT, PETSC_CURRENT, 30));
  PetscCall(KSPGetPC(inner, &pc));
  PetscCall(PCSetType(pc, "gridmg"));
  PetscCall(KSPSolve(s.ksp, s.b, s.x));
  PetscCall(SolveCheck(&s, "outer"));
  PetscCall(SolveDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Fail(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *ctx)
{
  (void)ksp, (void)it, (void)norm, (void)reason, (void)ctx;
  return PETSC_ERR_USER;
}

/* A solve that ends with an error: the next one has the program's guess, which is zero, and leaves its settings */
static PetscErrorCode Error(const char type[])
{
  PetscErrorCode code;
  PetscBool      nonzero;
  PetscReal      divtol;
  void          *own;
  Solve          s;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%s, an error", type));
  PetscCall(SolveCreate(presolve_grid, type, 1, &s));
  PetscCall(KSPSetConvergenceTest(s.ksp, Fail, NULL, NULL));
  CheckCode(code, KSPSolve(s.ksp, s.b, s.x));
  PetscCall(CheckTrue(code != PETSC_SUCCESS, "an error"));
  PetscCall(KSPConvergedDefaultCreate(&own));
  PetscCall(KSPSetConvergenceTest(s.ksp, KSPConvergedDefault, own, KSPConvergedDefaultDestroy));
  PetscCall(VecSet(s.x, 1e200)); /* no guess */
  PetscCall(KSPSolve(s.ksp, s.b, s.x));
  PetscCall(SolveCheck(&s, "behind an error"));
  PetscCall(KSPGetInitialGuessNonzero(s.ksp, &nonzero));
  PetscCall(KSPGetTolerances(s.ksp, NULL, NULL, &divtol, NULL));
  PetscCall(CheckTrue(!nonzero && divtol == 1e4, "settings"));
  PetscCall(SolveDestroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(Everywhere(Cycle));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_gridmg_precision", "double"));
  PetscCall(SomeRows(KSPFGMRES));
  PetscCall(SomeRows(KSPBCGS));
  PetscCall(SomeRows(KSPCG));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_gridmg_precision"));
  PetscCall(OnHost(KSPCG));
  PetscCall(OnHost("fusedcg"));
  PetscCall(Inner());
  PetscCall(Error(KSPCG));
  PetscCall(Error("fusedcg"));
  return CheckFinish("gridmg_presolve_ways");
}

/*TEST
  testset:
    requires: double
    output_file: output/gridmg_presolve_ways.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: groups
      nsize: 2
      args: -heptane_groups 2
    test:
      suffix: peer
      nsize: 2
      args: -heptane_comm {{peer mpi}}
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
