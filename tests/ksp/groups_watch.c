static char help[] = "Monitors and convergence tests of the program with -heptane_groups: all processes call them in each iteration of the leaders.\n";

#include "common/compare.h"
#include "common/view.h"

#define ITERATIONS 10 /* of solves without a tolerance */

/* A solver of each kind that makes this number of iterations */
static PetscErrorCode Create(Mat A, KSP ksp[2])
{
  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
    PetscCall(KSPSetTolerances(ksp[k], 0, 0, PETSC_CURRENT, ITERATIONS));
    PetscCall(KSPSetResidualHistory(ksp[k], NULL, PETSC_DECIDE, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The norms of both, which have the same system */
static PetscErrorCode CheckHistories(KSP ksp[2], const char what[])
{
  const PetscReal *h[2];
  PetscInt         n[2], equal = 0;

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) PetscCall(KSPGetResidualHistory(ksp[k], &h[k], &n[k]));
  while (equal < PetscMin(n[0], n[1]) && PetscAbsReal(h[0][equal] - h[1][equal]) <= PETSC_SQRT_MACHINE_EPSILON * h[1][0]) equal++;
  PetscCall(CheckTrue(n[0] == n[1] && n[1] == ITERATIONS + 1 && equal == n[1], what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What PETSc's monitors print of a solve, on the first process */
static PetscErrorCode Print(KSP ksp, Vec b, char text[], size_t size)
{
  PetscErrorCode (*const monitors[])(KSP, PetscInt, PetscReal, PetscViewerAndFormat *) = {KSPMonitorResidual, KSPMonitorTrueResidual, KSPMonitorSolution};
  PetscViewerAndFormat *vf;
  PetscViewer           viewer;
  FILE                 *file;
  Vec                   x;

  PetscFunctionBeginUser;
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "printed", &viewer));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(monitors); k++) {
    PetscCall(PetscViewerAndFormatCreate(viewer, PETSC_VIEWER_DEFAULT, &vf));
    PetscCall(KSPMonitorSet(ksp, (KSPMonitorFn *)monitors[k], vf, (PetscCtxDestroyFn *)PetscViewerAndFormatDestroy));
  }
  PetscCall(VecDuplicate(b, &x));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPConvergedReasonView(ksp, viewer));
  PetscCall(KSPMonitorCancel(ksp));
  PetscCall(CheckDestroy(&viewer, &x));
  PetscCall(PetscMemzero(text, size));
  if (!CheckRank()) {
    file = fopen("printed", "r");
    PetscCheck(file && fread(text, 1, size - 1, file), PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "nothing was printed");
    (void)fclose(file);
  }
  PetscCall(CheckRemove("printed"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same words, and the same numbers but for rounding; *lines: 0, and their number on return */
static PetscBool Alike(const char *a, const char *b, int *lines)
{
  for (const char *c = a; *c; c++) *lines += *c == '\n';
  while (*a && *b) {
    char        *end[2];
    const double x = strtod(a, &end[0]), y = strtod(b, &end[1]);
    const int    number = end[0] != a && end[1] != b;

    if (number ? fabs(x - y) > 1e-4 * (fabs(x) + fabs(y)) : *a != *b) return PETSC_FALSE;
    a = number ? end[0] : a + 1;
    b = number ? end[1] : b + 1;
  }
  return (PetscBool)(*a == *b);
}

static PetscErrorCode Printed(const System *s, Mat A, Vec b)
{
  static char text[2][16384];
  KSP         ksp[2];
  int         lines = 0;

  PetscFunctionBeginUser;
  PetscCall(Where(s, "lines of monitors"));
  PetscCall(Create(A, ksp));
  for (int k = 0; k < 2; k++) PetscCall(Print(ksp[k], b, text[k], sizeof(text[k])));
  PetscCall(CheckTrue(CheckRank() || (Alike(text[0], text[1], &lines) && lines == 3 * (ITERATIONS + 1) + 1), "the same lines"));
  PetscCall(CheckDestroy(&ksp[0], &ksp[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A monitor that only some processes have */
typedef struct {
  PetscInt  calls;
  PetscBool in_order; /* the history has the norms so far */
  KSP       inner;
  Vec       b, x;
} Counted;

static PetscErrorCode Count(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  Counted         *c = (Counted *)ctx;
  const PetscReal *history;
  PetscInt         n;

  PetscFunctionBeginUser;
  PetscCall(KSPGetResidualHistory(ksp, &history, &n));
  c->in_order = (PetscBool)(c->in_order && it == c->calls && n == it + 1 && history[it] == norm);
  c->calls++;
  if (c->inner) PetscCall(KSPSolve(c->inner, c->b, c->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OfOneProcess(const System *s, Mat A, Vec b)
{
  KSP ksp[2];
  Vec x;

  PetscFunctionBeginUser;
  PetscCall(Where(s, "a monitor of one process"));
  PetscCall(Create(A, ksp));
  PetscCall(VecDuplicate(b, &x));
  for (PetscMPIInt process = 0; process < CheckProcesses(); process++) {
    Counted c = {.in_order = PETSC_TRUE};

    if (CheckRank() == process) PetscCall(KSPMonitorSet(ksp[0], Count, &c, NULL));
    for (int k = 0; k < 2; k++) PetscCall(KSPSolve(ksp[k], b, x));
    PetscCall(CheckTrue(c.in_order && c.calls == (CheckRank() == process ? ITERATIONS + 1 : 0), "calls of a monitor of one process"));
    PetscCall(CheckHistories(ksp, "norms, with a monitor of one process"));
    PetscCall(CheckGroups(ksp[0], PETSC_TRUE, "a monitor of one process"));
    if (CheckRank() == process) PetscCall(KSPMonitorCancel(ksp[0]));
  }
  PetscCall(CheckDestroy(&ksp[0], &ksp[1], &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A monitor solves with the matrix of the solve that calls it */
static PetscErrorCode Inner(const System *s, Mat A, Vec b)
{
  KSP       ksp[2];
  Counted   c = {.in_order = PETSC_TRUE};
  PetscReal residual, norm;
  Vec       x;

  PetscFunctionBeginUser;
  PetscCall(Where(s, "a solve in a monitor"));
  PetscCall(Create(A, ksp));
  PetscCall(SolverCreate(A, A, compare_type, &c.inner));
  PetscCall(CheckVecLike(b, 11, &x));
  PetscCall(CheckVecLike(b, 13, &c.x));
  PetscCall(CheckVecLike(b, 17, &c.b));
  PetscCall(KSPSolve(c.inner, c.b, c.x)); /* by groups */
  PetscCall(KSPMonitorSet(ksp[0], Count, &c, NULL));
  for (int k = 0; k < 2; k++) PetscCall(KSPSolve(ksp[k], b, x));
  PetscCall(CheckHistories(ksp, "norms, with a solve in a monitor"));
  PetscCall(CheckGroups(ksp[0], PETSC_TRUE, "the outer solve"));
  PetscCall(CheckGroups(c.inner, PETSC_FALSE, "the inner solve"));
  PetscCall(ResidualNorm(A, c.x, c.b, &residual));
  PetscCall(VecNorm(c.b, NORM_2, &norm));
  PetscCall(CheckTrue(c.in_order && c.calls == ITERATIONS + 1 && residual <= 1e-6 * norm, "calls and the inner solution"));
  PetscCall(CheckDestroy(&ksp[0], &ksp[1], &c.inner, &c.x, &c.b, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Changes the values of the matrix in an iteration; a symmetric matrix stays one */
static PetscErrorCode Scale(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  Mat A;

  PetscFunctionBeginUser;
  (void)norm;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  if (it == *(PetscInt *)ctx) PetscCall(MatScale(A, 2.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Changed(const System *s, Mat A, Vec b)
{
  PetscInt when;
  KSP      ksp[2];
  Vec      x;

  PetscFunctionBeginUser;
  PetscCall(Where(s, "a monitor that changes the matrix"));
  PetscCall(Create(A, ksp));
  PetscCall(VecDuplicate(b, &x));
  for (int k = 0; k < 2; k++) PetscCall(KSPMonitorSet(ksp[k], Scale, &when, NULL));
  for (when = 0; when <= ITERATIONS + 1; when += 3) { /* in the last solve not at all */
    for (int k = 0; k < 2; k++) {
      PetscCall(KSPSolve(ksp[k], b, x));
      if (when <= ITERATIONS) PetscCall(MatScale(A, 0.5));
    }
    PetscCall(CheckHistories(ksp, CheckText("norms, if the matrix changes in iteration %" PetscInt_FMT, when)));
    PetscCall(CheckGroups(ksp[0], PETSC_TRUE, "a monitor that changes the matrix"));
  }
  PetscCall(CheckDestroy(&ksp[0], &ksp[1], &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode All(void)
{
  const char *const options[] = {"-pc_type jacobi", "-pc_type pbjacobi"};
  System            s         = {.kind = "grid", .cells = 70, .bs = 3, .seed = 20, .symmetric = TwinIs(KSPCG)};
  Mat               A;
  Vec               b;

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); k++) {
    PetscCall(OptionsSwitch(options[k], PETSC_TRUE));
    PetscCall(SystemWithSide(&s, &A, &b));
    PetscCall(Printed(&s, A, b));
    PetscCall(OfOneProcess(&s, A, b));
    PetscCall(Inner(&s, A, b));
    PetscCall(Changed(&s, A, b));
    PetscCall(SystemDestroy(&A, &b));
    PetscCall(OptionsSwitch(options[k], PETSC_FALSE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return CompareMain(argc, argv, help, All, CompareSmall, "groups_watch", 50);
}

/*TEST
  testset:
    args: -options_left 0 -log_sync 0
    output_file: output/groups_watch.out
    test:
      suffix: 2
      comments: quick
      nsize: 2
      args: -type fusedcg -heptane_groups 2
    test:
      suffix: types
      nsize: 2
      args: -heptane_groups 2 -mat_type {{bdiagh sellp}}
    test:
      suffix: 4
      nsize: 4
      args: -type fusedbcgs -heptane_groups 3
    test:
      suffix: cuda
      requires: cuda
      nsize: {{2 4}}
      args: -heptane_groups 2 -expect_cuda
TEST*/
