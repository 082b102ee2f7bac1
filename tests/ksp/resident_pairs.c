static char help[] =
  "Persistent kernels of CG with a form for symmetric matrices: with each number of rows of a thread, symmetric matrices, those in which one value is not what it is on the other side, and diagonals that no such form takes.\n";

#include "common/compare.h"
#include "common/view.h"

#define THREADS 512
#define RTOL    1e-9

static PetscBool brief; /* a few iterations, for compute-sanitizer: neither converges */

/* A(row, row - below) *= factor, on the process that has the row */
static PetscErrorCode Scale(Mat A, PetscInt row, PetscInt below, PetscReal factor)
{
  PetscInt    lo, hi, col = row - below;
  PetscScalar a = 1;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  if (row >= lo && row < hi) {
    PetscCall(MatGetValue(A, row, col, &a));
    PetscCall(MatSetValue(A, row, col, a * factor, INSERT_VALUES));
  }
  PetscCall(CheckTrue(a != (PetscScalar)0.0, "there is a value to change"));
  PetscCall(CheckAssemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both solvers end alike, with a true residual that is as small as was asked for */
static PetscErrorCode Solve(const System *s, Mat A, Vec b, KSP ksp[2], const char what[])
{
  KSPConvergedReason reason[2];
  PetscInt           its[2];
  PetscReal          norm, of_b;
  Vec                x;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecNorm(b, NORM_2, &of_b));
  for (int k = 0; k < 2; k++) {
    PetscCall(CheckKSPSolve(ksp[k], b, x, &its[k], &reason[k]));
    PetscCall(ResidualNorm(A, x, b, &norm));
    PetscCall(CheckTrue(brief || (reason[k] > 0 && norm < 100 * RTOL * of_b),
                        CheckText("%s, %" PetscInt_FMT " cells: residual %g of %s", what, s->cells, (double)(norm / of_b), k ? "the twin" : "the solver")));
  }
  const char *const text = CheckText("%s, %" PetscInt_FMT " cells: %" PetscInt_FMT " iterations, the twin %" PetscInt_FMT, what, s->cells, its[0], its[1]);
  PetscCall(CheckTrue(reason[0] == reason[1] && PetscAbs(its[0] - its[1]) <= 1, text));
  result_values += s->cells;
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* blocks: of each process; rows that begin a block or a warp, the first that has such a value, the last */
static PetscErrorCode Try(const System *s, PetscMPIInt size, PetscInt blocks)
{
  const PetscInt own = s->cells / size, chunk = (own / blocks + 15) / 16 * 16,
                 rows[5][2] = {
                   {1,                      1       },
                   {SYSTEM_J,               SYSTEM_J},
                   {chunk / 160 * 160 + 32, 1       },
                   {chunk,                  SYSTEM_J},
                   {s->cells - 1,           SYSTEM_J}
  };
  static Plan plan;
  char        options[128];
  PetscBool   device, is;
  KSP         ksp[2];
  Mat         A;
  Vec         b;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(options, sizeof(options), "-pc_type jacobi -ksp_fused_persistent_blocks %" PetscInt_FMT, blocks));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(Where(s, options));
  PetscCall(SystemWithSide(s, &A, &b));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)b, &device, VECSEQCUDA, VECMPICUDA, ""));
  for (int k = 0; k < 2; k++) {
    PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
    PetscCall(KSPSetTolerances(ksp[k], RTOL, 0, PETSC_CURRENT, PETSC_CURRENT));
  }
  PetscCall(Solve(s, A, b, ksp, "symmetric"));
  PetscCall(Look(ksp[0], &plan));
  PetscCall(PetscStrcmp(plan.mode, "persistent", &is));
  PetscCall(CheckTrue(is == device, "a persistent kernel where there is a device"));
  for (int k = 0; k < (SystemIs(s, "apart") ? 0 : brief ? 1 : 5); k++) {
    PetscCall(Scale(A, rows[k][0], rows[k][1], 0.5));
    PetscCall(Solve(s, A, b, ksp, "one value changed"));
    PetscCall(Scale(A, rows[k][0], rows[k][1], 2.0));
    PetscCall(Solve(s, A, b, ksp, "changed back"));
  }
  PetscCall(Solve(s, A, b, ksp, "once more"));
  PetscCall(CheckDestroy(&ksp[0], &ksp[1], &b, &A));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ResidentPairs(void)
{
  PetscInt          rows[8] = {8, 9, 12, 15, 16, 17}, n = 8;
  PetscBool         given;
  const PetscMPIInt size = CheckProcesses();
  System            s    = {.kind = "grid", .bs = 1, .seed = 29, .symmetric = PETSC_TRUE, .plane = 600};

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-rows", rows, &n, &given));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-wells", &s.wells, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plane", &s.plane, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-brief", &brief, NULL));
  if (!given) n = 6;
  for (PetscInt k = 0; k < n; k++) {
    s.cells = size * 2 * (rows[k] * THREADS - 37);
    PetscCall(Try(&s, size, 2));
  }
  s.kind  = "apart"; /* no pairs as the form for symmetric matrices takes them */
  s.cells = size * 2 * (12 * THREADS - 37);
  PetscCall(Try(&s, size, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(ResidentPairs, CompareSmall, "resident_pairs", 5000)

/*TEST
  testset:
    args: -type fusedcg -mode persistent -options_left 0
    output_file: output/resident_pairs.out
    test:
      suffix: 1
      args: -rows 8
    test:
      suffix: 2
      comments: quick
      nsize: 2
      args: -log_sync 0 -rows 9 -wells 2 -mat_bdiagh_max_remainder 1
    test:
      suffix: cuda
      requires: cuda
      args: -wells {{0 2}} -mat_bdiagh_max_remainder 1 -expect_cuda
    test:
      suffix: cuda_2
      requires: cuda
      nsize: 2
      args: -log_sync 0 -heptane_test_comm_check -heptane_comm peer -wells {{0 2}} -mat_bdiagh_max_remainder 1 -expect_cuda
    # small enough for compute-sanitizer
    test:
      suffix: cuda_small
      requires: cuda
      args: -rows 12,16 -wells {{0 2}} -mat_bdiagh_max_remainder 1 -ksp_max_it 5 -brief -rejects 0 -expect_cuda
TEST*/
