static char help[] = "At the limits: none or one iteration, zeros and other extremes in the inverse diagonal, large blocks, against PETSc's own.\n";

#include "common/compare.h"

static const char *const kinds[] = {"grid", "powers", "signs", "skew", "nilpotent", "orthogonal", "alternating"};

/* How a solve without room for iterations ends */
static PetscErrorCode Iterations(const char kind[])
{
  const char *const options[] = {"-pc_type jacobi",
                                 "-pc_type none",
                                 "-pc_type none -ksp_atol 1e10",
                                 "-pc_type jacobi -ksp_rtol 0.95",
                                 "-pc_type jacobi -ksp_norm_type unpreconditioned",
                                 "-pc_type none -ksp_norm_type none"};
  const System      s         = {.kind = kind, .cells = 120, .bs = 1, .seed = 6, .symmetric = PETSC_TRUE};
  Mat               A;
  Vec               b;

  PetscFunctionBeginUser;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
  PetscCall(MatCreateVecs(A, &b, NULL));
  for (int zero = 0; zero < 2; zero++) {
    if (SystemBlock(&s)) PetscCall(VecSet(b, 1.0));
    else PetscCall(CheckVecFill(b, 5));
    if (zero) PetscCall(VecSet(b, 0.0));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options) - (TwinIs(KSPBICG) ? 1 : 0); k++) /* where nothing is tested, numbers that are none stay in x */
      for (int its = 0; its < 2; its++) {
        PetscCall(CompareSolver(&s, A, A, b, NULL, CheckText("%s -ksp_max_it %d", options[k], its), KSPSolve, NULL, NULL));
      }
  }
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Preconditioned by a matrix of which some diagonal entries are `extreme` */
static PetscErrorCode Extreme(PetscReal extreme, PetscInt every, const char options[])
{
  const System s = {.kind = "grid", .cells = 300, .bs = 1, .seed = 8, .symmetric = PETSC_TRUE};
  Mat          A, P;
  Vec          b, d;
  PetscInt     lo, hi;

  PetscFunctionBeginUser;
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &P));
  PetscCall(CheckVecs(A, &b, 5, &d, 0));
  PetscCall(MatGetDiagonal(P, d));
  PetscCall(VecGetOwnershipRange(b, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++)
    if (i % every == 0) {
      PetscCall(VecSetValue(d, i, extreme, INSERT_VALUES));
      if (extreme == 0) PetscCall(VecSetValue(b, i, 0, INSERT_VALUES));
    }
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(VecAssemblyBegin(d));
  PetscCall(VecAssemblyEnd(d));
  PetscCall(MatDiagonalSet(P, d, INSERT_VALUES));
  PetscCall(CompareSolver(&s, A, P, b, NULL, options, KSPSolve, NULL, NULL));
  PetscCall(CheckDestroy(&b, &d, &A, &P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks larger than what a thread block of the device has rows */
static PetscErrorCode LargeBlocks(PetscInt bs)
{
  const System s = {.kind = "grid", .cells = 2 * bs, .bs = 1, .seed = 9, .symmetric = PETSC_TRUE};
  char         options[256];
  Mat          A;
  Vec          b;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(options, sizeof(options), "-mat_bdiagh_block_size %" PetscInt_FMT " -mat_bdiagh_max_fill 1e6 -mat_bdiagh_min_occupancy 0", bs));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(SystemCreate(PETSC_COMM_SELF, &s, &A));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscCall(CheckVecs(A, &b, 5, NULL, 0));
  PetscCall(CompareSolver(&s, A, A, b, NULL, "-pc_type jacobi", KSPSolve, NULL, NULL));
  PetscCall(CompareSolver(&s, A, A, b, NULL, "-pc_type none", KSPSolve, NULL, NULL));
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Limits(void)
{
  const PetscMPIInt size = CheckProcesses();

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(kinds); k++) PetscCall(Iterations(kinds[k]));
  PetscCall(Extreme(0, 10, "-pc_type jacobi -pc_jacobi_fixdiagonal 0 -ksp_max_it 30"));
  PetscCall(Extreme(0, 10, "-pc_type jacobi -pc_jacobi_fixdiagonal 0 -ksp_max_it 30 -ksp_norm_type unpreconditioned"));
  if (TwinIs(KSPCG)) PetscCall(Extreme(0, 10, "-pc_type jacobi -pc_jacobi_fixdiagonal 0 -ksp_max_it 30 -ksp_norm_type natural"));
  PetscCall(Extreme(0, 10, "-pc_type jacobi -pc_jacobi_fixdiagonal 0 -ksp_max_it 30 -ksp_fused_fold yes"));
  if (PetscDefined(USE_REAL_DOUBLE) && !TwinIs(KSPBICG)) PetscCall(Extreme(1e304, 10, "-pc_type jacobi -ksp_max_it 30"));
  if (size == 1) PetscCall(LargeBlocks(300));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Limits, CompareSmall, "limit", 200000)

/*TEST
  testset:
    output_file: output/limit.out
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
      args: -mat_type {{bdiagh sellp}} -mode kernels,graph,persistent -expect_cuda
TEST*/
