static char help[] =
  "All solvers with our preconditioners whose set-up fails: none of them says that it has converged, and all processes say the same; with good values it converges again.\n"
  "  -quick: a few solvers\n"
  "  -show: the reasons\n";

#include "common/grid.h"
#include "../../src/sys/petsc_compat.hpp"

typedef enum { ZERO_ROWS, ZERO_BLOCK, NO_NUMBER, INFINITE, BAD } Bad;

static const char *const bads[] = {"rows of zeros", "a diagonal block of zeros", "a value that is no number", "an infinite value"};
static PetscBool         quick = PETSC_FALSE, show = PETSC_FALSE;
static PetscInt          solved = 0;
static PetscMPIInt       size   = 1;

static PetscErrorCode IsOneOf(const char type[], const char *const types[], size_t n, PetscBool *is)
{
  PetscFunctionBeginUser;
  *is = PETSC_FALSE;
  for (size_t k = 0; k < n && !*is; k++) PetscCall(PetscStrcmp(type, types[k], is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define IS_ONE_OF(type, types, is) IsOneOf(type, types, PETSC_STATIC_ARRAY_LENGTH(types), is)

/*
   Not those that need more than a matrix and a preconditioner, or take none (cgls). Nor pipefgmres, which has converged for PETSc's lu that fails too, and pipelcg, which keeps in its vectors what is no
   number.
*/
static PetscErrorCode Applies(const char type[], PetscBool *yes)
{
  const char *const others[] = {KSPFETIDP, KSPHPDDM, KSPPYTHON, KSPTSIRM, KSPQCG, KSPCGLS, KSPPIPEFGMRES, KSPPIPELCG};
  const char *const few[]    = {KSPCG, KSPRICHARDSON, KSPMINRES, KSPFCG, KSPGMRES, "fusedcg", "fusedbcgs", "fusedchebyshev"};

  PetscFunctionBeginUser;
  if (quick) PetscCall(IS_ONE_OF(type, few, yes));
  else {
    PetscCall(IS_ONE_OF(type, others, yes));
    *yes = (PetscBool) !*yes;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of the grid, but for one cell */
static PetscErrorCode Spoil(const Grid *g, Mat A, PetscInt cell, Bad bad)
{
  PetscInt    lo, hi, rows[8];
  PetscScalar values[64] = {0};

  PetscFunctionBeginUser;
  PetscCall(GridFill(g, A));
  if (bad == NO_NUMBER) values[0] = NAN;
  if (bad == INFINITE) values[0] = INFINITY;
  for (PetscInt p = 0; p < g->bs; p++) rows[p] = cell * g->bs + p;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  const PetscInt mine = rows[0] >= lo && rows[0] < hi ? g->bs : 0;

  if (bad == ZERO_ROWS) PetscCall(MatZeroRows(A, mine, rows, 0, NULL, NULL));
  else {
    PetscCall(MatSetValues(A, mine, rows, mine, rows, values, INSERT_VALUES));
    PetscCall(CheckAssemble(A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* refused: the solver has ended with an error */
static PetscErrorCode Solve(KSP ksp, Vec b, KSPConvergedReason *reason, PetscBool *refused)
{
  PetscErrorCode code;
  PetscInt       both[2];
  Vec            x, r;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &x)); /* which an error may leave locked */
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecCopy(b, r));
  CheckCode(code, KSPSolve(ksp, r, x));
  *refused = (PetscBool)(code != 0);
  PetscCall(KSPGetConvergedReason(ksp, reason));
  both[0] = *reason;
  both[1] = -*reason;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, both, 2, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(CheckTrue(both[0] == -both[1], "processes have the same reason"));
  if (*refused) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckDestroy(&x, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solver: good values, bad ones, good ones. fails: the set-up does with these */
static PetscErrorCode Walk(const Grid *g, Mat A, const char type[], PetscInt cell, const PetscBool fails[BAD])
{
  const char *const trust[] = {KSPNASH, KSPSTCG, KSPGLTR}, *const once[] = {KSPPREONLY, KSPNONE}; /* look at numbers alone; at none */
  KSPConvergedReason reason;
  PetscInt           its, again;
  PetscBool          refused, numbers, blind;
  Vec                b;
  KSP                ksp;

  PetscFunctionBeginUser;
  PetscCall(GridFill(g, A));
  PetscCall(CheckVecs(A, NULL, 0, &b, 3));
  PetscCall(CheckKSPCreate(A, type, NULL, 1e-4, 100, &ksp));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(IS_ONE_OF(type, trust, &numbers));
  PetscCall(IS_ONE_OF(type, once, &blind));
  PetscCall(Solve(ksp, b, &reason, &refused));
  if (show && (refused || reason < 0))
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %s: %s\n", check_where, type, refused ? "refused" : KSPConvergedReasons[reason]));
  if (refused || reason < 0) PetscFunctionReturn(PETSC_SUCCESS); /* nothing for this solver; what an error has left is not destroyed */
  PetscCall(KSPGetIterationNumber(ksp, &its));
  for (int bad = 0; bad < BAD; bad++) {
    if (!fails[bad] && (bad < NO_NUMBER || blind)) continue;
    PetscCall(Spoil(g, A, cell, (Bad)bad));
    PetscCall(Solve(ksp, b, &reason, &refused));
    if (show) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, %s, %s: %s\n", check_where, type, bads[bad], refused ? "refused" : KSPConvergedReasons[reason]));
    PetscCall(CheckTrue(!refused && (fails[bad] && !numbers ? reason == KSP_DIVERGED_PC_FAILED : reason < 0),
                        CheckText("%s, %s: %s", type, bads[bad], refused ? "error" : KSPConvergedReasons[reason])));
    PetscCall(GridFill(g, A));
    HEPTANE_UNTIL_3_25(PetscCall(KSPSetOperators(ksp, A, A));) /* else PETSc's solvers keep the failure */
    PetscCall(Solve(ksp, b, &reason, &refused));
    PetscCall(KSPGetIterationNumber(ksp, &again));
    const char *const text = CheckText("%s after %s: %s, %d iterations, before %d", type, bads[bad], KSPConvergedReasons[reason], (int)again, (int)its);
    PetscCall(CheckTrue(!refused && reason > 0 && again == its, text));
    solved++;
  }
  PetscCall(CheckDestroy(&ksp, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Case(PetscInt bs, const char options[], const PetscBool fails[BAD])
{
  const Grid   g = {CELLS(5, 4, 6), .bs = bs, .seed = 5, .std = 0.5, .accumulation = 4, STRENGTHS(1, 2, 3), .symmetric = PETSC_TRUE};
  const char **types;
  PetscBool    yes;
  int          n;
  Mat          A;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(GridCreate(PETSC_COMM_WORLD, &g, &A));
  PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(PetscFunctionListGet(KSPList, &types, &n));
  for (int k = 0; k < n; k++)
    for (int last = size > 1; last < (quick && size < 2 ? 1 : 2); last++) { /* where the last process has it, others know nothing of it */
      PetscCall(CheckWhere("%d unknowns, %s", (int)bs, options));
      PetscCall(Applies(types[k], &yes));
      if (yes) PetscCall(Walk(&g, A, types[k], last ? GridCells(&g) - 1 : 0, fails));
    }
  PetscCall(PetscFree(types));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscBool grid[] = {PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, PETSC_TRUE}, blocks[] = {PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-quick", &quick, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-show", &show, NULL));
  PetscCall(Case(1, "-pc_type gridmg", grid));
  PetscCall(Case(3, "-pc_type pbjacobi", blocks));
  if (!quick) PetscCall(Case(3, "-pc_type blockjacobireg", blocks));
  if (!quick && size == 1) {
    PetscCall(Case(1, "-pc_type gridmg -pc_gridmg_precision double", grid));
    PetscCall(Case(3, "-pc_type gridmg", grid));
    PetscCall(Case(2, "-pc_type blockjacobireg -pc_blockjacobireg_method lu", blocks));
  }
  PetscCall(CheckTrue(solved >= (quick ? 50 : size > 1 ? 300 : 1500), "enough solvers"));
  if (check_failures) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "failed_setup: %d of %d comparisons failed\n", (int)check_failures, (int)check_count));
  else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "failed_setup: ok\n"));
  PetscCall(PetscFinalize());
  return check_failures > 0;
}

/*TEST
  testset:
    requires: double
    output_file: output/failed_setup.out
    # what solvers that end with an error have is not given back
    args: -checkfunctionlist 0 -malloc_dump 0
    test:
      suffix: 1
    test:
      suffix: groups
      nsize: 2
      args: -quick -heptane_groups 2
    test:
      suffix: 2
      nsize: 2
      args: -pc_gridmg_divide 1
    test:
      suffix: quick
      comments: quick
      nsize: {{1 2}}
      args: -quick
    test:
      suffix: cuda
      requires: cuda
      nsize: {{1 2}}
      args: -expect_cuda
    test:
      suffix: cuda_quick
      requires: cuda
      args: -expect_cuda -quick
TEST*/
