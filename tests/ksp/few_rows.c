static char help[] = "Fused solvers of few rows on the host run PETSc's own loop, unless something is asked for that only the passes have.\n";

#include "../mat/common/check.h"
#include <petscksp.h>

static PetscErrorCode Matrix(PetscInt n, MatType type, Mat *A)
{
  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, n, n, n, n));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 3, NULL));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt j = PetscMax(i - 1, 0); j < PetscMin(i + 2, n); j++) PetscCall(MatSetValue(*A, i, j, i == j ? 2.5 + 1.0 / (i + 1) : -1.0, INSERT_VALUES));
  PetscCall(CheckAssemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the view says of the last solve: PETSc's own loop, for this reason */
static PetscErrorCode SaysFewRows(KSP ksp, PetscBool *says)
{
  char text[16384];

  PetscFunctionBeginUser;
  PetscCall(CheckViewText((PetscObject)ksp, PETSC_VIEWER_DEFAULT, text, sizeof(text)));
  *says = (PetscBool)(strstr(text, "twin (PETSc's own loop): few rows") != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(KSPType type, const char *mode, Mat A, Vec b, Vec x, PetscInt *its, PetscBool *few)
{
  KSP ksp;

  PetscFunctionBeginUser;
  if (mode) PetscCall(PetscOptionsSetValue(NULL, "-ksp_fused_mode", mode));
  PetscCall(CheckKSPCreate(A, type, PCJACOBI, 1e-10, 400, &ksp));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(CheckKSPSolve(ksp, b, x, its, NULL));
  PetscCall(SaysFewRows(ksp, few));
  PetscCall(KSPDestroy(&ksp));
  if (mode) PetscCall(PetscOptionsClearValue(NULL, "-ksp_fused_mode"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Right preconditioning: a guess is of its solve alone */
static PetscErrorCode Guess(MatType type)
{
  PetscReal norm;
  KSP       ksp;
  Mat       A;
  Vec       b, x, r;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("a solve with a guess, and one without"));
  PetscCall(Matrix(50, type, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecSet(b, 1.0));
  PetscCall(CheckKSPCreate(A, "fusedbcgs", PCJACOBI, 1e-4, 400, &ksp));
  PetscCall(KSPSetPCSide(ksp, PC_RIGHT));
  for (int k = 0; k < 3; k++) {
    PetscCall(KSPSetInitialGuessNonzero(ksp, (PetscBool)(k == 1)));
    PetscCall(VecSet(x, 7));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(MatMult(A, x, r));
    PetscCall(VecAYPX(r, -1, b));
    PetscCall(VecNorm(r, NORM_2, &norm));
    PetscCall(CheckTrue(norm < 1e-2, CheckText("the residual, %g", (double)norm)));
  }
  PetscCall(CheckDestroy(&ksp, &r, &x, &b, &A));
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

      PetscCall(CheckWhere("%s with %" PetscInt_FMT " rows", types[k][0], n));
      PetscCall(Matrix(n, mat, &A));
      PetscCall(Matrix(n, MATAIJ, &R));
      PetscCall(MatCreateVecs(R, &x, &b));
      PetscCall(VecDuplicate(x, &y));
      PetscCall(VecSet(b, 1.0));
      PetscCall(Solve(types[k][1], NULL, R, b, y, &expected, &few));
      PetscCall(Solve(types[k][0], NULL, A, b, x, &its, &few));
      PetscCall(VecEqual(x, y, &same));
      PetscCall(CheckTrue(few == small, "which loop runs"));
      if (small) PetscCall(CheckTrue(same && its == expected, "the solution of PETSc's own loop"));
      PetscCall(Solve(types[k][0], "kernels", A, b, x, &its, &few));
      PetscCall(VecNorm(y, NORM_INFINITY, &norm));
      PetscCall(VecAXPY(x, -1.0, y));
      PetscCall(VecNorm(x, NORM_INFINITY, &difference));
      PetscCall(CheckTrue(!few, "a mode that was asked for"));
      PetscCall(CheckTrue(difference <= 1e-8 * norm, "its solution"));
      PetscCall(CheckDestroy(&x, &y, &b, &A, &R));
    }
  PetscCall(Guess(mat));
  return CheckFinish("few_rows");
}

/*TEST
  test:
    suffix: 1
    comments: quick
    args: -heptane_shortcuts -heptane_device host -type {{bdiagh sellp aij}}
    output_file: output/few_rows.out
TEST*/
