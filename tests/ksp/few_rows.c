static char help[] = "Fused solvers of few rows on the host run PETSc's own loop, unless something is asked for that only the passes have.\n";

#include <petscksp.h>

static PetscInt count = 0, failures = 0;

static PetscErrorCode Check(PetscBool good, const char what[], const char type[], PetscInt n)
{
  PetscFunctionBeginUser;
  count++;
  if (!good) failures++;
  if (!good) PetscCall(PetscPrintf(PETSC_COMM_SELF, "differs: %s with %" PetscInt_FMT " rows: %s\n", type, n, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Matrix(PetscInt n, MatType type, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 3, NULL));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = PetscMax(i - 1, 0); j < PetscMin(i + 2, n); j++) PetscCall(MatSetValue(*A, i, j, i == j ? 2.5 + 1.0 / (i + 1) : -1.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the view says of the last solve: PETSc's own loop, for this reason */
static PetscErrorCode SaysFewRows(KSP ksp, PetscBool *says)
{
  PetscViewer viewer;
  FILE       *f;
  char        text[16384] = "", *found;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, "few_rows.txt", &viewer));
  PetscCall(KSPView(ksp, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(PetscFOpen(PETSC_COMM_SELF, "few_rows.txt", "r", &f));
  (void)!fread(text, 1, sizeof(text) - 1, f);
  PetscCall(PetscFClose(PETSC_COMM_SELF, f));
  PetscCall(PetscStrstr(text, "twin (PETSc's own loop): few rows", &found));
  *says = (PetscBool)(found != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(KSPType type, const char *mode, Mat A, Vec b, Vec x, PetscInt *its, PetscBool *few)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBeginUser;
  if (mode) PetscCall(PetscOptionsSetValue(NULL, "-ksp_fused_mode", mode));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, type));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, 400));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(SaysFewRows(ksp, few));
  PetscCall(KSPDestroy(&ksp));
  if (mode) PetscCall(PetscOptionsClearValue(NULL, "-ksp_fused_mode"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const types[][2] = {
    {"fusedcg",        "cg"       },
    {"fusedbcgs",      "bcgs"     },
    {"fusedbicg",      "bicg"     },
    {"fusedchebyshev", "chebyshev"}
  };
  const PetscInt rows[]  = {1, 6, 256, 257};
  char           mat[64] = "bdiagh";

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", mat, sizeof(mat), NULL));
  for (size_t r = 0; r < PETSC_STATIC_ARRAY_LENGTH(rows); r++)
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(types); k++) {
      const PetscInt  n     = rows[r];
      const PetscBool small = (PetscBool)(n <= 256);
      Mat             A, R;
      Vec             b, x, y;
      PetscInt        its, expected;
      PetscBool       few, same;
      PetscReal       norm, difference;

      PetscCall(Matrix(n, mat, &A));
      PetscCall(Matrix(n, MATAIJ, &R));
      PetscCall(MatCreateVecs(R, &x, &b));
      PetscCall(VecDuplicate(x, &y));
      PetscCall(VecSet(b, 1.0));
      PetscCall(Solve(types[k][1], NULL, R, b, y, &expected, &few));
      PetscCall(Solve(types[k][0], NULL, A, b, x, &its, &few));
      PetscCall(VecEqual(x, y, &same));
      PetscCall(Check((PetscBool)(few == small), "which loop runs", types[k][0], n));
      if (small) PetscCall(Check((PetscBool)(same && its == expected), "the solution of PETSc's own loop", types[k][0], n));
      PetscCall(Solve(types[k][0], "kernels", A, b, x, &its, &few));
      PetscCall(VecNorm(y, NORM_INFINITY, &norm));
      PetscCall(VecAXPY(x, -1.0, y));
      PetscCall(VecNorm(x, NORM_INFINITY, &difference));
      PetscCall(Check((PetscBool)!few, "a mode that was asked for", types[k][0], n));
      PetscCall(Check((PetscBool)(difference <= 1e-8 * norm), "its solution", types[k][0], n));
      PetscCall(VecDestroy(&x));
      PetscCall(VecDestroy(&y));
      PetscCall(VecDestroy(&b));
      PetscCall(MatDestroy(&A));
      PetscCall(MatDestroy(&R));
    }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "few_rows: %" PetscInt_FMT " comparisons, %" PetscInt_FMT " failed\n", count, failures));
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}

/*TEST

  test:
    suffix: 1
    comments: quick
    args: -heptane_shortcuts -heptane_device host -type {{bdiagh sellp aij}}
    output_file: output/few_rows.out

TEST*/
