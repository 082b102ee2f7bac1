static char help[] =
  "Persistent kernels of several unknowns per cell, which multiply with a scaled copy: whole cells in every block, from the first iteration on and from a later one, and where there is none.\n";

#include "common/compare.h"
#include "common/view.h"

/* The wording of the view, bits and values of solves with so many blocks, 0: as many as there are multiprocessors; persistent: whether a device has a kernel for it */
static PetscErrorCode Try(const System *s, const char fold[], PetscInt blocks, PetscBool persistent)
{
  static Plan   plan;
  static Result r[2];
  char          options[192];
  PetscBool     device, is;
  KSP           ksp[2];
  Mat           A;
  Vec           b;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(options, sizeof(options), "-pc_type pbjacobi %s -ksp_fused_persistent_blocks %" PetscInt_FMT, fold, blocks));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(Where(s, options));
  PetscCall(SystemWithSide(s, &A, &b));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)b, &device, VECSEQCUDA, VECMPICUDA, ""));
  for (int k = 0; k < 2; k++) PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
  PetscCall(ComparePair(s, ksp[0], ksp[1], KSPSolve, 1, b, NULL, "solve"));
  for (int k = 0; k < 2; k++) PetscCall(ResultSolve(ksp[0], PETSC_FALSE, KSPSolve, b, NULL, &r[k]));
  PetscCall(Look(ksp[0], &plan));
  PetscCall(PetscStrcmp(plan.mode, "persistent", &is));
  PetscCall(CheckTrue(is == (PetscBool)(device && persistent), "a persistent kernel where there is one"));
  PetscCall(CheckTrue(!device || is || !plan.fused || strstr(plan.text, "not mode persistent: "), "the view says why there is none"));
  PetscCall(CheckRepeat(&r[1], &r[0], "a second solve"));
  for (int k = 0; k < 2; k++) PetscCall(ResultDestroy(&r[k]));
  PetscCall(MatScale(A, 2.0));
  PetscCall(ComparePair(s, ksp[0], ksp[1], KSPSolve, 2, b, NULL, "after MatScale()"));
  PetscCall(CheckDestroy(&ksp[0], &ksp[1], &b, &A));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All kernels with two blocks in each process, the last of which has fewer cells than the first; ranges of processes are no whole planes */
static PetscErrorCode AllRows(const System *of, PetscInt size)
{
  const PetscInt rows[3][5] = {
    {4,   8,  12, 16},
    {3,   6,     9,    12, 15},
    {4, 8, 12}
  }; /* of a thread at most, 512 threads */
  System s = *of;

  PetscFunctionBeginUser;
  for (s.bs = 2; s.bs < 5; s.bs++)
    for (int k = 0; k < 5 && rows[s.bs - 2][k]; k++) {
      s.cells = size * (rows[s.bs - 2][k] * 1024 / s.bs - 37);
      PetscCall(Try(&s, "-ksp_fused_fold yes", 2, PETSC_TRUE));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ResidentBlocks(void)
{
  const char *const yes = "-ksp_fused_fold yes", *const later = "-ksp_fused_fold_after 3";
  System            s      = {.kind = "grid", .bs = 3, .seed = 23, .plane = 300};
  const PetscMPIInt size   = CheckProcesses();
  PetscInt          blocks = 0;
  PetscBool         given;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-cells", &s.cells, &given));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-blocks", &blocks, NULL));
  if (given) {
    PetscCall(Try(&s, yes, blocks, PETSC_TRUE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AllRows(&s, size));
  s.cells = 1901 * size;
  PetscCall(Try(&s, later, 0, PETSC_TRUE));
  PetscCall(Try(&s, later, 3, PETSC_TRUE));
  PetscCall(Try(&s, "-ksp_fused_fold no", 0, PETSC_FALSE));
  s.split = 1; /* a process without rows */
  PetscCall(Try(&s, yes, 0, (PetscBool)(size == 1)));
  s.split = 0, s.plane = 20; /* all diagonals are near */
  PetscCall(Try(&s, yes, 0, PETSC_FALSE));
  s.plane = 300, s.bs = 5;
  PetscCall(Try(&s, yes, 0, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(ResidentBlocks, CompareSmall, "resident_blocks", 5000)

/*TEST
  testset:
    args: -type fusedbcgs -mode persistent
    output_file: output/resident_blocks.out
    test:
      suffix: 1
      comments: quick
    test:
      suffix: 2
      nsize: 2
      args: -log_sync 0 -heptane_test_comm_check -heptane_comm {{mpi peer}}

  testset:
    requires: cuda
    args: -type fusedbcgs -mode persistent -expect_cuda
    output_file: output/resident_blocks.out
    test:
      suffix: cuda
    test:
      suffix: cuda_2
      nsize: 2
      args: -log_sync 0 -heptane_test_comm_check -heptane_comm peer
    # blocks at the ends with fewer rows than the others: 6 rows of a thread, 9 and 12
    test:
      suffix: cuda_2_ends
      nsize: 2
      args: -log_sync 0 -heptane_test_comm_check -heptane_comm peer -cells 12000 -blocks {{7 5}}
    test:
      suffix: cuda_2_ends_most
      nsize: 2
      args: -log_sync 0 -heptane_test_comm_check -heptane_comm peer -cells 18400 -blocks 5
    test:
      suffix: cuda_4
      nsize: 4
      args: -log_sync 0 -heptane_test_comm_check -heptane_comm peer -cells 24000 -blocks {{3 7}}
    # small enough for compute-sanitizer
    test:
      suffix: cuda_small
      args: -cells 1000 -blocks 2 -ksp_max_it 5 -rejects 0
    test:
      suffix: cuda_2_small
      nsize: 2
      args: -log_sync 0 -heptane_test_comm_check -heptane_comm peer -cells 1000 -blocks 2 -ksp_max_it 5 -rejects 0
TEST*/
