static char help[] =
  "Fused solvers inside a fused solver on the same matrix, by preconditioners and monitors, which may change the matrix too, against PETSc's own.\n";

#include "compare.h"

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

/* What somebody else does with the matrix while the solver is at work */
typedef enum {
  NOTHING,
  SOLVES,  /* with the same matrix */
  SCALES,  /* gives it other values */
  SETS,    /* the same by MatSetValues() */
  FORMATS, /* gives the format other settings */
} Deed;

static const char *const deeds[] = {"nothing", "solves", "scales", "sets", "formats"};

typedef struct {
  Deed deed;
  KSP  inner;
  Vec  b, x;
} Other;

static PetscErrorCode DoDeed(Mat A, Other *o, PetscInt it)
{
  const PetscScalar more = 2;
  PetscInt          lo, hi;

  PetscFunctionBeginUser;
  if (o->deed == SOLVES) PetscCall(KSPSolve(o->inner, o->b, o->x));
  if (it != 2) PetscFunctionReturn(PETSC_SUCCESS);
  if (o->deed == SCALES) PetscCall(MatScale(A, 0.75));
  if (o->deed == SETS) {
    PetscCall(MatGetOwnershipRange(A, &lo, &hi));
    for (PetscInt i = lo; i < hi; i++) PetscCall(MatSetValues(A, 1, &i, 1, &i, &more, ADD_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  }
  if (o->deed == FORMATS) {
    PetscCall(OptionsSwitch("-mat_sellp_block_size 1 -mat_sellp_slice 64 -mat_bdiagh_block_size 1", PETSC_TRUE));
    PetscCall(MatSetFromOptions(A));
    PetscCall(OptionsSwitch("-mat_sellp_block_size 1 -mat_sellp_slice 64 -mat_bdiagh_block_size 1", PETSC_FALSE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Monitor(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  Mat A;

  PetscFunctionBeginUser;
  (void)norm;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(DoDeed(A, (Other *)ctx, it));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ShellApply(PC pc, Vec x, Vec y)
{
  Other *o;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &o));
  PetscCall(KSPSolve(o->inner, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ShellApplyTranspose(PC pc, Vec x, Vec y)
{
  Other *o;

  PetscFunctionBeginUser;
  PetscCall(PCShellGetContext(pc, &o));
  PetscCall(KSPSolveTranspose(o->inner, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A solver outside, with the matrix and whatever else it works with, of the type or the twin */
typedef struct {
  Mat   A;
  KSP   ksp;
  Other other;
} Nest;

static PetscErrorCode InnerCreate(const char type[], Nest *n)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(n->A, &n->other.b, &n->other.x));
  PetscCall(CheckVecFill(n->other.b, 5));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &n->other.inner));
  PetscCall(KSPSetOptionsPrefix(n->other.inner, "other_"));
  PetscCall(KSPSetOperators(n->other.inner, n->A, n->A));
  PetscCall(KSPSetType(n->other.inner, type));
  PetscCall(KSPSetTolerances(n->other.inner, 1e-1, PETSC_CURRENT, PETSC_CURRENT, 8));
  PetscCall(KSPGetPC(n->other.inner, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetFromOptions(n->other.inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* shell: its preconditioner is the inner solver */
static PetscErrorCode NestCreate(const System *s, const char type[], Deed deed, PetscBool shell, Nest *n)
{
  PC pc;

  PetscFunctionBeginUser;
  n->other.deed = deed;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, s, &n->A));
  if (TwinIs(KSPCG)) PetscCall(MatSetOption(n->A, MAT_SPD, PETSC_TRUE));
  PetscCall(InnerCreate(type, n));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &n->ksp));
  PetscCall(KSPSetOperators(n->ksp, n->A, n->A));
  PetscCall(KSPSetType(n->ksp, type));
  PetscCall(KSPSetTolerances(n->ksp, PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-6, PETSC_CURRENT, PETSC_CURRENT, deed > SOLVES ? 5 : 60));
  if (shell) {
    PetscCall(KSPGetPC(n->ksp, &pc));
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetContext(pc, &n->other));
    PetscCall(PCShellSetApply(pc, ShellApply));
    PetscCall(PCShellSetApplyTranspose(pc, ShellApplyTranspose));
  }
  if (deed) PetscCall(KSPMonitorSet(n->ksp, Monitor, &n->other, NULL));
  PetscCall(KSPSetFromOptions(n->ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NestDestroy(Nest *n)
{
  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(&n->ksp));
  PetscCall(KSPDestroy(&n->other.inner));
  PetscCall(VecDestroy(&n->other.b));
  PetscCall(VecDestroy(&n->other.x));
  PetscCall(MatDestroy(&n->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whole solves, then the first iterations; where the matrix changes in the third iteration, the first five alone, once */
static PetscErrorCode Compare(const System *s, const char format[], Deed deed, PetscBool shell)
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
  PetscCall(MatDestroy(&p.R));
  PetscCall(VecDestroy(&p.b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With several processes no operator is held over what others do: some cases are enough */
static PetscErrorCode Nested(void)
{
  PetscMPIInt size;

  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt bs = 1; bs <= (size > 1 ? 1 : 2); bs++) {
    const System s = {.kind = "grid", .cells = 400, .bs = bs, .seed = 12, .symmetric = PETSC_TRUE};

    PetscFunctionBeginUser;
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++)
      if (!TwinIs(KSPBICG) ||
          (!strstr(cases[k], "mg_levels") && !strstr(cases[k], "mg_coarse"))) /* it applies the transposed preconditioner, which a cycle has not */
        PetscCall(Compare(&s, cases[k], NOTHING, PETSC_FALSE));
    PetscCall(Compare(&s, "-other_ksp_rtol 1e-2", NOTHING, PETSC_TRUE));
    for (Deed deed = SOLVES; deed <= FORMATS; deed++) {
      PetscCall(Compare(&s, "-pc_type jacobi", deed, PETSC_FALSE));
      if (size > 1) continue;
      PetscCall(Compare(&s, "-pc_type jacobi -ksp_fused_fold yes", deed, PETSC_FALSE));
      PetscCall(Compare(&s, "-pc_type pbjacobi", deed, PETSC_FALSE));
      PetscCall(Compare(&s, "-pc_type pbjacobi -ksp_fused_fold yes", deed, PETSC_FALSE));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Rejects(void)
{
  const System s = {.kind = "grid", .cells = 60, .bs = 1, .seed = 12, .symmetric = PETSC_TRUE};

  return Compare(&s, "-pc_type ksp -ksp_ksp_type %s -ksp_ksp_max_it 3 -ksp_pc_type jacobi", NOTHING, PETSC_FALSE);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CompareEach(Nested, Rejects));
  return CompareFinish("nested", 30000);
}

/*TEST

  testset:
    output_file: output/nested.out
    args: -options_left 0
    test:
      suffix: 1
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      # rows and entries beside the format
      suffix: remainder
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
