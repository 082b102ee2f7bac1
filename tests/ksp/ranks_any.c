static char help[] =
  "PETSc's solvers on several processes with matrices of the type under test, whose products may go from memory to memory, against the same with AIJ.\n";

#include "common/program.h"

#define COMPARED 12 /* iterations: later norms differ by what the methods make of rounding */
#define ROUNDING (PetscDefined(USE_REAL_SINGLE) ? 2e-3 : 1e-9)

static const char *const solvers[] = {
  "-ksp_type cg -pc_type jacobi",
  "-ksp_type cg -pc_type pbjacobi",
  "-ksp_type gmres -pc_type jacobi",
  "-ksp_type fgmres -pc_type bjacobi -sub_pc_type ilu",
  "-ksp_type bcgs -pc_type none",
  "-ksp_type pipecg -pc_type jacobi",                                    /* products between the beginning and the end of a sum */
  "-ksp_type bicg -pc_type jacobi",                                      /* products with the transpose between others */
  "-ksp_type chebyshev -ksp_chebyshev_eigenvalues 0.5,12 -pc_type none", /* residuals */
  "-ksp_type cg -pc_type ksp -ksp_ksp_type richardson -ksp_ksp_max_it 3 -ksp_pc_type jacobi",
};

/* The matrix twice as large after the first solve */
static PetscErrorCode Solves(Mat A, const char options[], Result r[2])
{
  KSP ksp;
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(MatCreateVecs(A, &b, NULL));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetTolerances(ksp, PETSC_MACHINE_EPSILON, PETSC_MACHINE_EPSILON, 1e30, COMPARED)); /* so many iterations */
  for (int k = 0; k < 2; k++) {
    PetscCall(CheckVecFill(b, 5 + k));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(ResultSolve(ksp, PETSC_FALSE, KSPSolve, b, NULL, &r[k]));
    PetscCall(MatScale(A, 2.0));
  }
  PetscCall(MatScale(A, 0.25));
  PetscCall(CheckDestroy(&ksp, &b));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareResult(const Result *r, const Result *reference, const char what[])
{
  PetscReal most = 0;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < PetscMin(r->n, reference->n); k++)
    most = PetscMax(most, PetscAbsReal(r->history[k] - reference->history[k]) / reference->history[0]);
  PetscCall(CheckTrue(r->n > 0 && r->its == reference->its, what));
  PetscCall(CheckTrue(most <= ROUNDING, what)); /* not a number: false */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Systems(void)
{
  static Result r[2], again[2], reference[2];
  System        s = {.kind = "grid", .seed = 20, .symmetric = PETSC_TRUE};
  Mat           A, R;

  PetscFunctionBeginUser;
  for (s.split = 0; s.split < 3; s.split++)
    for (s.bs = 1; s.bs < 4; s.bs += 2) {
      s.cells = s.bs == 1 ? 1200 : 300;
      PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
      PetscCall(SystemReference(PETSC_COMM_WORLD, &s, &R));
      for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(solvers); k++) {
        PetscCall(Where(&s, solvers[k]));
        PetscCall(Solves(A, solvers[k], r));
        PetscCall(Solves(A, solvers[k], again));
        PetscCall(Solves(R, solvers[k], reference));
        for (int j = 0; j < 2; j++) {
          PetscCall(CompareResult(&r[j], &reference[j], j ? "other values" : "first solve"));
          if (!strstr(solvers[k], "bicg")) PetscCall(CheckRepeat(&again[j], &r[j], "again")); /* transposed products add in any order */
          PetscCall(ResultDestroy(&r[j]));
          PetscCall(ResultDestroy(&again[j]));
          PetscCall(ResultDestroy(&reference[j]));
        }
      }
      PetscCall(CheckDestroy(&A, &R));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(Systems());
  return CheckFinish("ranks_any");
}

/*TEST
  testset:
    args: -options_left 0 -mat_type {{bdiagh sellp}}
    output_file: output/ranks_any.out
    test:
      suffix: 1
      comments: quick
      nsize: 2
    # each row is summed in the same order in all products
    test:
      suffix: 8
      nsize: 8
      args: -heptane_shortcuts 0 -heptane_comm peer
    test:
      suffix: cuda
      requires: cuda
      nsize: {{2 4 8}}
      args: -expect_cuda -heptane_test_comm_check -heptane_comm {{auto peer}}
TEST*/
