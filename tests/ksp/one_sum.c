static char help[] =
  "-ksp_cg_single_reduction: fusedcg with one sum per iteration in a persistent kernel or with NCCL, else two on the device, PETSc's own loop on the host.\n";

#include "common/compare.h"
#include "common/view.h"

/* Grids with one, two and three rows per thread of each process, one with five, which no such kernel has, and one with a
   well; blocks: of all processes, 0: the kernel's own choice; processes: that have such a kernel at most */
static const struct {
  PetscInt    cells, wells, blocks;
  PetscMPIInt processes;
} cases[] = {
  {700,  0, 0, 2},
  {2049, 0, 0, 2},
  {4100, 0, 8, 2},
  {4100, 0, 4, 1},
  {4100, 0, 2, 0},
  {700,  1, 0, 0},
};

static const char *const options[] = {"-pc_type none", "-pc_type jacobi", "-pc_type jacobi -ksp_norm_type unpreconditioned",
                                      "-pc_type jacobi -ksp_norm_type natural", "-pc_type jacobi -pc_jacobi_type rowmax"};

static PetscErrorCode CompareOneSum(const System *s, const char pc[], PetscInt blocks, PetscBool resident)
{
  static Plan plan;
  char        all[256];
  Mat         A;
  Vec         b;
  PetscBool   device, asked, persistent, own_loop;
  char       *found;

  PetscFunctionBeginUser;
  PetscCall(SystemWithSide(s, &A, &b));
  PetscCall(PetscSNPrintf(all, sizeof(all), "%s -ksp_fused_persistent_blocks %" PetscInt_FMT, pc, blocks));
  PetscCall(CompareSolver(s, A, A, b, NULL, all, KSPSolve, NULL, NULL));
  PetscCall(LookAtSolve(A, b, all, &plan, &persistent));
  PetscCall(PetscStrstr(compare_mode, "persistent", &found));
  asked = (PetscBool)(found != NULL);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)b, &device, VECSEQCUDA, VECMPICUDA, ""));
  PetscCall(CheckTrue(!resident || persistent == (PetscBool)(asked && device), "a persistent kernel where there is one with one sum"));
  own_loop = (PetscBool)(strstr(plan.text, "PETSc's own loop): single-reduction variant") != NULL);
  if (CheckOption("-by_nccl") && !(device && own_loop)) { /* NCCL rejects processes that share a GPU */
    PetscCall(CheckTrue(strstr(plan.text, "sums by NCCL") && plan.reductions == 1, "one sum with NCCL"));
  } else if (device && !CheckOption("-by_nccl")) {
    const PetscBool one = (PetscBool)(asked && resident);

    PetscCall(CheckTrue(plan.reductions == (one ? 1 : 2), "one sum where a kernel has it"));
    PetscCall(CheckTrue((strstr(plan.text, "two sums per iteration, not one: ") == NULL) == one, "the view says why there are two"));
  } else PetscCall(CheckTrue(own_loop, "PETSc's own loop on the host"));
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode OneSum(void)
{
  const PetscMPIInt size = CheckProcesses();
  PetscInt          most = 5000;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-most_cells", &most, NULL));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++) {
    System s = {.kind = "grid", .cells = cases[k].cells, .bs = 1, .seed = 3, .symmetric = PETSC_TRUE, .wells = cases[k].wells};

    if (s.cells > most) continue;
    for (s.split = 0; s.split < (k == 0 && CheckOption("-by_nccl") ? 3 : 1); s.split++)
      for (size_t o = 0; o < PETSC_STATIC_ARRAY_LENGTH(options); o++)
        PetscCall(CompareOneSum(&s, options[o], cases[k].blocks / size, (PetscBool)(size <= cases[k].processes)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(OneSum, CompareSmall, "one_sum", 20000)

/*TEST
  testset:
    args: -type fusedcg -ksp_cg_single_reduction
    output_file: output/one_sum.out
    test:
      suffix: 1
      comments: quick
      nsize: {{1 2}}
    test:
      suffix: groups
      nsize: 3
      args: -most_cells 700 -heptane_groups {{2 3}}
    test:
      suffix: 2_nccl
      nsize: 2
      args: -most_cells 700 -by_nccl -heptane_comm nccl
    test:
      suffix: cuda
      requires: cuda
      args: -mode persistent,kernels -expect_cuda
    test:
      suffix: 2_cuda
      requires: cuda
      nsize: 2
      args: -mode persistent -heptane_test_comm_check -heptane_comm peer -expect_cuda
    test:
      suffix: 2_nccl_cuda
      requires: cuda
      nsize: 2
      args: -mode kernels,graph -by_nccl -heptane_comm nccl -expect_cuda
    # small enough for compute-sanitizer
    test:
      suffix: cuda_small
      requires: cuda
      args: -mode persistent -most_cells 700 -ksp_max_it 5 -rejects 0 -expect_cuda
TEST*/
