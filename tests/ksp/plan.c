static char help[] = "What -ksp_view says of a fused solver agrees with itself and with what was counted; prefixes.\n";

#include "common/view.h"
#include <math.h>

static PetscErrorCode Says(const Plan *p, const char text[])
{
  char what[256];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(what, sizeof(what), "the view says \"%s\"", text));
  PetscCall(CheckTrue((PetscBool)(strstr(p->text, text) != NULL), what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two solves of fixed length: what the iterations more counted is as many times the printed budget; work begun in vain behind the last one is at most an interval's */
static PetscErrorCode Budget(const System *s, Mat A, Vec b, const char options[])
{
  static Plan p[2];
  KSP         ksp;
  Vec         x;
  PetscBool   persistent;

  PetscFunctionBeginUser;
  PetscCall(Where(s, options));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  PetscCall(KSPSetConvergenceTest(ksp, KSPConvergedSkip, NULL, NULL));
  for (int k = 0; k < 2; k++) {
    PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, k ? SOLVE_LONG : SOLVE_SHORT));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(Look(ksp, &p[k]));
    PetscCall(CheckTrue(p[k].fused, "the view tells mode and interval"));
    PetscCall(CheckTrue((PetscBool)(p[k].its == (k ? SOLVE_LONG : SOLVE_SHORT)), "iterations of the last solve"));
  }
  PetscCall(PetscStrcmp(p[1].mode, "persistent", &persistent));
  PetscCall(CheckTrue((PetscBool)(p[1].kernels == p[1].steps && p[1].kernels > 0), "a line for each macro-kernel"));
  PetscCall(CheckTrue((PetscBool)(p[1].bytes > 0 && (persistent ? fabs(p[1].launches * p[1].interval - 1) < 1e-3 : p[1].launches >= p[1].kernels) &&
                                  (p[1].reductions > 0) == (p[1].interval > 0)),
                      "a budget"));
  if (persistent) PetscCall(CheckTrue((PetscBool)(p[1].all_launches - p[0].all_launches <= SOLVE_MORE / p[1].interval + 1), "launches of a persistent kernel"));
  else {
    const double more = (double)(p[1].all_launches - p[0].all_launches) - SOLVE_MORE * p[1].launches;

    PetscCall(CheckTrue((PetscBool)(fabs(more) <= PetscMax(p[1].interval - 1, 0) * p[1].launches), "launches: budget and count"));
  }
  PetscCall(CheckTrue((PetscBool)(labs(p[1].all_reductions - p[0].all_reductions - SOLVE_MORE * p[1].reductions) <= (p[1].interval - 1) * p[1].reductions),
                      "reductions: budget and count"));
  PetscCall(CheckTrue((PetscBool)(PetscAbsReal((PetscReal)(p[1].all_waits - p[0].all_waits) - SOLVE_MORE * (PetscReal)p[1].waits) <= 1),
                      "host waits: budget and count"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The view before and after a solve, of a solver with prefix a_: that prefix's options count, others do not */
static PetscErrorCode Prefixed(Mat A, Vec b)
{
  static Plan p;
  KSP         ksp;
  Vec         x;

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch("-a_ksp_fused_mode twin -a_ksp_max_it 3 -b_ksp_fused_mode nothing -ksp_max_it 4", PETSC_TRUE));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOptionsPrefix(ksp, "a_"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, compare_type));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(Look(ksp, &p));
  PetscCall(Says(&p, "fused: mode twin, not yet solved"));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Look(ksp, &p));
  PetscCall(Says(&p, "fused: twin (PETSc's own loop): "));
  PetscCall(Says(&p, "maximum iterations=3"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(OptionsSwitch("-a_ksp_fused_mode twin -a_ksp_max_it 3 -b_ksp_fused_mode nothing -ksp_max_it 4", PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlansOf(const System *s, Mat A, Vec b)
{
  const char *const options[] = {"-pc_type jacobi", "-pc_type pbjacobi", "-pc_type none", "-pc_type bjacobi -sub_pc_type jacobi",
                                 "-pc_type jacobi -ksp_norm_type none"};

  PetscFunctionBeginUser;
  PetscCall(Prefixed(A, b));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); k++) PetscCall(Budget(s, A, b, options[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Plans(void)
{
  const System s = {.kind = "grid", .cells = 300, .bs = 3, .seed = 16, .symmetric = TwinIs(KSPCG)};

  PetscFunctionBeginUser;
  PetscCall(SystemUse(&s, PlansOf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return CompareMain(argc, argv, help, Plans, CompareSmall, "plan", 40);
}

/*TEST

  testset:
    output_file: output/plan.out
    test:
      suffix: 1
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: chebyshev
      comments: quick
      nsize: {{1 2}}
      args: -mat_type {{bdiagh aij}} -type fusedchebyshev
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh aijcusparse sellp}} -mode kernels,graph,persistent,auto -expect_cuda
    test:
      suffix: chebyshev_cuda
      requires: cuda
      args: -mat_type {{bdiagh aijcusparse sellp}} -type fusedchebyshev -mode kernels,graph -expect_cuda

TEST*/
