static char help[] =
  "Chebyshev iteration without norms in mixed precision: a copy of the matrix in single precision and vectors in double precision, against PETSc's own.\n";

#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "common/cuda_calls.h"
#include "common/view.h"

/* Relative to the largest component: entries off the diagonal are rounded to single precision; a row dropped or an entry off by 1e-4 differs by more */
#define SINGLE_ROUNDING 2e-6

/* Scales below and above the one up to which M^-1 b stands for the first iterate; the last with the identity as M */
static const char *const cases[] = {
  "-pc_type jacobi -ksp_chebyshev_eigenvalues 0.1,2.2",
  "-pc_type pbjacobi -ksp_chebyshev_eigenvalues 0.1,2.2",
  "-pc_type jacobi -pc_jacobi_type rowmax -ksp_chebyshev_eigenvalues 0.1,2.2",
  "-pc_type jacobi -ksp_chebyshev_eigenvalues 0.02,0.3",
  "-pc_type none -ksp_chebyshev_eigenvalues 0.1,2.2",
};

/* n iterations from a guess, or from zero; x: what they give */
static PetscErrorCode Smooth(KSP ksp, Vec b, Vec guess, PetscInt n, Vec x)
{
  PetscFunctionBeginUser;
  PetscCall(guess ? VecCopy(guess, x) : CheckVecFill(x, 11)); /* to be overwritten */
  PetscCall(KSPSetInitialGuessNonzero(ksp, (PetscBool)(guess != NULL)));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, n));
  PetscCall(KSPSolve(ksp, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Difference(Vec x, Vec twin, PetscReal *difference)
{
  PetscReal size;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(twin, NORM_INFINITY, &size));
  PetscCall(VecAXPY(x, -1.0, twin));
  PetscCall(VecNorm(x, NORM_INFINITY, difference));
  *difference /= size > 0 ? size : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the view says: the copy is used, a launch for each iteration and what comes before, and for seven block diagonals without others the bytes */
static PetscErrorCode CheckView(const System *s, Mat A, KSP ksp, const char options[])
{
  static Plan  p;
  PetscBool    bdiagh;
  const double block = 4. * (double)s->bs, vectors = 32;

  PetscFunctionBeginUser;
  PetscCall(Look(ksp, &p));
  PetscCall(CheckTrue(strstr(p.text, "precision: mixed, ") && strstr(p.text, "vectors in double precision"), "the view says mixed precision"));
  PetscCall(CheckTrue(p.fused && p.reductions == 0 && p.all_reductions == 0 && p.all_waits == 0, "no sum and no wait"));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, "seqaijbdiagh", &bdiagh));
  if (!bdiagh || s->wells || s->hub || s->cells <= 2 * SystemPlane(s)) PetscFunctionReturn(PETSC_SUCCESS);
  /* the copy's diagonal blocks are unit matrices; the largest entry of a row is on the diagonal */
  const PetscBool unit = (PetscBool)(strstr(options, "pbjacobi") || (s->bs == 1 && strstr(options, "jacobi")));
  PetscCall(
    CheckTrue(fabs(p.bytes - vectors - (unit ? 6 : 7) * block) < 0.01, CheckText("%g bytes per row, not %g", p.bytes, vectors + (unit ? 6 : 7) * block)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One to five iterations, with and without a guess, and again with other values; the twin has the matrix as AIJ */
static PetscErrorCode ComparePrecisions(const System *s, Mat A, Vec b)
{
  Mat       R;
  Vec       x[2], guess;
  PetscReal difference;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &R));
  PetscCall(CheckVecLike(b, 7, &guess));
  for (int k = 0; k < 2; k++) PetscCall(VecDuplicate(b, &x[k]));
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(cases); c++) {
    KSP ksp[2];

    PetscCall(OptionsSwitch(cases[c], PETSC_TRUE));
    PetscCall(SolverCreate(R, R, compare_twin, &ksp[1]));
    PetscCall(OptionsSwitch("-ksp_fused_precision mixed", PETSC_TRUE));
    PetscCall(SolverCreate(A, A, compare_type, &ksp[0]));
    PetscCall(OptionsSwitch("-ksp_fused_precision mixed", PETSC_FALSE));
    for (int values = 0; values < 2; values++) {
      for (PetscInt n = 1; n <= 5; n++)
        for (int g = 0; g < 2; g++) {
          const char *const text = CheckText("%s, %" PetscInt_FMT " iterations%s%s", cases[c], n, g ? " from a guess" : "", values ? ", other values" : "");
          PetscCall(Where(s, text));
          for (int k = 0; k < 2; k++) PetscCall(Smooth(ksp[k], b, g ? guess : NULL, n, x[k]));
          PetscCall(Difference(x[0], x[1], &difference));
          PetscCall(CheckTrue(difference <= SINGLE_ROUNDING, CheckText("%.2g from the twin", (double)difference)));
          result_values += (double)SystemRows(s);
        }
      PetscCall(CheckView(s, A, ksp[0], cases[c]));
      PetscCall(MatShift(A, values ? -0.25 : 0.25));
      PetscCall(MatShift(R, values ? -0.25 : 0.25));
    }
    for (int k = 0; k < 2; k++) PetscCall(KSPDestroy(&ksp[k]));
    PetscCall(OptionsSwitch(cases[c], PETSC_FALSE));
  }
  PetscCall(CheckDestroy(&x[0], &x[1], &guess, &R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The copy is made once for the values of a matrix, and the same bits come out again; nothing is copied and nobody waits but where it is made. A row that is off is found. */
static PetscErrorCode Again(const System *s, Mat A, Vec b)
{
  CudaCalls before;
  KSP       ksp;
  Vec       x[2];
  PetscReal difference;
  char      options[128];

  PetscFunctionBeginUser;
  PetscCall(Where(s, "again"));
  PetscCall(PetscSNPrintf(options, sizeof(options), "%s -ksp_fused_precision mixed", cases[0]));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  for (int k = 0; k < 2; k++) {
    PetscCall(VecDuplicate(b, &x[k]));
    PetscCall(Smooth(ksp, b, NULL, 3, x[k]));
  }
  before = cuda_calls;
  PetscCall(KSPSolve(ksp, b, x[1]));
  PetscCall(CheckTrue(cuda_calls.waits == before.waits && cuda_calls.copies == before.copies && cuda_calls.allocations == before.allocations,
                      "waits, copies and allocations of another solve"));
  PetscCall(CheckSame(x[0], x[1], "a second solve"));
  PetscCall(VecSetValue(x[0], SystemRows(s) / 2, 1e-4, ADD_VALUES));
  PetscCall(VecAssemblyBegin(x[0]));
  PetscCall(VecAssemblyEnd(x[0]));
  PetscCall(Difference(x[0], x[1], &difference));
  PetscCall(CheckTrue(difference > SINGLE_ROUNDING, "a wrong row is not told from rounding"));
  PetscCall(CheckDestroy(&x[0], &x[1], &ksp));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What stays in double precision, bit by bit, and says why */
static PetscErrorCode InDouble(const System *s, Mat A, Vec b)
{
  static const struct {
    const char *options, *why;
    PetscInt    n;
  } reasons[] = {
    {"-pc_type jacobi -ksp_fused_precision auto",                             "how many solves the copy would serve is not known",       3},
    {"-pc_type jacobi -ksp_fused_precision mixed",                            "a single iteration from a guess of zero reads no matrix", 1},
    {"-pc_type bjacobi -sub_pc_type ilu -ksp_fused_precision mixed",          "the preconditioner is called between the passes",         3},
    {"-pc_type jacobi -ksp_fused_precision mixed -ksp_chebyshev_kind fourth", "PETSc's own loop",                                        3},
  };
  static Plan p;
  Vec         x[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) PetscCall(VecDuplicate(b, &x[k]));
  for (size_t r = 0; r < PETSC_STATIC_ARRAY_LENGTH(reasons); r++) {
    PetscCall(Where(s, reasons[r].options));
    PetscCall(OptionsSwitch("-ksp_chebyshev_eigenvalues 0.1,2.2", PETSC_TRUE));
    for (int k = 0; k < 2; k++) {
      KSP ksp;

      PetscCall(OptionsSwitch(reasons[r].options, PETSC_TRUE));
      if (k) PetscCall(OptionsSwitch("-ksp_fused_precision double", PETSC_TRUE));
      PetscCall(SolverCreate(A, A, compare_type, &ksp));
      PetscCall(Smooth(ksp, b, NULL, reasons[r].n, x[k]));
      PetscCall(Look(ksp, &p));
      if (!k) PetscCall(CheckTrue(strstr(p.text, reasons[r].why) != NULL, p.text));
      PetscCall(KSPDestroy(&ksp));
      PetscCall(OptionsSwitch(reasons[r].options, PETSC_FALSE));
    }
    PetscCall(OptionsSwitch("-ksp_chebyshev_eigenvalues 0.1,2.2", PETSC_FALSE));
    PetscCall(CheckSame(x[0], x[1], "in double precision"));
  }
  for (int k = 0; k < 2; k++) PetscCall(VecDestroy(&x[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that single precision has no room for: the answer is that of double precision */
static PetscErrorCode OutOfRange(const System *s, Mat A, Vec b)
{
  static const char options[] = "-pc_type none -ksp_chebyshev_eigenvalues 1e32,2e33 -ksp_fused_precision mixed";
  static Plan       p;
  KSP               ksp;
  Vec               x;
  PetscReal         norm;

  PetscFunctionBeginUser;
  PetscCall(Where(s, "numbers out of range"));
  PetscCall(MatScale(A, 1e33));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  PetscCall(Smooth(ksp, b, NULL, 3, x));
  PetscCall(VecNorm(x, NORM_2, &norm));
  PetscCall(Look(ksp, &p));
  PetscCall(CheckTrue(!PetscIsInfOrNanReal(norm) && norm > 0, "a number"));
  PetscCall(CheckTrue(strstr(p.text, "out of the range of single precision") != NULL, p.text));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SmootherSingle(void)
{
  PetscInt  cells[12] = {1, 31, 32, 33, 65, 1000}, bs[8] = {1, 2, 3, 5, 8}, ncells = 12, nbs = 8, wells = 0, hub = 0;
  PetscBool given, given_bs;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-cells", cells, &ncells, &given));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-bs", bs, &nbs, &given_bs));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-wells", &wells, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-hub", &hub, NULL));
  ncells = given ? ncells : 6;
  nbs    = given_bs ? nbs : 5;
  for (PetscInt c = 0; c < ncells; c++)
    for (PetscInt k = 0; k < nbs; k++) {
      const System s = {.kind = "grid", .cells = cells[c], .bs = bs[k], .seed = 1 + c, .wells = wells, .hub = hub, .symmetric = PETSC_TRUE};

      PetscCall(SystemUse(&s, ComparePrecisions));
    }
  if (!given) {
    const System s = {.kind = "grid", .cells = 300, .bs = 1, .seed = 16, .symmetric = PETSC_TRUE};

    PetscCall(SystemUse(&s, Again));
    PetscCall(SystemUse(&s, InDouble));
    PetscCall(SystemUse(&s, OutOfRange));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-rejects", "0")); /* Again() has one of its own */
  PetscCall(CompareEach(SmootherSingle, NULL));
  return CompareFinish("smoother_single", 500);
}

/*TEST
  testset:
    output_file: output/smoother_single.out
    requires: double
    args: -type fusedchebyshev
    test:
      suffix: 1
      comments: quick
      args: -mat_type {{bdiagh sellp}}
    # entries off the diagonals; rows that sellp puts aside
    test:
      suffix: wells
      args: -mat_type bdiagh -cells 65,1000 -bs 1,3 -wells 1 -hub 100 -mat_bdiagh_max_remainder 1
    test:
      suffix: aside
      args: -mat_type sellp -cells 65,3000 -bs 1,3 -wells 1 -hub 300
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda
    test:
      suffix: wells_cuda
      requires: cuda
      args: -mat_type bdiagh -cells 65,1000 -bs 1,3 -wells 1 -hub 100 -mat_bdiagh_max_remainder 1 -expect_cuda
    test:
      suffix: aside_cuda
      requires: cuda
      args: -mat_type sellp -cells 65,3000 -bs 1,3 -wells 1 -hub 300 -expect_cuda
    # for compute-sanitizer
    test:
      suffix: cuda_small
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -cells 33 -bs 1,3 -expect_cuda
TEST*/
