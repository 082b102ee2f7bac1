static char help[] = "What -ksp_view says of a fused solver agrees with itself and with what was counted, its bytes with a count by hand; prefixes.\n";

#include "common/compare.h"
#include "common/view.h"
#include <math.h>

static PetscErrorCode Says(const Plan *p, const char text[])
{
  return CheckTrue(strstr(p->text, text) != NULL, CheckText("the view says \"%s\"", text));
}

/* Two solves of fixed length: what the iterations more counted is as many times the printed budget; work begun in vain behind the last one is at most an interval's */
static PetscErrorCode Budget(const System *s, Mat A, Vec b, const char options[], Plan p[2])
{
  KSP       ksp;
  Vec       x;
  PetscBool persistent;

  PetscFunctionBeginUser;
  PetscCall(WhereWith(s, options));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  PetscCall(KSPSetConvergenceTest(ksp, KSPConvergedSkip, NULL, NULL));
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, k ? SOLVE_LONG : SOLVE_SHORT));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(Look(ksp, &p[k]));
    PetscCall(CheckTrue(p[k].fused, "the view tells mode and interval"));
    PetscCall(CheckTrue(p[k].its == (k ? SOLVE_LONG : SOLVE_SHORT), "iterations of the last solve"));
  }
  PetscCall(PetscStrcmp(p[1].mode, "persistent", &persistent));
  PetscCall(CheckTrue(p[1].kernels == p[1].steps && p[1].kernels > 0, "a line for each fused pass"));
  PetscCall(CheckTrue(p[1].bytes > 0 && (persistent ? fabs(p[1].launches * p[1].interval - 1) < 1e-3 : p[1].launches >= p[1].kernels) &&
                        (p[1].reductions > 0) == (p[1].interval > 0),
                      "a budget"));
  if (persistent) PetscCall(CheckTrue(p[1].all_launches - p[0].all_launches <= SOLVE_MORE / p[1].interval + 1, "launches of a persistent kernel"));
  else {
    const double more = (double)(p[1].all_launches - p[0].all_launches) - SOLVE_MORE * p[1].launches;

    PetscCall(CheckTrue(fabs(more) <= PetscMax(p[1].interval - 1, 0) * p[1].launches, "launches: budget and count"));
  }
  PetscCall(CheckTrue(labs(p[1].all_reductions - p[0].all_reductions - SOLVE_MORE * p[1].reductions) <= (p[1].interval - 1) * p[1].reductions,
                      "reductions: budget and count"));
  PetscCall(CheckTrue(PetscAbsReal((PetscReal)(p[1].all_waits - p[0].all_waits) - SOLVE_MORE * (PetscReal)p[1].waits) <= 1, "host waits: budget and count"));
  PetscCall(CheckDestroy(&ksp, &x));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where a solve runs and what of it is row arithmetic */
typedef struct {
  PetscBool products, transposed, device, bdiagh; /* products: with the matrix, in a pass */
  PetscBool watched;                              /* every iteration leaves x and r */
} Ways;

enum { NONE, JACOBI, BLOCKS, CALLED, PCS };

/* Vectors read or written in an iteration, columns of b block inverses included, counted by hand for each pass, and products whose matrix counts. MatMult() counts with two vectors where the
   matrix is known, else not at all, nor do PCApply() and its transpose. */
static double Vectors(int pc, double b, const Ways *w, int *products)
{
  const double call = w->products ? 2 : 0; /* x and y of MatMult() */

  *products = w->products ? (TwinIs(KSPCG) || TwinIs(KSPCHEBYSHEV) ? 1 : 2) : 0;
  if (TwinIs(KSPCHEBYSHEV)) {
    const double update[PCS] = {6, 7, 6 + b, 3 + 5}; /* called: b - w in the place of w, then the update with z */

    return call + update[pc];
  }
  if (TwinIs(KSPCG)) {
    const double residual[PCS] = {3, w->watched ? 5 : 4, 4 + b, 3 + 2};
    const double x             = w->products && !w->watched ? (2 + 2) / 3. : 2; /* x and two more p, every third time */

    return 3 + x + (w->products ? 2 : 3) + residual[pc];
  }
  if (TwinIs(KSPBCGS)) {
    const PetscBool passes = (PetscBool)(w->products && pc != CALLED), formed = (PetscBool)(passes && w->device);
    /* the matrix's own diagonal is at hand on the device, its own blocks are not read where the inverses are */
    const PetscBool own     = (PetscBool)(passes && (pc == JACOBI ? w->bdiagh && w->device : w->bdiagh || w->device));
    const double    inverse = own ? 0 : pc == JACOBI ? 1 : pc == BLOCKS ? b : 0;
    const double    first = 3, second = passes ? 3 + formed : 4, half = formed ? 0 : 3, update = 8;

    return first + second + half + update + 2 * (inverse + (passes ? 0 : call));
  }
  const double residuals[PCS] = {6, 9, 8 + 2 * b, 6 + 2};

  return 8 + (w->transposed ? 2 : call) + 3 + residuals[pc];
}

/* The printed bytes against a count by hand; the bytes of the matrix are the rest, the same with every preconditioner */
static PetscErrorCode Bytes(const System *s, Mat A, Vec b)
{
  const char *const options[PCS] = {"-pc_type none -ksp_fused_fold no", "-pc_type jacobi -ksp_fused_fold no", "-pc_type pbjacobi -ksp_fused_fold no",
                                    "-pc_type bjacobi -sub_pc_type jacobi"};
  const double      grid         = 7. * (double)s->bs * sizeof(PetscScalar); /* seven block diagonals */
  static Plan       p[2];
  double            of_none = 0;
  PetscBool         sellp;
  const PetscMPIInt size = CheckProcesses();
  VecType           vector;
  MatType           matrix;
  Ways              w;

  PetscFunctionBeginUser;
  PetscCall(VecGetType(b, &vector));
  PetscCall(MatGetType(A, &matrix));
  PetscCall(PetscStrendswith(vector, "cuda", &w.device));
  PetscCall(PetscStrendswith(matrix, "bdiagh", &w.bdiagh));
  PetscCall(PetscStrendswith(matrix, "sellp", &sellp));
  w.products   = (PetscBool)((size == 1 || !w.device) && (w.bdiagh || sellp));
  w.transposed = (PetscBool)(w.products && w.bdiagh && size == 1);
  for (int k = 0; k < PCS; k++) {
    double matrix_bytes, vectors;
    int    products;

    PetscCall(Budget(s, A, b, options[k], p));
    PetscCall(PetscStrcmp(p[1].mode, "persistent", &w.watched));
    vectors      = Vectors(k, (double)s->bs, &w, &products) * sizeof(PetscScalar);
    matrix_bytes = products ? (p[1].bytes - vectors) / products : p[1].bytes - vectors;
    if (k == NONE) of_none = matrix_bytes;
    const char *const what = CheckText("%g bytes per row, of these %g of vectors and %d times %g of the matrix", p[1].bytes, vectors, products, matrix_bytes);
    PetscCall(CheckTrue(fabs(matrix_bytes - of_none) < 0.01, what));
    if (!products) PetscCall(CheckTrue(fabs(matrix_bytes) < 0.01, what));
    else if (w.bdiagh && size == 1) PetscCall(CheckTrue(fabs(matrix_bytes - grid) < 0.01, what));
    else PetscCall(CheckTrue(matrix_bytes > 0.7 * grid && matrix_bytes < 1.5 * grid, what)); /* padding; columns of other processes */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The view before and after a solve, of a solver with prefix a_: that prefix's options count, others do not */
static PetscErrorCode Prefixed(Mat A, Vec b)
{
  static Plan p;
  KSP         ksp;
  Vec         x;

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch("-a_ksp_fused_mode twin -a_ksp_max_it 3 -b_ksp_fused_mode nothing -ksp_max_it 4", PETSC_TRUE));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "a_"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, compare_type));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(Look(ksp, &p));
  PetscCall(Says(&p, "fused: mode twin, not yet solved"));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Look(ksp, &p));
  PetscCall(Says(&p, "fused: twin (PETSc's own loop): "));
  PetscCall(Says(&p, "maximum iterations=3"));
  PetscCall(CheckDestroy(&ksp, &x));
  PetscCall(OptionsSwitch("-a_ksp_fused_mode twin -a_ksp_max_it 3 -b_ksp_fused_mode nothing -ksp_max_it 4", PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlansOf(const System *s, Mat A, Vec b)
{
  const char *const options[] = {"-pc_type jacobi", "-pc_type pbjacobi", "-pc_type none", "-pc_type bjacobi -sub_pc_type jacobi",
                                 "-pc_type jacobi -ksp_norm_type none"};

  static Plan p[2];

  PetscFunctionBeginUser;
  PetscCall(Prefixed(A, b));
  PetscCall(Bytes(s, A, b));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); k++) PetscCall(Budget(s, A, b, options[k], p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Plans(void)
{
  const System s = {.kind = "grid", .cells = 300, .bs = 3, .seed = 16, .symmetric = TwinIs(KSPCG)};

  PetscFunctionBeginUser;
  PetscCall(SystemUse(&s, PlansOf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Plans, CompareSmall, "plan", 40)

/*TEST
  testset:
    output_file: output/plan.out
    test:
      suffix: 1
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: chebyshev
      comments: quick
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}} -type fusedchebyshev
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh aijcusparse sellp}} -mode kernels,graph,persistent,auto -expect_cuda
    test:
      suffix: chebyshev_cuda
      requires: cuda
      args: -mat_type {{bdiagh aijcusparse sellp}} -type fusedchebyshev -mode kernels,graph -expect_cuda
TEST*/
