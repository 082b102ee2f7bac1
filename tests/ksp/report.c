static char help[] = "What is printed during and after a solve, line by line and in order, and what residual histories hold, against PETSc's own.\n";

#include "common/program.h"
#include "common/twin.h"
#include <petscviewer.h>

#define TEXT_MAX 65536
/* Solves of six iterations, of which all digits printed are as good as the same */
#define SIX    "-ksp_max_it 6 "
#define DIGITS (PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-11)
#define FEW    (PetscDefined(USE_REAL_SINGLE) ? 2e-3 : 1e-3) /* where few are printed */

static PetscErrorCode ReadText(char text[TEXT_MAX])
{
  FILE  *file;
  size_t got = 0;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  file = fopen("report.txt", "r");
  if (file) got = fread(text, 1, TEXT_MAX - 1, file);
  if (file) fclose(file);
  text[got] = 0;
  PetscCall(CheckRemove("report.txt"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next word of the text and whether it is a number; NULL at the end of the line or of the text */
static char *Word(char **at, double *number, PetscBool *is_number)
{
  char *word = *at, *end;

  while (*word == ' ') word++;
  if (!*word || *word == '\n') return NULL;
  end = word;
  while (*end && *end != ' ' && *end != '\n') end++;
  *at        = end;
  *number    = strtod(word, &end);
  *is_number = (PetscBool)(end == *at);
  return word;
}

/* The lines say the same: equal words, numbers equal to `rtol` */
static PetscErrorCode SameLines(char a[], char b[], PetscReal rtol, PetscInt least)
{
  PetscInt  lines = 0;
  PetscBool good  = PETSC_TRUE;
  char     *p = a, *q = b, text[128];

  PetscFunctionBeginUser;
  while (*p && *q) {
    double    x, y;
    PetscBool number, other;

    for (;;) {
      char *v = Word(&p, &x, &number), *w = Word(&q, &y, &other);

      if (!v != !w || (v && number != other)) good = PETSC_FALSE;
      if (!v || !w) break;
      if (number && !(PetscAbs(x - y) <= (double)rtol * PetscAbs(y))) good = PETSC_FALSE;
      result_values++;
      if (!number && (p - v != q - w || strncmp(v, w, (size_t)(p - v)))) good = PETSC_FALSE;
    }
    PetscCall(PetscSNPrintf(text, sizeof(text), "line %" PetscInt_FMT ": %.90s", ++lines, p));
    if (!good) break;
    p += *p == '\n';
    q += *q == '\n';
  }
  PetscCall(CheckTrue(good, text));
  PetscCall(CheckTrue(lines >= least && !*p && !*q, "as many lines"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By options: PETSC's own monitors and reports */
static PetscErrorCode Printed(const System *s, Mat A, Vec b, const char options[], PetscReal rtol, PetscInt least)
{
  static char text[2][TEXT_MAX];
  KSP         ksp;
  Vec         x;

  PetscFunctionBeginUser;
  PetscCall(Where(s, options));
  PetscCall(VecDuplicate(b, &x));
  for (int k = 0; k < 2; k++) {
    PetscCall(OptionsSwitch(options, PETSC_TRUE));
    PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp));
    twin_solves = (PetscBool)(k == 1);
    PetscCall(KSPSolve(ksp, b, x));
    twin_solves = PETSC_FALSE;
    PetscCall(KSPDestroy(&ksp));
    PetscCall(OptionsSwitch(options, PETSC_FALSE));
    PetscCall(PetscOptionsClearValue(NULL, "-ksp_monitor")); /* which PETSc puts in the place of -ksp_monitor_short */
    PetscCall(ReadText(text[k]));
  }
  PetscCall(SameLines(text[0], text[1], rtol, least));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Own(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  (void)ksp, (void)norm;
  return PetscViewerASCIIPrintf((PetscViewer)ctx, "own %" PetscInt_FMT "\n", it);
}

/* A monitor of PETSc's, which needs the norm alone, and one of the user's write by turns */
static PetscErrorCode ByTurns(const System *s, Mat A, Vec b)
{
  static char           text[TEXT_MAX];
  KSP                   ksp;
  Vec                   x;
  PetscViewer           viewer;
  PetscViewerAndFormat *vf;
  PetscInt              its, lines = 0;
  char                 *line = text, *end;

  PetscFunctionBeginUser;
  PetscCall(Where(s, "two monitors by turns"));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "report.txt", &viewer));
  PetscCall(PetscViewerAndFormatCreate(viewer, PETSC_VIEWER_DEFAULT, &vf));
  PetscCall(KSPMonitorSet(ksp, (KSPMonitorFn *)KSPMonitorResidual, vf, (PetscCtxDestroyFn *)PetscViewerAndFormatDestroy));
  PetscCall(KSPMonitorSet(ksp, Own, viewer, NULL));
  PetscCall(CheckKSPSolve(ksp, b, x, &its, NULL));
  PetscCall(CheckDestroy(&ksp, &viewer));
  PetscCall(ReadText(text));
  for (; *line; line = end ? end + 1 : line + strlen(line), lines++) {
    int       it   = -1;
    PetscBool good = (PetscBool)(sscanf(line, lines % 2 ? " own %d" : " %d KSP", &it) == 1 && it == lines / 2);

    end = strchr(line, '\n');
    if (!good) PetscCall(CheckTrue(good, "in order"));
  }
  PetscCall(CheckTrue(lines == 2 * (its + 1), "two lines an iteration"));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residual histories: PETSc's own array, a short one of the user's, one that goes on over two solves */
static PetscErrorCode HistoriesOf(const System *s, Mat A, Vec b)
{
  PetscReal        h[2][12], all[2][400];
  const PetscReal *own;
  PetscInt         n[2][4], its = 0;
  Vec              x;

  PetscFunctionBeginUser;
  PetscCall(Where(s, "histories"));
  PetscCall(VecDuplicate(b, &x));
  for (int k = 0; k < 2; k++) {
    KSP ksp;

    PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp));
    PetscCall(KSPSetTolerances(ksp, 0.0, PETSC_CURRENT, PETSC_CURRENT, 15));
    PetscCall(KSPSetResidualHistory(ksp, NULL, PETSC_DECIDE, PETSC_TRUE));
    PetscCall(CheckKSPSolve(ksp, b, x, &its, NULL));
    PetscCall(KSPGetResidualHistory(ksp, &own, &n[k][0]));
    for (PetscInt i = 0; i < 12; i++) all[k][i] = own[i];
    PetscCall(KSPSetResidualHistory(ksp, h[k], 12, PETSC_TRUE));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetResidualHistory(ksp, NULL, &n[k][1]));
    for (PetscInt i = 0; i < 12; i++) PetscCall(CheckReal(h[k][i], all[k][i], 0, "the short one is the beginning"));
    PetscCall(KSPSetResidualHistory(ksp, all[k], 400, PETSC_FALSE));
    for (int solve = 2; solve < 4; solve++) {
      PetscCall(KSPSolve(ksp, b, x));
      PetscCall(KSPGetResidualHistory(ksp, NULL, &n[k][solve]));
    }
    for (PetscInt i = 0; i < 12; i++) PetscCall(CheckReal(all[k][n[k][2] + i], h[k][i], 0, "the second solve's follows the first's"));
    PetscCall(KSPDestroy(&ksp));
  }
  for (int solve = 0; solve < 4; solve++) PetscCall(CheckTrue(n[0][solve] == n[1][solve] && n[1][solve] >= 12, "entries"));
  PetscCall(CheckTrue(n[0][3] == 2 * (its + 1), "entries of two solves"));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Each(PetscErrorCode (*report)(const System *, Mat, Vec))
{
  const System s = {.kind = "grid", .cells = 140, .bs = 2, .seed = 18, .symmetric = TwinIs(KSPCG)};

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch("-pc_type jacobi", PETSC_TRUE));
  PetscCall(SystemUse(&s, report));
  PetscCall(OptionsSwitch("-pc_type jacobi", PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(const System *s, Mat A, Vec b)
{
  PetscFunctionBeginUser;
  PetscCall(Printed(s, A, b, SIX "-ksp_monitor ascii:report.txt", DIGITS, 7));
  PetscCall(Printed(s, A, b, SIX "-ksp_monitor_short ascii:report.txt -options_suppress_deprecated_warnings", FEW, 7));
  PetscCall(Printed(s, A, b, SIX "-ksp_monitor_true_residual ascii:report.txt", DIGITS, 7));
  PetscCall(Printed(s, A, b, SIX "-ksp_monitor_max ascii:report.txt", DIGITS, 7));
  PetscCall(Printed(s, A, b, SIX "-ksp_monitor_solution ascii:report.txt::append", DIGITS, 7));
  PetscCall(Printed(s, A, b, SIX "-ksp_converged_reason ascii:report.txt", DIGITS, 1));
  PetscCall(Printed(s, A, b, "-ksp_rtol 1e-2 -ksp_converged_reason ascii:report.txt", DIGITS, 1));
  PetscCall(Printed(s, A, b, SIX "-ksp_converged_rate ascii:report.txt", FEW, 1));
  PetscCall(Printed(s, A, b, SIX "-ksp_monitor ascii:report.txt -ksp_converged_reason ascii:reason.txt", DIGITS, 7));
  PetscCall(CheckRemove("reason.txt"));
  PetscCall(ByTurns(s, A, b));
  PetscCall(HistoriesOf(s, A, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReportOne(const System *s, Mat A, Vec b)
{
  return Printed(s, A, b, SIX "-ksp_monitor ascii:report.txt", DIGITS, 7);
}

static PetscErrorCode Reports(void)
{
  return Each(Report);
}

static PetscErrorCode Rejects(void)
{
  return Each(ReportOne);
}

COMPARE_MAIN(Reports, Rejects, "report", 500)

/*TEST
  testset:
    output_file: output/report.out
    args: -ksp_fused_check_interval {{0 5}}
    test:
      suffix: 1
      comments: quick
      nsize: {{1 2}}
    test:
      suffix: cuda
      requires: cuda
      args: -mode kernels,graph,persistent -expect_cuda
TEST*/
