static char help[] = "PCGRIDMG when the values of a matrix change by many powers of two: as with a new preconditioner, bit for bit.\n"
                     "  -quick: one system, few changes\n"
                     "  -tolerance: of x, where sums have no fixed order\n";

#include "common/grid.h"

static PetscBool quick     = PETSC_FALSE;
static PetscReal tolerance = 0;

static PetscErrorCode Create(Mat A, KSP *ksp)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
  PetscCall(KSPSetOperators(*ksp, A, A));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, "gridmg"));
  PetscCall(KSPSetTolerances(*ksp, 1e-8, 0, PETSC_CURRENT, 200));
  PetscCall(KSPSetFromOptions(*ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Solve(KSP ksp, Vec b, Vec x, PetscInt *its)
{
  KSPConvergedReason reason;

  PetscFunctionBeginUser;
  PetscCall(CheckKSPSolve(ksp, b, x, its, &reason));
  PetscCall(CheckTrue(reason > 0, KSPConvergedReasons[reason]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Same(Vec x, PetscInt its, Vec y, PetscInt other, const char what[])
{
  PetscReal far, size;
  Vec       d;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(x, &d));
  PetscCall(VecWAXPY(d, -1, x, y));
  PetscCall(VecNorm(d, NORM_INFINITY, &far));
  PetscCall(VecNorm(y, NORM_INFINITY, &size));
  PetscCall(CheckTrue(its == other && far <= tolerance * size,
                      CheckText("%s: %d iterations, %d; x differs by %g of %g", what, (int)its, (int)other, (double)far, (double)size)));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix times powers of two: x is that of the first values divided by them. far: the products of solvers other than CG must stay in the range of single precision. */
static PetscErrorCode Powers(const Grid *g, int far)
{
  const int powers[] = {far, -far, -far, 5, 5, 5, 5, -3, 2 * far, 17, -16, -16}; /* one after the other */
  PetscInt  its, first, all = 0;
  Mat       A;
  Vec       b, x, y;
  KSP       ksp;

  PetscFunctionBeginUser;
  PetscCall(GridCreate(PETSC_COMM_WORLD, g, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(CheckVecFill(b, 3));
  PetscCall(Create(A, &ksp));
  PetscCall(Solve(ksp, b, x, &first));
  for (int k = 0; k < (quick ? 3 : (int)PETSC_STATIC_ARRAY_LENGTH(powers)); k++) {
    PetscCall(MatScale(A, PetscPowReal(2, (PetscReal)powers[k])));
    all += powers[k];
    PetscCall(Solve(ksp, b, y, &its));
    PetscCall(VecScale(y, PetscPowReal(2, (PetscReal)all)));
    PetscCall(Same(x, first, y, its, CheckText("times 2^%d", (int)all)));
  }
  PetscCall(CheckDestroy(&ksp, &b, &x, &y, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values that grow, or shrink, as in time steps: as with a new solver. Then zeros, and good ones again. */
static PetscErrorCode Steps(Grid g, PetscReal factor)
{
  PetscInt           its, other;
  PetscReal          size = 1;
  KSPConvergedReason reason;
  Mat                A;
  Vec                b, x, y;
  KSP                ksp, anew;

  PetscFunctionBeginUser;
  PetscCall(GridCreate(PETSC_COMM_WORLD, &g, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(CheckVecFill(b, 3));
  PetscCall(Create(A, &ksp));
  for (int k = 0; k < (quick ? 2 : 9); k++, size *= factor) {
    g.accumulation *= 1.7;
    PetscCall(GridFill(&g, A));
    PetscCall(MatScale(A, size));
    PetscCall(Solve(ksp, b, x, &its));
    PetscCall(Create(A, &anew));
    PetscCall(Solve(anew, b, y, &other));
    PetscCall(Same(x, its, y, other, CheckText("step %d", k)));
    PetscCall(KSPDestroy(&anew));
  }
  PetscCall(MatZeroEntries(A));
  PetscCall(CheckKSPSolve(ksp, b, x, NULL, &reason));
  PetscCall(CheckTrue(reason == KSP_DIVERGED_PC_FAILED, KSPConvergedReasons[reason]));
  PetscCall(GridFill(&g, A));
  PetscCall(Solve(ksp, b, x, &its));
  PetscCall(CheckTrue(its == other, "iterations after values that were zero"));
  PetscCall(CheckDestroy(&ksp, &b, &x, &y, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Case(Grid g, PetscInt bs, PetscInt wells, int far, const char options[])
{
  PetscFunctionBeginUser;
  g.bs    = bs;
  g.wells = wells;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(CheckWhere("%d unknowns, %d wells, %s", (int)bs, (int)wells, options));
  PetscCall(Powers(&g, far));
  PetscCall(Steps(g, PetscPowReal(2, far / 4)));
  if (!quick) PetscCall(Steps(g, PetscPowReal(2, -far / 4)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Grid g = {CELLS(7, 9, 12), .bs = 1, .seed = 5, .std = 1, .accumulation = 1e-2, STRENGTHS(1, 2, 6)};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-quick", &quick, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-tolerance", &tolerance, NULL));
  PetscCall(Case(g, 1, 0, 140, "-pc_gridmg_precision single -ksp_type cg"));
  PetscCall(Case(g, 1, 0, 140, "-ksp_type fusedcg -ksp_norm_type unpreconditioned"));
  if (quick) return CheckFinish("gridmg_scale");
  PetscCall(Case(g, 1, 0, 140, "-pc_gridmg_precision double -ksp_type cg -ksp_norm_type preconditioned"));
  PetscCall(Case(g, 1, 2, 140, "-pc_gridmg_precision single"));
  PetscCall(Case(g, 3, 0, 40, "-ksp_type gmres"));
  PetscCall(Case(g, 3, 1, 40, "-ksp_type fusedbcgs"));
  return CheckFinish("gridmg_scale");
}

/*TEST
  testset:
    requires: double
    output_file: output/gridmg_scale.out
    test:
      suffix: 1
    test:
      suffix: 2
      nsize: 2
      args: -pc_gridmg_divide {{0 1}}
    test:
      suffix: cuda
      requires: cuda
      args: -expect_cuda -tolerance 1e-12
    test:
      suffix: cuda_2
      requires: cuda
      nsize: 2
      args: -expect_cuda -tolerance 1e-12 -pc_gridmg_divide {{0 1}}
    test:
      suffix: cuda_peer
      requires: cuda
      nsize: 2
      args: -expect_cuda -tolerance 1e-12 -heptane_test_comm_check -heptane_comm peer -pc_gridmg_divide {{0 1}}

  testset:
    requires: double
    output_file: output/gridmg_scale_quick.out
    args: -quick
    test:
      suffix: quick
      comments: quick
      nsize: {{1 2}}
    test:
      suffix: groups
      nsize: 2
      args: -heptane_groups 2
    test:
      suffix: cuda_quick
      requires: cuda
      args: -expect_cuda -tolerance 1e-12
TEST*/
