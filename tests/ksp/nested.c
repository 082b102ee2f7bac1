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

/* One solve outside; shell: its preconditioner is the inner solver */
static PetscErrorCode SolveWith(const System *s, const char options[], const char type[], Deed deed, PetscBool shell, PetscReal nudge, Result *r)
{
  Other o = {.deed = deed};
  KSP   ksp;
  Mat   A;
  Vec   b, nudged;
  PC    pc;

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, s, &A));
  if (TwinIs(KSPCG)) PetscCall(MatSetOption(A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatCreateVecs(A, &b, NULL));
  PetscCall(CheckVecFill(b, 5));
  PetscCall(VecNudge(b, nudge, 7, &nudged));
  PetscCall(VecDuplicate(b, &o.b));
  PetscCall(VecDuplicate(b, &o.x));
  PetscCall(VecCopy(b, o.b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &o.inner));
  PetscCall(KSPSetOptionsPrefix(o.inner, "other_"));
  PetscCall(KSPSetOperators(o.inner, A, A));
  PetscCall(KSPSetType(o.inner, type));
  PetscCall(KSPSetTolerances(o.inner, 1e-1, PETSC_CURRENT, PETSC_CURRENT, 8));
  PetscCall(KSPGetPC(o.inner, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetFromOptions(o.inner));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, type));
  PetscCall(KSPSetTolerances(ksp, PetscDefined(USE_REAL_SINGLE) ? 1e-3 : 1e-6, PETSC_CURRENT, PETSC_CURRENT, deed > SOLVES ? 9 : 60));
  if (shell) {
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCSHELL));
    PetscCall(PCShellSetContext(pc, &o));
    PetscCall(PCShellSetApply(pc, ShellApply));
    PetscCall(PCShellSetApplyTranspose(pc, ShellApplyTranspose));
  }
  if (deed) PetscCall(KSPMonitorSet(ksp, Monitor, &o, NULL));
  PetscCall(KSPSetFromOptions(ksp));
  if (deed <= SOLVES) PetscCall(ResultSolve(ksp, KSPSolve, nudged, NULL, r));
  PetscCall(ResultSolve(ksp, KSPSolve, nudged, NULL, r));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(KSPDestroy(&o.inner));
  PetscCall(VecDestroy(&o.b));
  PetscCall(VecDestroy(&o.x));
  PetscCall(VecDestroy(&nudged));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(const System *s, const char format[], Deed deed, PetscBool shell)
{
  static Result r[3]; /* type, twin, twin nudged */
  char          options[512];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(options, sizeof(options), "%s, somebody %s", format, deeds[deed]));
  PetscCall(Where(s, options));
  for (int t = 0; t < 3; t++) {
    const char *type = t ? compare_twin : compare_type;

    PetscCall(PetscSNPrintf(options, sizeof(options), format, type, type, type));
    PetscCall(SolveWith(s, options, type, deed, shell, t == 2 ? 1 : 0, &r[t]));
  }
  PetscCall(CheckResult(&r[0], &r[1], &r[2], "outer solve"));
  for (int t = 0; t < 3; t++) PetscCall(ResultDestroy(&r[t]));
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

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CompareEach(Nested));
  return CompareFinish("nested");
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
