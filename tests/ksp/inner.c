static char help[] = "Fused solvers inside others: estimates for Chebyshev, smoothers, coarse solvers, blocks, fields, against PETSc's own in their place.\n";

#include "compare.h"

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

/* Solves with the type in the options' gap */
static PetscErrorCode SolveWith(Mat A, Vec b, const char format[], const char type[], Result *r)
{
  KSP  ksp;
  char options[512];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(options, sizeof(options), format, type));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-6, PETSC_CURRENT, PETSC_CURRENT, 300));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(ResultSolve(ksp, KSPSolve, b, NULL, r));
  PetscCall(ResultSolve(ksp, KSPSolve, b, NULL, r)); /* set up already */
  PetscCall(KSPDestroy(&ksp));
  PetscCall(CheckUsed(options));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Inner(void)
{
  static Result r[3]; /* type, twin, twin nudged */
  const System  s = {.kind = "grid", .cells = 400, .bs = 2, .seed = 12, .symmetric = PETSC_TRUE};
  Mat           A;
  Vec           b, nudged;

  PetscFunctionBeginUser;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
  PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatCreateVecs(A, &b, NULL));
  PetscCall(CheckVecFill(b, 5));
  PetscCall(VecNudge(b, 1, 7, &nudged));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++) {
    if ((cases[k].estimate && !TwinIs(KSPCG)) || (cases[k].smooth && TwinIs(KSPBICG))) continue;
    PetscCall(Where(&s, cases[k].options));
    for (int t = 0; t < 3; t++) PetscCall(SolveWith(A, t == 2 ? nudged : b, cases[k].options, t ? compare_twin : compare_type, &r[t]));
    PetscCall(CheckTrue((PetscBool)(r[1].reason > 0), "the twin converges"));
    PetscCall(CheckResult(&r[0], &r[1], &r[2], "outer solve"));
  }
  for (int t = 0; t < 3; t++) PetscCall(ResultDestroy(&r[t]));
  PetscCall(VecDestroy(&nudged));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CompareEach(Inner));
  return CompareFinish("inner");
}

/*TEST

  testset:
    output_file: output/inner.out
    test:
      suffix: 1
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh aijcusparse sellp}} -expect_cuda

TEST*/
