static char help[] = "Fused solvers inside others: estimates for Chebyshev, smoothers, coarse solvers, blocks, fields, against PETSc's own in their place.\n";

#include "common/compare.h"

/* %s: the type; the outer solver sees the inner one through its preconditioner alone */
static const struct {
  const char *options;
  PetscBool   estimate, smooth; /* estimates eigenvalues, which only cg does; smooths, without norms, where PETSc's bicg leaves the preconditioner out */
} cases[] = {
  {"-ksp_type gmres -pc_type gamg -mg_levels_ksp_type chebyshev -pc_gamg_esteig_ksp_type %s",                                                          PETSC_TRUE,  PETSC_FALSE},
  {"-ksp_type gmres -pc_type gamg -mg_levels_ksp_type chebyshev -pc_gamg_use_sa_esteig 0 -mg_levels_esteig_ksp_type %s",                               PETSC_TRUE,  PETSC_FALSE},
  {"-ksp_type chebyshev -pc_type jacobi -esteig_ksp_type %s -ksp_chebyshev_esteig_steps 15 -ksp_rtol 1e-3",                                            PETSC_TRUE,  PETSC_FALSE},
  {"-ksp_type fgmres -pc_type gamg -mg_levels_ksp_type %s -mg_levels_ksp_max_it 2 -mg_levels_pc_type jacobi",                                          PETSC_FALSE, PETSC_TRUE },
  {"-ksp_type fgmres -pc_type gamg -mg_levels_ksp_type %s -mg_levels_ksp_max_it 3 -mg_levels_pc_type sor",                                             PETSC_FALSE, PETSC_TRUE },
  {"-ksp_type fgmres -pc_type gamg -mg_coarse_ksp_type %s -mg_coarse_ksp_max_it 30 -mg_coarse_ksp_norm_type preconditioned -mg_coarse_pc_type jacobi",
   PETSC_FALSE,                                                                                                                                                     PETSC_FALSE},
  {"-ksp_type fgmres -pc_type mg -pc_mg_levels 1 -mg_levels_ksp_type %s -mg_levels_ksp_max_it 4 -mg_levels_pc_type pbjacobi",                          PETSC_FALSE, PETSC_TRUE },
  {"-ksp_type fgmres -pc_type ksp -ksp_ksp_type %s -ksp_ksp_max_it 5 -ksp_pc_type jacobi",                                                             PETSC_FALSE, PETSC_FALSE},
  {"-ksp_type richardson -pc_type ksp -ksp_ksp_type %s -ksp_ksp_rtol 1e-2 -ksp_pc_type pbjacobi",                                                      PETSC_FALSE, PETSC_FALSE},
  {"-ksp_type fgmres -pc_type bjacobi -sub_ksp_type %s -sub_ksp_rtol 1e-3 -sub_pc_type jacobi",                                                        PETSC_FALSE, PETSC_FALSE},
  {"-ksp_type fgmres -pc_type asm -sub_ksp_type %s -sub_ksp_max_it 4 -sub_pc_type none",                                                               PETSC_FALSE, PETSC_FALSE},
  {"-ksp_type fgmres -pc_type redundant -redundant_ksp_type %s -redundant_ksp_rtol 1e-3 -redundant_pc_type jacobi",                                    PETSC_FALSE, PETSC_FALSE},
  {"-ksp_type fgmres -pc_type fieldsplit -pc_fieldsplit_block_size 2 -fieldsplit_ksp_type %s -fieldsplit_ksp_max_it 4 -fieldsplit_pc_type jacobi",     PETSC_FALSE,
   PETSC_FALSE                                                                                                                                                                 },
  {"-ksp_type fgmres -pc_type composite -pc_composite_pcs jacobi,ksp -sub_1_ksp_ksp_type %s -sub_1_ksp_ksp_max_it 3 -sub_1_ksp_pc_type jacobi",        PETSC_FALSE,
   PETSC_FALSE                                                                                                                                                                 },
};

/* Every option was asked for: an inner solver was where its prefix says */
static PetscErrorCode CheckUsed(const char options[])
{
  PetscOptions own;
  PetscInt     n;
  char       **names, **values;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsCreate(&own));
  PetscCall(PetscOptionsInsertString(own, options));
  PetscCall(PetscOptionsLeftGet(own, &n, &names, &values));
  for (PetscInt k = 0; k < n; k++) {
    char      name[128];
    PetscBool used;

    PetscCall(PetscSNPrintf(name, sizeof(name), "-%s", names[k]));
    PetscCall(PetscOptionsUsed(NULL, names[k], &used));
    PetscCall(CheckTrue(used, name));
  }
  PetscCall(PetscOptionsLeftRestore(own, &n, &names, &values));
  PetscCall(PetscOptionsDestroy(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The outer solver of p, with the type or the twin in the options' gap; it has solved */
static PetscErrorCode Prepare(Mat A, const char format[], int twin, Twins *p, Result *r)
{
  char options[512];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(options, sizeof(options), format, twin ? compare_twin : compare_type));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &p->ksp[twin]));
  PetscCall(KSPSetOperators(p->ksp[twin], A, A));
  PetscCall(KSPSetTolerances(p->ksp[twin], PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-6, PETSC_CURRENT, PETSC_CURRENT, 300));
  PetscCall(KSPSetFromOptions(p->ksp[twin]));
  PetscCall(ResultSolve(p->ksp[twin], (PetscBool)twin, KSPSolve, p->b, NULL, r));
  PetscCall(CheckUsed(options));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The inner solvers begin from the same state in the first and second outer iteration */
static PetscErrorCode CompareInner(const System *s, const char format[])
{
  static Result r[2];
  Twins         p = {.solve = KSPSolve};
  Mat           A;

  PetscFunctionBeginUser;
  PetscCall(Where(s, format));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, s, &A));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(CheckVecs(A, &p.b, 5, NULL, 0));
  for (int k = 0; k < 2; k++) PetscCall(Prepare(A, format, k, &p, &r[k]));
  PetscCall(TwinsReference(&p, s, 1));
  PetscCall(CheckTrue(r[1].reason > 0, "the twin converges"));
  PetscCall(CheckWhole(&p, NULL, &r[0], &r[1], "outer solve"));
  PetscCall(CheckSteps(&p, NULL, 2, "outer solve"));
  for (int k = 0; k < 2; k++) {
    PetscCall(ResultSolve(p.ksp[k], (PetscBool)(k == 1), KSPSolve, p.b, NULL, &r[k])); /* set up already */
    PetscCall(KSPDestroy(&p.ksp[k]));
  }
  if (r[1].reason > 0) PetscCall(CheckTrue(r[0].reason == r[1].reason, "outer solve again"));
  for (int k = 0; k < 2; k++) PetscCall(ResultDestroy(&r[k]));
  PetscCall(CheckDestroy(&p.R, &p.b, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const System system_ = {.kind = "grid", .cells = 400, .bs = 2, .seed = 12, .symmetric = PETSC_TRUE};

static PetscErrorCode Inner(void)
{
  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++)
    if (!(cases[k].estimate && !TwinIs(KSPCG)) && !(cases[k].smooth && TwinIs(KSPBICG))) PetscCall(CompareInner(&system_, cases[k].options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Rejects(void)
{
  return CompareInner(&system_, "-ksp_type fgmres -pc_type ksp -ksp_ksp_type %s -ksp_ksp_max_it 2 -ksp_pc_type jacobi");
}

COMPARE_MAIN(Inner, Rejects, "inner", 60000)

/*TEST
  testset:
    output_file: output/inner.out
    test:
      suffix: 1
      comments: quick
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: groups
      nsize: 2
      args: -mat_type sellp -heptane_groups 2
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh aijcusparse sellp}} -expect_cuda
TEST*/
