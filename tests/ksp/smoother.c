static char help[] =
  "Fused Chebyshev iteration as the smoother of PETSc's multigrid, geometric and algebraic, against PETSc's own: counts and histories of the solves around it.\n";

#include "common/program.h"
#include "../../src/sys/petsc_compat.hpp"
#include <petscdmda.h>

/* Relative to the first norm: the smoothers differ by rounding; a wrong step or a wrong row differs by 1e-8 and more */
#define HISTORY_ROUNDING (PetscDefined(USE_REAL_SINGLE) ? 2e-4 : 1e-10)

/* Smoothers with a copy of the matrix in single precision: what is applied differs by rounding to it */
#define SINGLE_HISTORY 1e-6

static PetscErrorCode HistoryRounding(PetscReal *rounding)
{
  PetscBool single;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mg_levels_ksp_fused_precision", &single));
  *rounding = single ? SINGLE_HISTORY : HISTORY_ROUNDING;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -type chebyshev -heptane_override_ksp: fused too, and the twin by its mode; GAMG gives its own estimates of eigenvalues to smoothers of this name */
static PetscBool Overridden(void)
{
  return TwinIs(compare_type);
}

/* %s: the type of the smoothers */
static const char *const cases[] = {
  "-ksp_type cg -pc_type gamg -pc_gamg_coarse_eq_limit 20 -mg_levels_ksp_type %s", /* if overridden */
  "-ksp_type cg -pc_type gamg -pc_gamg_use_sa_esteig 0 -pc_gamg_coarse_eq_limit 20 -mg_levels_ksp_type %s",
  "-ksp_type richardson -pc_type gamg -pc_gamg_use_sa_esteig 0 -pc_gamg_coarse_eq_limit 20 -mg_levels_ksp_type %s -mg_levels_ksp_max_it 3 -mg_levels_pc_type pbjacobi",
  "-ksp_type cg -pc_type mg -pc_mg_levels 2 -pc_mg_galerkin both -mg_levels_ksp_type %s -mg_levels_pc_type jacobi",
  "-ksp_type cg -pc_type mg -pc_mg_levels 2 -pc_mg_galerkin both -mg_levels_ksp_type %s -mg_levels_ksp_max_it 4 -mg_levels_pc_type none -pc_mg_type full",
  "-ksp_type fgmres -pc_type mg -pc_mg_levels 2 -pc_mg_galerkin both -mg_levels_ksp_type %s -mg_levels_ksp_max_it 3 -mg_levels_pc_type sor "
  "-mg_levels_ksp_chebyshev_kind fourth",
};

/* A seven-point Laplacian with couplings between the unknowns of a point, on the points of a DMDA */
static PetscErrorCode Fill(DM da, PetscInt bs, Mat A)
{
  DMDALocalInfo info;
  PetscScalar   block[9], neighbour[9];

  PetscFunctionBeginUser;
  PetscCall(DMDAGetLocalInfo(da, &info));
  for (PetscInt k = 0; k < bs * bs; k++) {
    const PetscBool diagonal = (PetscBool)(k % (bs + 1) == 0);

    block[k]     = diagonal ? 6.5 + 0.5 * (PetscReal)(k % bs) : 0.125;
    neighbour[k] = diagonal ? -1 : 0;
  }
  for (PetscInt k = info.zs; k < info.zs + info.zm; k++)
    for (PetscInt j = info.ys; j < info.ys + info.ym; j++)
      for (PetscInt i = info.xs; i < info.xs + info.xm; i++)
        for (int side = -1; side < 6; side++) {
          MatStencil row = {k, j, i, 0}, col = row;
          const int  way = side % 2 ? 1 : -1;

          if (side >= 0 && side < 2) col.i += way;
          if (side >= 2 && side < 4) col.j += way;
          if (side >= 4) col.k += way;
          if (col.i < 0 || col.j < 0 || col.k < 0 || col.i >= info.mx || col.j >= info.my || col.k >= info.mz) continue;
          PetscCall(MatSetValuesBlockedStencil(A, 1, &row, 1, &col, side < 0 ? block : neighbour, INSERT_VALUES));
        }
  PetscCall(CheckAssemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solve, a second one, and one with other values, whose smoothers estimate eigenvalues again */
static PetscErrorCode Solves(DM da, PetscInt bs, const char format[], PetscBool twin, Result r[3])
{
  char options[512];
  KSP  ksp;
  Mat  A;
  Vec  b;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(options, sizeof(options), format, twin ? compare_twin : compare_type));
  if (twin && Overridden()) PetscCall(PetscStrlcat(options, " -mg_levels_ksp_fused_mode twin", sizeof(options)));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(DMCreateMatrix(da, &A));
  PetscCall(Fill(da, bs, A));
  PetscCall(CheckVecs(A, &b, 5, NULL, 0));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetDM(ksp, da));
  PetscCall(KSPSetDMActive(ksp, HEPTANE_SINCE_3_25(KSP_DMACTIVE_ALL, ) PETSC_FALSE));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-6, PETSC_CURRENT, PETSC_CURRENT, 60));
  PetscCall(KSPSetFromOptions(ksp));
  for (int k = 0; k < 3; k++) {
    if (k == 2) PetscCall(MatShift(A, 0.5));
    PetscCall(ResultSolve(ksp, twin, KSPSolve, b, NULL, &r[k]));
  }
  PetscCall(CheckDestroy(&ksp, &b, &A));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareOptions(DM da, PetscInt bs, const char format[])
{
  static Result r[2][3];
  PetscReal     rounding = 0;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%s, %" PetscInt_FMT " unknowns: %s", compare_type, bs, format));
  PetscCall(HistoryRounding(&rounding));
  for (int t = 0; t < 2; t++) PetscCall(Solves(da, bs, format, (PetscBool)t, r[t]));
  for (int k = 0; k < 3; k++) {
    const Result *f = &r[0][k], *t = &r[1][k];
    PetscReal     most = 0;
    PetscCall(CheckTrue(f->reason == t->reason && f->its == t->its && f->n == t->n && t->reason > 0,
                        CheckText("%s after %" PetscInt_FMT ", the twin %s after %" PetscInt_FMT, KSPConvergedReasons[f->reason], f->its,
                                  KSPConvergedReasons[t->reason], t->its)));
    for (PetscInt i = 0; i < PetscMin(f->n, t->n); i++) most = PetscMax(most, PetscAbsReal(f->history[i] - t->history[i]));
    PetscCall(
      CheckTrue(most <= rounding * t->history[0], CheckText("history %.2g from the twin's, which begins with %.2g", (double)most, (double)t->history[0])));
    result_values += t->n;
  }
  for (int t = 0; t < 2; t++)
    for (int k = 0; k < 3; k++) PetscCall(ResultDestroy(&r[t][k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* So many of the cases */
static PetscErrorCode CompareCases(PetscInt bs, size_t first, size_t n)
{
  DM da;

  PetscFunctionBeginUser;
  PetscCall(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 9, 9, 9, PETSC_DECIDE, PETSC_DECIDE,
                         PETSC_DECIDE, bs, 1, NULL, NULL, NULL, &da));
  PetscCall(DMSetMatType(da, "bdiagh"));
  PetscCall(DMSetFromOptions(da));
  PetscCall(DMSetUp(da));
  for (size_t k = first; k < n; k++) PetscCall(CompareOptions(da, bs, cases[k]));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Smoothers(void)
{
  PetscFunctionBeginUser;
  for (PetscInt bs = 1; bs <= 3; bs += 2) PetscCall(CompareCases(bs, Overridden() ? 0 : 1, PETSC_STATIC_ARRAY_LENGTH(cases)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareOne(void)
{
  return CompareCases(1, 1, 2);
}

COMPARE_MAIN(Smoothers, CompareOne, "smoother", 100)

/*TEST
  testset:
    output_file: output/smoother.out
    test:
      suffix: 1
      nsize: {{1 2}}
      args: -type fusedchebyshev -dm_mat_type {{bdiagh aij}}
    test:
      suffix: mixed
      comments: quick
      requires: double
      args: -type fusedchebyshev -dm_mat_type {{bdiagh sellp}} -mg_levels_ksp_fused_precision mixed -rejects 0
    test:
      suffix: mixed_cuda
      requires: cuda double
      args: -type fusedchebyshev -dm_mat_type {{bdiagh sellp}} -mg_levels_ksp_fused_precision mixed -rejects 0
    test:
      suffix: sellp
      args: -type fusedchebyshev -dm_mat_type sellp
    # all smoothers of the twin's name are fused, so that GAMG gives them its estimates
    test:
      suffix: override
      args: -type chebyshev -heptane_override_ksp
    test:
      suffix: cuda
      requires: cuda
      args: -type fusedchebyshev -dm_mat_type {{bdiagh sellp}}
    # PETSc's CUDA type computes nothing for vectors in host memory, as those of a DM are
    test:
      suffix: vectors_cuda
      requires: cuda
      args: -type fusedchebyshev -dm_mat_type {{bdiagh aijcusparse}} -dm_vec_type cuda
TEST*/
