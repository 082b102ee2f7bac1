static char help[] =
  "KSPFUSEDCG with PCGRIDMG where rows of some cells are those of fixed values, which others are coupled to, against PETSc's cg with these couplings eliminated.\n";

#include "common/gridcg.h"

static const KSPNormType norms[] = {KSP_NORM_UNPRECONDITIONED, KSP_NORM_PRECONDITIONED, KSP_NORM_NATURAL};
static PetscBool         brief   = PETSC_FALSE; /* -brief: few launches, for tools that make each of them slow */

/* The cells that are fixed: a face across the first axis that has some cells, or others here and there */
static PetscErrorCode Fixed(const Grid *g, PetscBool face, IS *is)
{
  const PetscInt n = GridCells(g);
  PetscInt      *cells, count = 0, at[3];
  PetscRandom    random;
  PetscReal      v;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n, &cells));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetSeed(random, (unsigned long)(g->seed + 11)));
  PetscCall(PetscRandomSeed(random));
  for (PetscInt i = 0; i < n; i++) {
    const int axis = g->n[0] > 1 ? 0 : g->n[1] > 1 ? 1 : 2;

    GridPosition(g, i, at);
    PetscCall(PetscRandomGetValueReal(random, &v));
    if (face ? at[axis] == 0 || at[axis] == g->n[axis] - 1 : v < 0.2) cells[count++] = i;
  }
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, count, cells, PETSC_OWN_POINTER, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's cg for the symmetric system: fixed cells have their values already */
static PetscErrorCode Twin(Mat A, IS fixed, PetscScalar diagonal, Vec b, Vec x, KSPNormType norm, PetscInt *its)
{
  KSP ksp;
  Mat S;
  Vec values, right;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &S));
  PetscCall(VecDuplicate(b, &values));
  PetscCall(VecDuplicate(b, &right));
  PetscCall(VecCopy(b, right));
  PetscCall(VecCopy(b, values));
  PetscCall(VecScale(values, 1 / diagonal));
  PetscCall(MatZeroRowsColumnsIS(S, fixed, diagonal, values, right));
  PetscCall(GridOption("-pc_gridmg_reduced", "%d", 0, 0, 0));
  PetscCall(CgCreate(S, KSPCG, norm, &ksp));
  PetscCall(VecCopy(values, x));
  PetscCall(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
  PetscCall(CheckKSPSolve(ksp, right, x, its, NULL));
  PetscCall(CheckDestroy(&ksp, &values, &right, &S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One solve of ours: x as the twin has it, the true residual as the norm says, and not many more iterations */
static PetscErrorCode Solve(KSP ksp, Mat A, Vec b, Vec twin, PetscInt twin_its, PetscBool guess, KSPNormType norm)
{
  KSPConvergedReason reason;
  PetscReal          first, left, far, size, last;
  PetscInt           its;
  Vec                x;

  PetscFunctionBeginUser;
  PetscCall(CheckVecLike(b, 5, &x));
  if (!guess) PetscCall(VecSet(x, 0));
  PetscCall(KSPSetInitialGuessNonzero(ksp, guess));
  PetscCall(VecNorm(b, NORM_2, &first));
  PetscCall(CheckKSPSolve(ksp, b, x, &its, &reason));
  PetscCall(KSPGetResidualNorm(ksp, &last));
  PetscCall(ResidualNorm(A, x, b, &left));
  PetscCall(VecAXPY(x, -1, twin));
  PetscCall(VecNorm(x, NORM_INFINITY, &far));
  PetscCall(VecNorm(twin, NORM_INFINITY, &size));
  PetscCall(CheckTrue(reason == KSP_CONVERGED_RTOL && its <= twin_its + 2,
                      CheckText("%s, %d iterations, cg %d", KSPConvergedReasons[reason], (int)its, (int)twin_its)));
  const char *const text =
    CheckText("true residual %g of %g, norm %g, x differs by %g of %g", (double)left, (double)first, (double)last, (double)far, (double)size);
  PetscCall(CheckTrue(left <= (norm == KSP_NORM_UNPRECONDITIONED ? 1.02e-8 : 1e-6) * first && far <= 1e-5 * size, text));
  if (norm == KSP_NORM_UNPRECONDITIONED) PetscCall(CheckTrue(PetscAbsReal(last - left) <= 2e-2 * left + 1e-10 * first, text));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One grid: all norms, both guesses; then other values and other cells in the same solver */
static PetscErrorCode Case(Grid g, const char options[])
{
  const PetscScalar diagonal[] = {1, 40, 0.3};
  PetscInt          its;
  Mat               A;
  Vec               b, twin;
  IS                fixed;
  KSP               ksp;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(GridOption("-mat_bdiagh_block_size", "1", 0, 0, 0));
  for (int k = 0; k < (brief ? 1 : 3); k++) {
    PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
    PetscCall(CheckVecs(A, &twin, 0, &b, 3));
    ksp = NULL;
    for (int turn = 0; turn < (brief ? 2 : 3); turn++) {
      PetscCall(CheckWhere("%d x %d x %d, %s, %s, turn %d", (int)g.n[0], (int)g.n[1], (int)g.n[2], options, KSPNormTypes[norms[k]], turn));
      g.seed += turn;
      PetscCall(GridFill(&g, A));
      PetscCall(Fixed(&g, (PetscBool)(turn != 1), &fixed));
      PetscCall(MatZeroRowsIS(A, fixed, diagonal[turn], NULL, NULL));
      PetscCall(Twin(A, fixed, diagonal[turn], b, twin, norms[k], &its));
      PetscCall(GridOption("-pc_gridmg_reduced", "%d", 1, 0, 0));
      if (!ksp) PetscCall(CgCreate(A, "fusedcg", norms[k], &ksp));
      for (int guess = 0; guess < (brief ? 1 : 2); guess++) PetscCall(Solve(ksp, A, b, twin, its, (PetscBool)guess, norms[k]));
      PetscCall(ISDestroy(&fixed));
    }
    PetscCall(CheckDestroy(&ksp, &b, &twin, &A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's bcgs with right preconditioning: the values of fixed cells are no part of the next solution, which has none */
static PetscErrorCode Forgotten(Grid g)
{
  PetscReal norm, of_b;
  KSP       ksp;
  IS        fixed;
  Mat       A;
  Vec       b, x, r;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("bcgs with fixed cells, then without"));
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(CheckVecs(A, &x, 5, &b, 3));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecNorm(b, NORM_2, &of_b));
  PetscCall(Fixed(&g, PETSC_FALSE, &fixed));
  PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(CgCreate(A, KSPBCGS, KSP_NORM_UNPRECONDITIONED, &ksp));
  PetscCall(KSPSetPCSide(ksp, PC_RIGHT));
  for (int k = 0; k < 3; k++) {
    PetscCall(GridFill(&g, A));
    if (k == 1) PetscCall(MatZeroRowsIS(A, fixed, 3, NULL, NULL));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(MatMult(A, x, r));
    PetscCall(VecAYPX(r, -1, b));
    PetscCall(VecNorm(r, NORM_2, &norm));
    PetscCall(CheckTrue(norm < 1e-3 * of_b, CheckText("the residual, %g", (double)norm)));
  }
  PetscCall(CheckDestroy(&ksp, &fixed, &r, &x, &b, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid g = {CELLS(9, 10, 11), .bs = 1, .seed = 5, .std = 1, .accumulation = 1e-3, STRENGTHS(1, 2, 6)}, h;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-brief", &brief, NULL));
  PetscCall(Case(g, "-pc_gridmg_precision single"));
  if (brief) return CheckFinish("gridmg_fixed");
  PetscCall(Case(g, "-pc_gridmg_precision double"));
  PetscCall(Case(g, "-pc_gridmg_precision single -pc_gridmg_line_axis x"));
  for (int along = 0; along < 3; along++) {
    h          = g;
    h.n[along] = 1;
    PetscCall(Case(h, "-pc_gridmg_line_axis auto"));
  }
  h      = g;
  h.n[0] = 17;
  h.n[2] = 140; /* more than a panel */
  PetscCall(Case(h, ""));
  h          = g;
  h.inactive = 0.2;
  PetscCall(Case(h, ""));
  PetscCall(Forgotten(g));
  return CheckFinish("gridmg_fixed");
}

/*TEST
  testset:
    output_file: output/gridmg_fixed.out
    requires: double
    test:
      suffix: 1
      comments: quick
    test:
      suffix: cuda
      requires: cuda
      args: -expect_cuda

  testset:
    output_file: output/gridmg_fixed_small.out
    requires: double
    args: -brief
    test:
      suffix: small
    test:
      suffix: cuda_small
      requires: cuda
      args: -expect_cuda
TEST*/
