static char help[] =
  "Matrices with entries off the diagonals, as wells make them: few rows, some of them long, in the first and the last row and at the edges of thread blocks.\n";

#include "common/compare.h"
#include "common/view.h"

/* The persistent kernel with so many thread blocks (0: its own choice), which decides how many rows a thread has; bs 1 */
static const struct {
  PetscInt cells, wells, hub, blocks, plane;
} cases[] = {
  {700,   0, 0,    0, 0   }, /* no remainder */
  {700,   1, 0,    0, 0   },
  {700,   0, 1,    0, 0   }, /* rows with one entry more */
  {2048,  3, 40,   0, 0   }, /* rows that fill their thread blocks */
  {2049,  3, 128,  0, 0   },
  {4100,  2, 2000, 0, 0   },
  {4100,  2, 100,  8, 0   }, /* two rows per thread */
  {4100,  2, 129,  3, 0   }, /* four */
  {4100,  2, 2000, 3, 0   },
  {4100,  2, 300,  2, 0   }, /* five, of vectors in shared memory; a row or two more than four per thread */
  {5000,  0, 0,    2, 0   },
  {5000,  2, 300,  2, 600 },
  {6000,  0, 0,    2, 600 }, /* six, which CG alone has so */
  {6000,  2, 300,  2, 0   },
  {8100,  2, 300,  2, 0   }, /* eight, vectors exchanged */
  {4100,  1, 2000, 1, 0   }, /* fifteen, nothing outside the window; with a well more a block would have too many entries where few diagonals are stored */
  {9000,  2, 700,  2, 0   }, /* fifteen */
  {16100, 2, 300,  2, 600 }, /* sixteen, planes so large that they are not near: only for such grids */
  {16900, 2, 200,  2, 600 }, /* seventeen */
  {10000, 0, 0,    1, 600 }, /* twenty of those that CG alone has, with vectors in global memory */
  {31900, 0, 0,    2, 600 }, /* thirty-two */
  {46000, 0, 0,    3, 2000}, /* thirty */
};
enum { cg_alone = 16900 / 2 }; /* rows of a block beyond which CG alone has a persistent kernel */

static PetscErrorCode CompareWells(const System *s, const char pc[], PetscInt blocks)
{
  static Plan plan;
  char        options[128];
  Mat         A;
  Vec         b;
  PetscBool   device, asked, persistent;

  PetscFunctionBeginUser;
  PetscCall(SystemWithSide(s, &A, &b));
  PetscCall(PetscSNPrintf(options, sizeof(options), "-pc_type %s -ksp_fused_persistent_blocks %" PetscInt_FMT, pc, blocks));
  PetscCall(CompareSolver(s, A, A, b, NULL, options, KSPSolve, NULL, NULL));
  PetscCall(LookAtSolve(A, b, options, &plan, &persistent));
  PetscCall(PetscStrcmp(compare_mode, " -ksp_fused_mode persistent", &asked));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)b, &device, VECSEQCUDA, ""));
  if (asked && device && s->bs == 1) PetscCall(CheckTrue(persistent, "a persistent kernel"));
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wells(void)
{
  PetscInt least = 0, most = 50000, bs[4] = {1}, nbs = 4;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-most_cells", &most, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-least_cells", &least, NULL));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-bs", bs, &nbs, NULL));
  for (PetscInt n = 0; n < PetscMax(nbs, 1); n++)
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); k++) {
      const System s = {.kind      = "grid",
                        .cells     = cases[k].cells,
                        .bs        = bs[n],
                        .seed      = 3,
                        .symmetric = TwinIs(KSPCG),
                        .wells     = cases[k].wells,
                        .plane     = cases[k].plane,
                        .hub       = bs[n] > 1 ? PetscMin(cases[k].hub, 100) : cases[k].hub};

      if (s.cells < least || s.cells > most || (cases[k].blocks && s.cells / cases[k].blocks > cg_alone && !s.symmetric)) continue;
      PetscCall(CompareWells(&s, "none", cases[k].blocks));
      PetscCall(CompareWells(&s, "jacobi", cases[k].blocks));
      if (bs[n] > 1) PetscCall(CompareWells(&s, "pbjacobi", cases[k].blocks));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Wells, CompareSmall, "wells", 100000)

/*TEST
  testset:
    args: -most_cells 2048 -mat_bdiagh_max_remainder 1
    output_file: output/wells.out
    test:
      suffix: 1
      args: -bs 1,3 -ksp_fused_fold {{no yes}}
    test:
      suffix: 2
      comments: quick
      nsize: 2
    test:
      suffix: groups
      nsize: 3
      args: -bs 1,3 -heptane_groups 2
    test:
      suffix: sellp
      args: -mat_type sellp -options_left 0

  testset:
    requires: cuda
    args: -mat_bdiagh_max_remainder 1 -type fusedcg,fusedbcgs -expect_cuda
    output_file: output/wells.out
    test:
      suffix: cuda
      args: -mode persistent
    # any number of diagonals: the main one, another pattern of the rest
    test:
      suffix: cuda_any
      args: -mode persistent -most_cells 9000 -mat_bdiagh_min_occupancy 0.9
    test:
      suffix: cuda_streamed
      args: -bs 1,2,3 -most_cells 2048 -mode kernels,graph -ksp_fused_fold {{no yes}}
    test:
      suffix: cuda_peer
      nsize: 2
      args: -bs 1,3 -most_cells 2048 -mode kernels -ksp_fused_fold {{no yes}} -heptane_test_comm_check -heptane_comm peer
    test:
      suffix: cuda_small
      args: -most_cells 2048 -mode kernels,persistent -ksp_max_it 5 -rejects 0
    # vectors in global memory
    test:
      suffix: cuda_small_wide
      args: -type fusedcg -least_cells 31900 -most_cells 31900 -mode persistent -ksp_max_it 5 -rejects 0
TEST*/
