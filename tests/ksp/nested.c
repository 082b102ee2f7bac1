static char help[] =
  "Fused solvers inside a fused solver on the same matrix, by preconditioners and monitors, which may change the matrix too, against PETSc's own.\n";

#include "common/nest.h"
#include "common/twin.h"

/* %s: the type, outside and inside */
static const char *const cases[] = {
  "-pc_type ksp -ksp_ksp_type %s -ksp_ksp_rtol 1e-2 -ksp_pc_type jacobi",
  "-pc_type ksp -ksp_ksp_type %s -ksp_ksp_rtol 1e-2 -ksp_pc_type pbjacobi",
  "-pc_type ksp -ksp_ksp_type %s -ksp_ksp_max_it 4 -ksp_pc_type ksp -ksp_ksp_ksp_type %s -ksp_ksp_ksp_rtol 1e-1 -ksp_ksp_pc_type jacobi",
  "-pc_type ksp -ksp_ksp_type %s -ksp_ksp_rtol 1e-2 -ksp_pc_type jacobi -ksp_ksp_fused_fold yes",
  "-pc_type bjacobi -sub_ksp_type %s -sub_ksp_rtol 1e-2 -sub_pc_type jacobi",
  "-pc_type mg -pc_mg_levels 1 -mg_levels_ksp_type %s -mg_levels_ksp_max_it 6 -mg_levels_pc_type jacobi",
  "-pc_type mg -pc_mg_levels 1 -mg_coarse_ksp_type %s -mg_coarse_ksp_max_it 6 -mg_coarse_ksp_norm_type preconditioned -mg_coarse_pc_type jacobi",
  "-pc_type gamg -mg_levels_ksp_type %s -mg_levels_ksp_max_it 2 -mg_levels_pc_type jacobi",
  "-pc_type composite -pc_composite_pcs jacobi,ksp -sub_1_ksp_ksp_type %s -sub_1_ksp_ksp_rtol 1e-1 -sub_1_ksp_pc_type jacobi",
};

/* Whole solves, then the first iterations; where the matrix changes in the third iteration, the first five alone, once */
static PetscErrorCode CompareNested(const System *s, const char format[], Deed deed, PetscBool shell)
{
  static Result r[2];
  static Nest   n[2]; /* type, twin */
  Twins         p = {.solve = KSPSolve};
  StepScale     scale;
  char          options[512];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(options, sizeof(options), "%s, somebody %s", format, deeds[deed]));
  PetscCall(Where(s, options));
  twin_condition = 1;
  for (int t = 0; t < 2; t++) {
    const char *type = t ? compare_twin : compare_type;

    PetscCall(PetscSNPrintf(options, sizeof(options), format, type, type, type));
    PetscCall(OptionsSwitch(options, PETSC_TRUE));
    PetscCall(NestCreate(s, type, deed, shell, &n[t]));
    if (!t) PetscCall(VecDuplicate(n[0].other.b, &p.b));
    if (!t) PetscCall(VecCopy(n[0].other.b, p.b));
    p.ksp[t] = n[t].ksp;
    PetscCall(ResultSolve(n[t].ksp, (PetscBool)t, KSPSolve, p.b, NULL, &r[t]));
    PetscCall(OptionsSwitch(options, PETSC_FALSE));
  }
  PetscCall(TwinsReference(&p, s, 1));
  if (deed <= SOLVES) {
    PetscCall(CheckWhole(&p, NULL, &r[0], &r[1], "outer solve"));
    PetscCall(CheckSteps(&p, NULL, 3, "outer solve"));
  } else {
    PetscCall(StepScaleGet(&p, NULL, &scale));
    scale.rounding *= PetscMin(twin_condition, STEP_CONDITION);
    PetscCall(CheckStep(&r[0], &r[1], NULL, &scale, "outer solve"));
  }
  for (int t = 0; t < 2; t++) {
    PetscCall(NestDestroy(&n[t]));
    PetscCall(ResultDestroy(&r[t]));
  }
  PetscCall(CheckDestroy(&p.R, &p.b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With several processes no operator is held over what others do: some cases are enough */
static PetscErrorCode Nested(void)
{
  const PetscMPIInt size = CheckProcesses();

  for (PetscInt bs = 1; bs <= (size > 1 ? 1 : 2); bs++) {
    const System s = {.kind = "grid", .cells = 400, .bs = bs, .seed = 12, .symmetric = PETSC_TRUE};

    PetscFunctionBeginUser;
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++)
      if (!TwinIs(KSPBICG) ||
          (!strstr(cases[k], "mg_levels") && !strstr(cases[k], "mg_coarse"))) /* it applies the transposed preconditioner, which a cycle has not */
        PetscCall(CompareNested(&s, cases[k], NOTHING, PETSC_FALSE));
    PetscCall(CompareNested(&s, "-other_ksp_rtol 1e-2", NOTHING, PETSC_TRUE));
    for (Deed deed = SOLVES; deed <= FORMATS; deed++) {
      PetscCall(CompareNested(&s, "-pc_type jacobi", deed, PETSC_FALSE));
      if (size > 1) continue;
      PetscCall(CompareNested(&s, "-pc_type jacobi -ksp_fused_fold yes", deed, PETSC_FALSE));
      PetscCall(CompareNested(&s, "-pc_type pbjacobi", deed, PETSC_FALSE));
      PetscCall(CompareNested(&s, "-pc_type pbjacobi -ksp_fused_fold yes", deed, PETSC_FALSE));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Rejects(void)
{
  const System s = {.kind = "grid", .cells = 60, .bs = 1, .seed = 12, .symmetric = PETSC_TRUE};

  return CompareNested(&s, "-pc_type ksp -ksp_ksp_type %s -ksp_ksp_max_it 3 -ksp_pc_type jacobi", NOTHING, PETSC_FALSE);
}

COMPARE_MAIN(Nested, Rejects, "nested", 30000)

/*TEST
  testset:
    output_file: output/nested.out
    args: -options_left 0
    test:
      suffix: 1
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: groups
      nsize: 2
      args: -mat_type {{bdiagh sellp}} -heptane_groups 2
    test:
      # rows and entries beside the format
      suffix: remainder
      comments: quick
      args: -mat_bdiagh_min_occupancy 0.99 -mat_bdiagh_max_remainder 1 -mat_sellp_long_row 5 -mat_type {{bdiagh sellp}}
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -mode auto,kernels,graph -expect_cuda
    test:
      suffix: cuda_remainder
      requires: cuda
      args: -mat_bdiagh_min_occupancy 0.99 -mat_bdiagh_max_remainder 1 -mat_sellp_long_row 5 -mat_type {{bdiagh sellp}} -mode auto -expect_cuda
TEST*/
