static char help[] =
  "KSPFUSEDCG with PCGRIDMG, with and without red columns, against PETSc's cg: iterations, true residuals, norms; changed values, guesses, what ends with a reason.\n";

#include "common/gridcg.h"
#include "common/view.h"

static const KSPNormType norms[] = {KSP_NORM_UNPRECONDITIONED, KSP_NORM_PRECONDITIONED, KSP_NORM_NATURAL};

static PetscErrorCode NewSolver(Mat A, const char type[], PetscBool reduced, KSPNormType norm, KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(GridOption("-pc_gridmg_reduced", "%d", reduced, 0, 0));
  PetscCall(CgCreate(A, type, norm, ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ours: a run of fusedcg; cg: PETSc's */
static PetscErrorCode CompareReduced(const Outcome *ours, const Outcome *cg, KSPNormType norm)
{
  PetscFunctionBeginUser;
  PetscCall(CgCompare(ours, cg, 100));
  const char *const text = CheckText("norm %g, true residual %g", (double)ours->rnorm, (double)ours->norm);
  if (norm == KSP_NORM_UNPRECONDITIONED) PetscCall(CheckTrue(PetscAbsReal(ours->rnorm - ours->norm) <= 2e-2 * ours->norm + 1e-10 * ours->first, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last solve has left red columns out, or not, by what -ksp_view says: on the device as on the host */
static PetscErrorCode CheckReduced(KSP ksp, PetscBool expected)
{
  Plan plan;

  PetscFunctionBeginUser;
  PetscCall(Look(ksp, &plan));
  PetscCall(CheckTrue((strstr(plan.text, "reduced CG: ") != NULL) == expected, expected ? "red columns are left out" : "no columns are left out"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One grid, with the options as they are: all norms, both starts, twice with one solver, which is reset between */
static PetscErrorCode Case(const Grid *g, const char options[])
{
  const PetscBool line = (PetscBool)(g->n[0] * g->n[1] == 1 || g->n[0] * g->n[2] == 1 || g->n[1] * g->n[2] == 1);
  const PetscBool may  = (PetscBool)(!line && !g->wells && !strstr(options, "-pc_gridmg_smooths 2") && !strstr(options, "-ksp_monitor_true_residual"));
  Mat             A;
  Outcome         cg, ours;
  KSP             ksp;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(GridOption("-mat_bdiagh_block_size", "1", 0, 0, 0));
  PetscCall(GridCreate(PETSC_COMM_SELF, g, &A));
  for (int k = 0; k < 3; k++)
    for (int guess = 0; guess < 2; guess++) {
      PetscCall(NewSolver(A, KSPCG, PETSC_FALSE, norms[k], &ksp));
      PetscCall(CgRun(ksp, A, (PetscBool)guess, &cg, NULL));
      PetscCall(KSPDestroy(&ksp));
      for (int reduced = 0; reduced < 2; reduced++) {
        PetscCall(CheckWhere("%d x %d x %d, %d %% inactive, %d wells, %s, %s%s%s", (int)g->n[0], (int)g->n[1], (int)g->n[2], (int)(100 * g->inactive),
                             (int)g->wells, options, KSPNormTypes[norms[k]], guess ? ", guess" : "", reduced ? ", reduced" : ""));
        PetscCall(NewSolver(A, "fusedcg", (PetscBool)reduced, norms[k], &ksp));
        PetscCall(CgRun(ksp, A, (PetscBool)guess, &ours, NULL));
        PetscCall(CompareReduced(&ours, &cg, norms[k]));
        PetscCall(CheckReduced(ksp, (PetscBool)(reduced && may)));
        if (k == 0) PetscCall(KSPReset(ksp));
        if (k == 0) PetscCall(KSPSetOperators(ksp, A, A));
        PetscCall(CgRun(ksp, A, (PetscBool)guess, &ours, NULL));
        PetscCall(CompareReduced(&ours, &cg, norms[k]));
        PetscCall(KSPDestroy(&ksp));
      }
    }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Cases(void)
{
  Grid g = {CELLS(9, 10, 11), .bs = 1, .seed = 5, .std = 2, .accumulation = 1e-4, STRENGTHS(1, 4, 10)};
  Grid h;

  PetscFunctionBeginUser;
  PetscCall(Case(&g, "-pc_gridmg_cycle v -pc_gridmg_precision single -ksp_fused_check_interval 0"));
  PetscCall(Case(&g, "-pc_gridmg_cycle w -ksp_fused_check_interval 3"));
  PetscCall(Case(&g, "-pc_gridmg_cycle f -ksp_fused_check_interval 1"));
  PetscCall(Case(&g, "-pc_gridmg_cycle v -pc_gridmg_precision double -ksp_fused_check_interval 0"));
  PetscCall(Case(&g, "-pc_gridmg_precision single -pc_gridmg_smooths 2"));
  PetscCall(Case(&g, "-pc_gridmg_smooths 1 -pc_gridmg_levels 2"));
  PetscCall(Case(&g, "-pc_gridmg_levels 0 -ksp_monitor_true_residual ascii:/dev/null"));
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_monitor_true_residual"));
  for (int along = 0; along < 3; along++) { /* grids that are thin, and lines: one of them is solved exactly */
    h          = g;
    h.n[along] = 1;
    PetscCall(Case(&h, ""));
    for (int k = 0; k < 3; k++) h.n[k] = k == along ? 21 : 1;
    PetscCall(Case(&h, ""));
  }
  h      = g;
  h.n[0] = 17;
  h.n[2] = 140; /* more than a panel */
  PetscCall(Case(&h, ""));
  h          = g;
  h.inactive = 0.2;
  PetscCall(Case(&h, ""));
  h       = g;
  h.wells = 2;
  PetscCall(Case(&h, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* New values in one solver; a value that is no number, a row of zeros, and good ones again */
static PetscErrorCode Values(void)
{
  const PetscReal none = 0;
  Grid            g    = {CELLS(8, 7, 9), .bs = 1, .seed = 5, .std = 2, .accumulation = 1e-3, STRENGTHS(1, 2, 6)};
  PetscInt        cols[GRID_MAX], row = 37, n;
  PetscScalar     vals[GRID_MAX];
  Outcome         cg, ours;
  KSP             ksp[2];
  Mat             A;

  PetscFunctionBeginUser;
  PetscCall(GridCreate(PETSC_COMM_SELF, &g, &A));
  PetscCall(NewSolver(A, "fusedcg", PETSC_TRUE, norms[0], &ksp[0]));
  for (int k = 0; k < 5; k++) {
    PetscCall(CheckWhere("values number %d", k));
    g.seed += 3;
    PetscCall(MatSetErrorIfFailure(A, PETSC_FALSE));
    PetscCall(GridFill(&g, A));
    if (k == 2 || k == 3) {
      n = GridRow(&g, row, cols, vals);
      for (PetscInt q = 0; q < n; q++) vals[q] = k == 2 && q == 2 ? none / none : 0;
      PetscCall(MatSetValues(A, 1, &row, n, cols, vals, INSERT_VALUES));
      PetscCall(CheckAssemble(A));
    }
    PetscCall(CgRun(ksp[0], A, PETSC_FALSE, &ours, NULL));
    PetscCall(NewSolver(A, KSPCG, PETSC_FALSE, norms[0], &ksp[1]));
    PetscCall(CgRun(ksp[1], A, PETSC_FALSE, &cg, NULL));
    if (cg.reason > 0) PetscCall(CompareReduced(&ours, &cg, norms[0]));
    else PetscCall(CheckTrue(ours.reason == cg.reason, KSPConvergedReasons[ours.reason]));
    PetscCall(KSPDestroy(&ksp[1]));
  }
  PetscCall(CheckDestroy(&ksp[0], &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(Cases());
  PetscCall(Values());
  return CheckFinish("gridmg_reduced");
}

/*TEST
  testset:
    output_file: output/gridmg_reduced.out
    requires: double
    test:
      suffix: 1
      comments: quick
    test:
      suffix: cuda
      requires: cuda
      args: -expect_cuda
TEST*/
