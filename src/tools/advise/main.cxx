/*
   heptane-advise: predicted and measured times of solves with a matrix, on the host and on a GPU.
*/
static char help[] = "heptane-advise: predicted and measured times of solves with a matrix on the host, on one GPU and on several.\n\
  -file MATRIX            in PETSc's binary format, or\n\
  -grid nx,ny,nz          a generated matrix, seven points for each cell\n\
  -unknowns b             per cell of -grid (1)\n\
  -mat_type -ksp_type -pc_type, and all options of these (bdiagh, fusedcg, jacobi)\n\
  -machine FILE           figures of the machine: read, or measured and written if the file does not exist\n\
  -json FILE              appends the result as a line of JSON\n\
  -heptane_device host    measures nothing on a GPU\n\n";

#include "../../ksp/fused/solver.hpp"
#include "../../pass/offers/placement.hpp"
#include "../../sys/device.hpp"
#include "../../sys/number_options.hpp"
#include "advice.hpp"
#include "figures.hpp"
#include "model_tuning.hpp"
#include <petsctime.h>
#include <cstdio>
#include <cstring>
#include <fstream>

using namespace heptane;

namespace
{

/* Neighbors of a cell are coupled by -1/b, unknowns of a cell by -1/b; the diagonal is 8 */
PetscErrorCode Generate(const PetscInt n[3], PetscInt b, Mat A)
{
  std::vector<PetscScalar> near(b * b, -1.0 / (PetscReal)b), here = near;
  const PetscInt           step[] = {1, n[0], n[0] * n[1]};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < b; k++) here[k * b + k] = 8;
  for (PetscInt cell = 0; cell < n[0] * n[1] * n[2]; cell++) {
    const PetscInt at[] = {cell % n[0], cell / n[0] % n[1], cell / step[2]};

    PetscCall(MatSetValuesBlocked(A, 1, &cell, 1, &cell, here.data(), INSERT_VALUES));
    for (int d = 0; d < 3; d++) {
      const PetscInt before = cell - step[d], after = cell + step[d];

      if (at[d] > 0) PetscCall(MatSetValuesBlocked(A, 1, &cell, 1, &before, near.data(), INSERT_VALUES));
      if (at[d] + 1 < n[d]) PetscCall(MatSetValuesBlocked(A, 1, &cell, 1, &after, near.data(), INSERT_VALUES));
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeMatrix(Mat *A)
{
  char        name[PETSC_MAX_PATH_LEN];
  PetscInt    n[3] = {1, 1, 1}, b = 1, number = 3;
  PetscBool   file, grid;
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "heptane-advise", NULL);
  PetscCall(PetscOptionsString("-file", "Matrix in PETSc's binary format", NULL, "", name, sizeof(name), &file));
  PetscCall(OptionIntArray(PetscOptionsObject, "-grid", "Cells of a generated matrix in each direction", NULL, 1, PETSC_INT_MAX, n, &number, &grid));
  PetscCall(OptionInt(PetscOptionsObject, "-unknowns", "Unknowns of each of these cells", NULL, 1, 1000, &b));
  PetscOptionsEnd();
  PetscCheck(file != grid, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Give a matrix by -file MATRIX or by -grid nx,ny,nz: see heptane-advise --help");
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetType(*A, MATBDIAGH));
  PetscCall(MatSetFromOptions(*A));
  if (file) {
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_SELF, name, FILE_MODE_READ, &viewer));
    PetscCall(MatLoad(*A, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
  } else {
    PetscCheck((PetscReal)n[0] * n[1] * n[2] * b < PETSC_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "-grid has more unknowns than a PetscInt can count: take fewer cells");
    PetscCall(MatSetSizes(*A, n[0] * n[1] * n[2] * b, n[0] * n[1] * n[2] * b, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetBlockSize(*A, b));
    PetscCall(MatSetUp(*A));
    PetscCall(Generate(n, b, *A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* us of a product on the host, without the first one */
PetscErrorCode TimeProduct(Mat A, Vec x, Vec y, double *us)
{
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(MatMult(A, x, y));
  for (int rounds = 1;; rounds *= 2) {
    PetscCall(PetscTime(&begin));
    for (int k = 0; k < rounds; k++) PetscCall(MatMult(A, x, y));
    PetscCall(PetscTime(&end));
    *us = 1e6 * (end - begin) / rounds;
    if (*us * rounds >= ModelTuning::product_least_us || rounds >= 1 << 16) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Sets the work of the last solve: after a solve on the GPU that of the GPU, after a solve on the host that of both,
   with equal bytes
*/
void work_of(const FusedContext &ctx, bool on_device, SolveWork *w)
{
  const FusedPlan &plan  = ctx.caches.plan;
  const double     bytes = ctx.last.bytes_a_row * w->rows;

  w->device_bytes = bytes;
  w->launches     = plan.launches + (plan.products - plan.fused_products);
  w->reductions   = plan.reductions;
  w->products     = plan.products;
  w->persistent   = on_device && ctx.last.chosen == KSP_FUSED_PERSISTENT;
  if (on_device) return;
  w->host_bytes    = bytes;
  w->passes        = w->launches;
  w->product_bytes = plan.products ? bytes / plan.products - plan.row_bytes * w->rows / plan.products + 2 * sizeof(Scalar) * w->rows : 0;
}

PetscErrorCode Solver(Mat A, bool on_device, KSP *ksp)
{
  PetscBool simple;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_fused_place", on_device ? "device" : "host"));
  PetscCall(KSPCreate(PETSC_COMM_SELF, ksp));
  PetscCall(KSPSetType(*ksp, KSPFUSEDCG));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(PCSetType((*ksp)->pc, PCJACOBI));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)(*ksp)->pc, &simple, PCNONE, PCJACOBI, PCPBJACOBI, PCBLOCKJACOBIREG, ""));
  PetscCheck(simple, PETSC_COMM_SELF, PETSC_ERR_SUP, "-pc_type %s: times are predicted for none, jacobi, pbjacobi and blockjacobireg",
             ((PetscObject)(*ksp)->pc)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves from and to vectors on the host; the first one, which loads kernels and allocates memory, is not counted */
PetscErrorCode SolveOn(bool on_device, Mat A, Vec b, Vec x, SolveAdvice *a)
{
  KSP            ksp;
  FusedContext  *ctx;
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(Solver(A, on_device, &ksp));
  PetscCall(PetscObjectContainerQuery((PetscObject)ksp, fused_context_name, (void **)&ctx));
  PetscCheck(ctx, PETSC_COMM_SELF, PETSC_ERR_SUP, "-ksp_type %s: times are predicted for fusedcg, fusedbcgs, fusedbicg and fusedchebyshev",
             ((PetscObject)ksp)->type_name);
  for (int k = 0; k <= ModelTuning::solves; k++) {
    PetscCall(PetscTime(&begin));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(PetscTime(&end));
    if (k) (on_device ? a->device : a->host).push_back(1e6 * (end - begin));
  }
  PetscCheck(ctx->last.fused && ksp->its > 0, PETSC_COMM_SELF, PETSC_ERR_SUP, "The solve is not a fused one, or has no iteration: -ksp_view says why");
  PetscCheck(ctx->engine->OnDevice() == on_device, PETSC_COMM_SELF, PETSC_ERR_SUP, "The solve did not run on the %s: -ksp_view says why",
             on_device ? "GPU" : "host");
  a->last.iterations = (double)ksp->its;
  work_of(*ctx, on_device, &a->last);
  if (!on_device) {
    a->solver = ((PetscObject)ksp)->type_name;
    a->pc     = ((PetscObject)ksp->pc)->type_name;
    /* the vectors, and the inverses of the preconditioner */
    a->last.working_set = (double)(ctx->method->Vectors(ksp).size() + 1) * a->last.vectors_up;
    a->last.vectors_up *= ksp->guess_zero ? 1 : 2;
    a->last.vectors_up_count = ksp->guess_zero ? 1 : 2;
  }
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Advise(Mat A, PetscBool gpu, SolveAdvice *a)
{
  MatPlacement matrix;
  SolveWork   &w = a->last;
  PetscInt     rows;
  Vec          b, x;
  PetscErrorCode (*get)(Mat, MatPlacement *);

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, placement_name, &get));
  PetscCheck(get, PETSC_COMM_SELF, PETSC_ERR_SUP, "-mat_type %s: times are predicted for bdiagh and sellp", ((PetscObject)A)->type_name);
  PetscCall(MatGetLocalSize(A, &rows, NULL));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, rows, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecSet(b, 1));
  a->matrix            = ((PetscObject)A)->type_name;
  w.rows               = (double)rows;
  w.vectors_up         = sizeof(Scalar) * w.rows;
  w.vectors_down       = w.vectors_up;
  w.vectors_down_count = 1;
  PetscCall(SolveOn(false, A, b, x, a));
  PetscCall(TimeProduct(A, b, x, &w.product_us));
  PetscCall((*get)(A, &matrix));
  if (gpu) PetscCall(SolveOn(true, A, b, x, a));
  w.working_set += matrix.value_bytes;
  a->first      = w;
  a->first.fill = a->first.matrix_up = matrix.value_bytes;
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run()
{
  char        name[PETSC_MAX_PATH_LEN];
  PetscBool   json, gpu;
  PetscMPIInt size;
  Machine     machine;
  SolveAdvice advice;
  Mat         A;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_SELF, PETSC_ERR_SUP, "heptane-advise runs with one process");
  PetscCall(PetscOptionsGetString(NULL, NULL, "-json", name, sizeof(name), &json));
  std::ofstream file;
  if (json) file.open(name, std::ios::app);
  PetscCheck(!json || file.good(), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-json %s: the file cannot be written; its folder must exist and be writable", name);
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_shortcuts", "0")); /* small systems have a plan too */
  PetscCall(HeptaneInitialize());
  PetscCall(MakeMatrix(&A));
  PetscCall(MachineFigures(&machine));
  PetscCall(DeviceUsable(&gpu));
  PetscCall(Advise(A, gpu, &advice));
  (void)std::fputs(advice_table(machine, advice).c_str(), stdout); /* longer than the buffer of PetscPrintf() */
  (void)std::fflush(stdout);
  if (json) file << advice_json(machine, advice) << std::flush;
  PetscCheck(!json || file.good(), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "-json %s: the file cannot be written", name);
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  if (argc > 1 && !std::strcmp(argv[1], "--help")) {
    (void)std::fputs(help, stdout);
    return 0;
  }
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(Run());
  PetscCall(PetscFinalize());
  return 0;
}
