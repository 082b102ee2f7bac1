static char help[] = "A persistent kernel whose blocks cannot all be resident is refused before it starts: as many as fit, one more, and far too many.\n";

#include "common/compare.h"
#include "common/view.h"

/* Solves with so many blocks against the twin; whether a persistent kernel did it */
static PetscErrorCode Try(const System *s, Mat A, Vec b, PetscInt blocks, PetscBool compare, PetscBool *persistent)
{
  static Plan plan;
  char        options[128];
  KSP         ksp;
  Vec         x;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(options, sizeof(options), "-pc_type jacobi -ksp_fused_mode persistent -ksp_fused_persistent_blocks %" PetscInt_FMT, blocks));
  if (compare) PetscCall(CompareSolver(s, A, A, b, NULL, options, KSPSolve, NULL, NULL));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  PetscCall(KSPSetTolerances(ksp, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 3));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(Look(ksp, &plan));
  PetscCall(PetscStrcmp(plan.mode, "persistent", persistent));
  if (compare && !*persistent) {
    PetscCall(Where(s, options));
    PetscCall(CheckTrue(plan.fused && strstr(plan.text, "not mode persistent: "), "the view says why it is not persistent"));
  }
  PetscCall(CheckDestroy(&ksp, &x));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Resident(void)
{
  const PetscInt many = 1 << 20;
  const System   s    = {.kind = "grid", .cells = 700, .bs = 1, .seed = 22, .symmetric = TwinIs(KSPCG)};
  Mat            A;
  Vec            b;
  PetscBool      persistent, device;
  PetscInt       most = 0, refused = many;

  PetscFunctionBeginUser;
  PetscCall(SystemWithSide(&s, &A, &b));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)b, &device, VECSEQCUDA, VECMPICUDA, ""));
  PetscCall(Try(&s, A, b, many, PETSC_TRUE, &persistent));
  PetscCall(CheckTrue(!persistent, "far too many blocks are refused"));
  PetscCall(Try(&s, A, b, 0, PETSC_TRUE, &persistent));
  PetscCall(CheckTrue(persistent == device, "a persistent kernel where there is a device"));
  while (device && refused - most > 1) { /* the largest number that is not refused */
    const PetscInt middle = most + (refused - most) / 2;

    PetscCall(Try(&s, A, b, middle, PETSC_FALSE, &persistent));
    if (persistent) most = middle;
    else refused = middle;
  }
  if (device) {
    PetscCall(CheckTrue(most > 0, "some blocks are resident"));
    PetscCall(Try(&s, A, b, most, PETSC_TRUE, &persistent));
    PetscCall(CheckTrue(persistent, "as many blocks as are resident"));
    PetscCall(Try(&s, A, b, most + 1, PETSC_TRUE, &persistent));
    PetscCall(CheckTrue(!persistent, "one block more is refused"));
  }
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Resident, CompareSmall, "resident", 10000)

/*TEST
  # fusedbicg has no persistent kernel
  testset:
    args: -type fusedcg,fusedbcgs
    output_file: output/resident.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: cuda
      requires: cuda
      args: -expect_cuda
TEST*/
