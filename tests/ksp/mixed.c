static char help[] = "Fused solvers in mixed precision against PETSc's own in double precision: whole solves, residuals in long double.\n";

#include "common/mixed.h"

/* Of the spectrum, as the twin estimates them */
#define BOUNDS "-ksp_chebyshev_esteig 0,0.05,0,1.05 "

/* The factor between two updates, beside the cases */
static const char *const precisions[] = {"-ksp_fused_precision mixed", "-ksp_fused_precision mixed -ksp_fused_precision_factor 0.3"};

/* Preconditioners and norms of each method; bytes per row and iteration with seven diagonals that come in pairs, b = 1, not zero: these are compared */
static const struct {
  const char *twin, *options;
  double      bytes;
} solvers[] = {
  {KSPCG,        "-pc_type jacobi",                                        124 / 3. + 12},
  {KSPCG,        "-pc_type jacobi -ksp_norm_type unpreconditioned",        124 / 3. + 12},
  {KSPCG,        "-pc_type jacobi -ksp_norm_type natural",                 112 / 3. + 12},
  {KSPCG,        "-pc_type none",                                          112 / 3. + 28},
  {KSPCG,        "-pc_type jacobi -pc_jacobi_type rowmax",                 0            },
  {KSPBCGS,      "-pc_type jacobi",                                        0            },
  {KSPBCGS,      "-pc_type pbjacobi",                                      0            },
  {KSPBCGS,      "-pc_type none",                                          0            },
  {KSPBCGS,      "-pc_type jacobi -pc_jacobi_type rowmax",                 0            },
  {KSPCHEBYSHEV, BOUNDS "-pc_type jacobi",                                 36 + 24      },
  {KSPCHEBYSHEV, BOUNDS "-pc_type jacobi -ksp_norm_type unpreconditioned", 40 + 24      },
  {KSPCHEBYSHEV, BOUNDS "-pc_type pbjacobi",                               36 + 24      },
  {KSPCHEBYSHEV, BOUNDS "-pc_type none",                                   36 + 28      },
  {KSPCHEBYSHEV, BOUNDS "-pc_type jacobi -pc_jacobi_type rowmax",          0            },
};

/* What the view says that an iteration moves; not of the persistent kernel, which keeps vectors on the chip */
static PetscErrorCode CheckBytes(const System *s, Mat A, double bytes, const Plan *p)
{
  PetscBool remainder, bdiagh, persistent;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_bdiagh_max_remainder", &remainder));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &bdiagh, "bdiagh", "seqaijbdiagh", ""));
  PetscCall(PetscStrcmp(p->mode, "persistent", &persistent));
  if (bytes == 0 || persistent || !bdiagh || remainder || s->wells || s->bs > 1 || s->cells <= 2 * SystemPlane(s)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckTrue(fabs(p->bytes - bytes) < 1e-3, CheckText("%g bytes per row, not %g", p->bytes, bytes)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One system by one solver, in every precision; guess: begin from one */
static PetscErrorCode CompareSystem(const System *s, Mat A, Vec b, Vec guess, const char options[], double bytes, PetscInt npre)
{
  static Result r[2];
  static Plan   p;
  KSP           twin;
  Mat           R;
  Vec           exact = NULL;
  char          all[256];
  PetscBool     wants, persistent;

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &R));
  PetscCall(Where(s, options));
  PetscCall(WantsPersistent(s, s->cells, options, &wants));
  PetscCall(TwinSolve(R, b, guess, options, &twin, &r[1]));
  if (SystemRows(s) <= 40) {
    PetscCall(VecDuplicate(b, &exact));
    PetscCall(LongSolve(R, b, exact));
  }
  for (PetscInt k = 0; k < npre; k++) {
    PetscCall(PetscSNPrintf(all, sizeof(all), "%s %s", options, precisions[k]));
    PetscCall(MixedSolve(A, b, guess, all, &r[0], &p));
    PetscCall(CheckPromise(twin, R, b, exact, &r[0], &r[1], precisions[k]));
    PetscCall(CheckTrue(strstr(p.text, "precision: mixed, ") && !strstr(p.text, "precision: double"), "the view says mixed precision"));
    PetscCall(PetscStrcmp(p.mode, "persistent", &persistent));
    PetscCall(CheckBytes(s, A, bytes, &p));
    if (wants) PetscCall(CheckTrue(persistent, "the persistent kernel in single precision"));
    if (SystemRows(s) > 500) PetscCall(CheckTrue(strstr(p.text, " updates, ") != NULL, "more than one update"));
    PetscCall(ResultDestroy(&r[0]));
  }
  PetscCall(ResultDestroy(&r[1]));
  PetscCall(CheckDestroy(&exact, &twin, &R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A residual that is off by less than what the norm promises would be found */
static PetscErrorCode CheckFinds(void)
{
  const System  s = {.kind = "grid", .cells = 257, .bs = 1, .seed = 3, .symmetric = TwinIsSymmetric()};
  static Result r[2];
  static Plan   p;
  PetscInt      before[2];
  KSP           twin;
  Mat           A, R;
  Vec           b;

  PetscFunctionBeginUser;
  PetscCall(Where(&s, "-pc_type jacobi"));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &R));
  PetscCall(CheckVecs(A, &b, 5, NULL, 0));
  PetscCall(TwinSolve(R, b, NULL, "-pc_type jacobi", &twin, &r[1]));
  PetscCall(MixedSolve(A, b, NULL, "-pc_type jacobi -ksp_fused_precision mixed", &r[0], &p));
  PetscCall(CheckPromise(twin, R, b, NULL, &r[0], &r[1], "right"));
  for (int wrong = 0; wrong < 3; wrong++) {
    RejectBegin(before);
    if (wrong == 0) r[0].rnorm = r[0].history[r[0].n - 1] = r[0].rnorm * 0.9; /* a norm that is not that of x */
    if (wrong == 1) PetscCall(VecSetValue(r[0].x, 7, 1e-9, ADD_VALUES));
    if (wrong == 2) r[0].its *= 2;
    PetscCall(CheckPromise(twin, R, b, NULL, &r[0], &r[1], "wrong"));
    PetscCall(RejectEnd(before, "a wrong end of a solve is not found"));
    PetscCall(ResultDestroy(&r[0]));
    PetscCall(MixedSolve(A, b, NULL, "-pc_type jacobi -ksp_fused_precision mixed", &r[0], &p));
  }
  for (int k = 0; k < 2; k++) PetscCall(ResultDestroy(&r[k]));
  PetscCall(CheckDestroy(&twin, &b, &R, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareSizes(const PetscInt cells[], PetscInt ncells, const PetscInt bs[], PetscInt nbs, PetscInt wells, PetscInt hub, PetscInt plane,
                                   PetscInt npre)
{
  PetscBool same;
  Mat       A;
  Vec       b, guess;

  PetscFunctionBeginUser;
  for (PetscInt c = 0; c < ncells; c++)
    for (PetscInt k = 0; k < nbs; k++) {
      const System s = {
        .kind = "grid", .cells = cells[c], .bs = bs[k], .seed = 1 + c, .symmetric = TwinIsSymmetric(), .wells = wells, .hub = hub, .plane = plane};

      PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
      PetscCall(CheckVecs(A, &b, 5, &guess, 0));
      for (size_t o = 0; o < PETSC_STATIC_ARRAY_LENGTH(solvers); o++) {
        PetscCall(PetscStrcmp(solvers[o].twin, compare_twin, &same));
        if (!same) continue;
        PetscCall(CompareSystem(&s, A, b, NULL, solvers[o].options, solvers[o].bytes, npre));
      }
      PetscCall(CheckVecFill(guess, 9));
      PetscCall(CompareSystem(
        &s, A, b, guess, TwinIs(KSPCHEBYSHEV) ? BOUNDS "-pc_type jacobi -ksp_initial_guess_nonzero" : "-pc_type jacobi -ksp_initial_guess_nonzero", 0, npre));
      PetscCall(CheckDestroy(&b, &guess, &A));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Mixed(void)
{
  PetscInt  cells[16], bs[16], ncells = 16, nbs = 16, wells = 0, hub = 0, plane = 0;
  PetscBool reject = PETSC_TRUE, brief = CheckOption("-brief");

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-cells", cells, &ncells, NULL));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-bs", bs, &nbs, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-wells", &wells, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-hub", &hub, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plane", &plane, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-finds", &reject, NULL));
  if (reject) PetscCall(CheckFinds());
  PetscCall(CompareSizes(cells, ncells, bs, nbs, wells, hub, plane, brief ? 1 : PETSC_STATIC_ARRAY_LENGTH(precisions)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Mixed, NULL, "mixed", 300)

/*TEST
  # -rejects 0: twins that are wrong by rounding are no matter here; CheckFinds() makes ends of solves wrong
  testset:
    requires: double
    args: -type fusedcg,fusedbcgs,fusedchebyshev -rejects 0
    output_file: output/mixed.out
    test:
      suffix: sizes
      args: -cells 1,2,31,32,33,255,256,257 -bs 1,3
    test:
      suffix: blocks
      comments: quick
      args: -cells 65 -bs 2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17
    test:
      suffix: tiles
      args: -cells 8191,8192,8193 -bs 1 -ksp_rtol 1e-11 -finds 0
    test:
      suffix: remainder
      args: -cells 33,257 -bs 1,3 -mat_bdiagh_min_occupancy 0.99 -mat_bdiagh_max_remainder 1
    test:
      suffix: wells
      args: -cells 600 -bs 1,3 -wells 2 -mat_bdiagh_max_remainder 1
    test:
      suffix: sellp
      args: -mat_type sellp -cells 1,2,31,33,257 -bs 1,3 -mat_sellp_index {{auto 16 32}}
    test:
      suffix: sellp_sorted
      args: -mat_type sellp -cells 257 -bs 1,2,8 -mat_sellp_sort_window 64
    test:
      suffix: sellp_blocks
      args: -mat_type sellp -cells 65 -bs 2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
    test:
      suffix: sellp_tiles
      args: -mat_type sellp -cells 8191,8193 -bs 1 -ksp_rtol 1e-11 -finds 0
    test:
      suffix: sellp_aside
      args: -mat_type sellp -cells 600 -bs 1,3 -wells 2 -mat_sellp_long_row {{5 12}}

  testset:
    requires: cuda double
    args: -type fusedcg,fusedbcgs,fusedchebyshev -rejects 0
    output_file: output/mixed.out
    test:
      suffix: cuda_sellp
      args: -mat_type sellp -cells 1,31,33,257,2049 -bs 1,3 -mat_sellp_index {{auto 16 32}} -mode kernels,graph -expect_cuda
    test:
      suffix: cuda_sellp_sorted
      args: -mat_type sellp -cells 257 -bs 1,2,8 -mat_sellp_sort_window 64 -mode graph -expect_cuda
    test:
      suffix: cuda_sellp_blocks
      args: -mat_type sellp -cells 65 -bs 2,3,4,5,7,8,9,12,16 -mode graph -expect_cuda
    test:
      suffix: cuda_sellp_aside
      args: -mat_type sellp -cells 600 -bs 1,3 -wells 2 -mat_sellp_long_row {{5 12}} -mode kernels,graph -expect_cuda
    test:
      suffix: cuda_sellp_hub
      args: -mat_type sellp -cells 3000 -bs 1 -hub 1500 -finds 0 -mode kernels,graph -expect_cuda
    # so many rows that threads take two
    test:
      suffix: cuda_sellp_pairs
      args: -mat_type sellp -cells 210001 -bs 1 -ksp_rtol 1e-6 -finds 0 -mode graph -expect_cuda
    test:
      suffix: cuda_large
      args: -mat_type {{bdiagh sellp}} -cells 50000 -bs 1,3 -ksp_rtol 1e-11 -finds 0 -expect_cuda
    test:
      suffix: cuda_sizes
      args: -cells 1,31,33,255,256,257,2049 -bs 1,3 -mode kernels,graph -expect_cuda
    test:
      suffix: cuda_blocks
      args: -cells 65 -bs 2,3,4,5,7,8,9,12,16,17 -mode graph -expect_cuda
    test:
      suffix: cuda_wells
      args: -cells 600 -bs 1,3 -wells 2 -mat_bdiagh_max_remainder 1 -mode kernels,graph -expect_cuda
    test:
      suffix: cuda_persistent
      args: -cells 31,33,255,257,2049 -bs 1,3 -mode persistent -expect_cuda
    # from 32 rows of a thread to 4
    test:
      suffix: cuda_persistent_rows
      args: -type fusedcg -cells 50000 -bs 1 -ksp_rtol 1e-11 -finds 0 -mode persistent -ksp_fused_persistent_blocks {{4 6 7 13 25}} -expect_cuda
    # of so many rows that the values come from memory: 33 and 27 of a thread; planes smaller and larger than a block
    test:
      suffix: cuda_persistent_memory
      args: -type fusedbcgs -cells 50000 -bs 1 -ksp_rtol 1e-11 -finds 0 -mode persistent -plane {{20 20000}} -ksp_fused_persistent_blocks {{4 5}} -expect_cuda

  # under compute-sanitizer a launch takes 10 ms
  test:
    suffix: cuda_small
    requires: cuda double
    args: -type fusedcg,fusedbcgs,fusedchebyshev -rejects 0 -finds 0 -brief -cells 33 -bs 1,3,11 -ksp_rtol 1e-4 -mode kernels,persistent -ksp_fused_check_interval 4 -expect_cuda
    output_file: output/mixed.out

  test:
    suffix: cuda_small_sellp
    requires: cuda double
    args: -type fusedcg,fusedbcgs,fusedchebyshev -mat_type sellp -rejects 0 -finds 0 -brief -cells 33 -bs 1,3,11 -ksp_rtol 1e-4 -mode kernels -ksp_fused_check_interval 4 -expect_cuda
    output_file: output/mixed.out
TEST*/
