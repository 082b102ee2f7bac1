static char help[] = "The bytes that -ksp_view says an iteration moves, against a count by hand.\n";

#include "common/view.h"
#include <math.h>

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

/* The printed bytes against that count; the bytes of the matrix are the rest, the same with every preconditioner */
static PetscErrorCode Bytes(const System *s, Mat A, Vec b)
{
  const char *const options[PCS] = {"-pc_type none -ksp_fused_fold no", "-pc_type jacobi -ksp_fused_fold no", "-pc_type pbjacobi -ksp_fused_fold no",
                                    "-pc_type bjacobi -sub_pc_type jacobi"};
  const double      grid         = 7. * (double)s->bs * sizeof(PetscScalar); /* seven block diagonals */
  static Plan       p;
  double            of_none = 0;
  PetscBool         persistent, sellp;
  PetscMPIInt       size;
  VecType           vector;
  MatType           matrix;
  Ways              w;
  KSP               ksp;
  Vec               x;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(VecGetType(b, &vector));
  PetscCall(MatGetType(A, &matrix));
  PetscCall(PetscStrendswith(vector, "cuda", &w.device));
  PetscCall(PetscStrendswith(matrix, "bdiagh", &w.bdiagh));
  PetscCall(PetscStrendswith(matrix, "sellp", &sellp));
  w.products   = (PetscBool)((size == 1 || !w.device) && (w.bdiagh || sellp));
  w.transposed = (PetscBool)(w.products && w.bdiagh && size == 1);
  PetscCall(VecDuplicate(b, &x));
  for (int k = 0; k < PCS; k++) {
    double matrix_bytes, vectors;
    int    products;
    char   what[256];

    PetscCall(Where(s, options[k]));
    PetscCall(OptionsSwitch(options[k], PETSC_TRUE));
    PetscCall(SolverCreate(A, A, compare_type, &ksp));
    PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 3));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(Look(ksp, &p));
    PetscCall(PetscStrcmp(p.mode, "persistent", &persistent));
    w.watched    = persistent;
    vectors      = Vectors(k, (double)s->bs, &w, &products) * sizeof(PetscScalar);
    matrix_bytes = products ? (p.bytes - vectors) / products : p.bytes - vectors;
    if (k == NONE) of_none = matrix_bytes;
    PetscCall(
      PetscSNPrintf(what, sizeof(what), "%g bytes per row, of these %g of vectors and %d times %g of the matrix", p.bytes, vectors, products, matrix_bytes));
    PetscCall(CheckTrue((PetscBool)(fabs(matrix_bytes - of_none) < 0.01), what));
    if (!products) PetscCall(CheckTrue((PetscBool)(fabs(matrix_bytes) < 0.01), what));
    else if (w.bdiagh && size == 1) PetscCall(CheckTrue((PetscBool)(fabs(matrix_bytes - grid) < 0.01), what));
    else PetscCall(CheckTrue((PetscBool)(matrix_bytes > 0.7 * grid && matrix_bytes < 1.5 * grid), what)); /* padding; columns of other processes */
    PetscCall(KSPDestroy(&ksp));
    PetscCall(OptionsSwitch(options[k], PETSC_FALSE));
  }
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Budgets(void)
{
  const System s = {.kind = "grid", .cells = 300, .bs = 3, .seed = 16, .symmetric = TwinIs(KSPCG)};

  PetscFunctionBeginUser;
  PetscCall(SystemUse(&s, Bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return CompareMain(argc, argv, help, Budgets, CompareSmall, "budget", 40);
}

/*TEST

  testset:
    output_file: output/budget.out
    test:
      suffix: 1
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: chebyshev
      comments: quick
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
