static char help[] =
  "Mixed precision on several processes, some without rows: against PETSc's own in double precision, and what takes all processes to double precision.\n";

#include "common/mixed.h"

#define BOUNDS "-ksp_chebyshev_esteig 0,0.05,0,1.05 "

/* Preconditioners and norms of each method */
static const struct {
  const char *twin, *options;
} solvers[] = {
  {KSPCG,        "-pc_type jacobi"                                       },
  {KSPCG,        "-pc_type jacobi -ksp_norm_type unpreconditioned"       },
  {KSPCG,        "-pc_type jacobi -ksp_norm_type natural"                },
  {KSPCG,        "-pc_type none"                                         },
  {KSPCG,        "-pc_type jacobi -pc_jacobi_type rowmax"                },
  {KSPBCGS,      "-pc_type jacobi"                                       },
  {KSPBCGS,      "-pc_type pbjacobi"                                     },
  {KSPBCGS,      "-pc_type none"                                         },
  {KSPBCGS,      "-pc_type jacobi -ksp_initial_guess_nonzero"            },
  {KSPCHEBYSHEV, BOUNDS "-pc_type jacobi"                                },
  {KSPCHEBYSHEV, BOUNDS "-pc_type jacobi -ksp_norm_type unpreconditioned"},
  {KSPCHEBYSHEV, BOUNDS "-pc_type pbjacobi"                              },
  {KSPCHEBYSHEV, BOUNDS "-pc_type none"                                  },
};

/* Every process has found the same numbers */
static PetscErrorCode CheckAlike(const Result *r)
{
  PetscReal ends[4] = {(PetscReal)r->its, (PetscReal)r->reason, r->rnorm, (PetscReal)r->n}, least[4], most[4];

  PetscFunctionBeginUser;
  PetscCallMPI(MPIU_Allreduce(ends, least, 4, MPIU_REAL, MPIU_MIN, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(ends, most, 4, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  for (int k = 0; k < 4; k++) PetscCall(CheckTrue(least[k] == most[k], "all processes end alike"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How the view says that sums and halo went, and a persistent kernel where there is one; Chebyshev iteration has none */
static PetscErrorCode CheckWay(const System *s, Mat A, const char options[], const Plan *p)
{
  char              option[8] = "mpi";
  const PetscMPIInt size      = CheckProcesses();
  PetscBool         peer, persistent, wants = PETSC_FALSE, bdiagh;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-heptane_comm", option, sizeof(option), NULL));
  PetscCall(PetscStrcmp(option, "peer", &peer));
  const char *const way = peer ? "memory to memory" : "MPI";
  PetscCall(CheckTrue(strstr(p->text, CheckText("%d processes: sums by %s, halo by %s\n", (int)size, way, way)) != NULL, p->text));
  PetscCall(PetscStrcmp(p->mode, "persistent", &persistent));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, "mpiaijbdiagh", &bdiagh));
  PetscCall(WantsPersistent(s, s->split ? 0 : s->cells / size, options, &wants));
  PetscCall(CheckTrue(persistent ? !strstr(p->text, "type: fusedchebyshev") : !(wants && peer && bdiagh), "a persistent kernel where it can be"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One system by one solver */
static PetscErrorCode CompareSystem(const System *s, Mat A, Vec b, Vec guess, const char options[])
{
  static Result r[2];
  static Plan   p;
  KSP           twin;
  Mat           R;
  char          all[256];

  PetscFunctionBeginUser;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &R));
  PetscCall(Where(s, options));
  PetscCall(TwinSolve(R, b, guess, options, &twin, &r[1]));
  PetscCall(PetscSNPrintf(all, sizeof(all), "%s " MIXED, options));
  PetscCall(MixedSolve(A, b, guess, all, &r[0], &p));
  PetscCall(CheckPromise(twin, R, b, NULL, &r[0], &r[1], MIXED));
  PetscCall(CheckAlike(&r[0]));
  PetscCall(CheckTrue(strstr(p.text, "precision: mixed, ") && !strstr(p.text, "precision: double"), p.text));
  if (SystemRows(s) > 500) PetscCall(CheckTrue(strstr(p.text, " updates, ") != NULL, "more than one update"));
  PetscCall(CheckWay(s, A, options, &p));
  PetscCall(ResultDestroy(&r[0]));
  PetscCall(ResultDestroy(&r[1]));
  PetscCall(CheckDestroy(&twin, &R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In what one process has alone, by number of the last row, or of the columns of others; says: what the view has to say on all of them */
static const struct {
  const char *twin, *options;
  PetscInt    column; /* from the last row */
  PetscScalar value;
  PetscBool   more; /* needs a matrix type that puts entries aside, and says so */
  const char *says;
} lone[] = {
  {KSPCG,   "-pc_type jacobi",                               0,  -5,   PETSC_FALSE, "precision: double: the diagonal of the preconditioner is not positive"},
  {KSPBCGS, "-pc_type none",                                 0,  1e32, PETSC_FALSE, "out of the range of single precision"                                 },
  {KSPBCGS, "-pc_type none",                                 -1, 1e32, PETSC_FALSE, "out of the range of single precision"                                 },
  {KSPBCGS, "-pc_type pbjacobi -mat_bdiagh_max_remainder 1", -2, 1e-3, PETSC_TRUE,  ": point blocks, and "                                                 },
};

/* column -1: the first of the first process; -2: one that is off the diagonals. Then the solve has the bits of one in double precision. */
static PetscErrorCode CheckLone(void)
{
  static Result r[2];
  static Plan   p;
  PetscBool     sellp;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_type", &sellp));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lone); k++) {
    const System   s    = {.kind = "grid", .cells = 150, .bs = 3, .seed = 5, .symmetric = TwinIsSymmetric()};
    const PetscInt last = SystemRows(&s) - 1, column = lone[k].column == -1 ? 0 : lone[k].column == -2 ? last - 8 : last;
    Mat            A;
    Vec            b;
    char           all[256];

    if (!TwinIs(lone[k].twin) || (lone[k].more && sellp)) continue;
    PetscCall(WhereWith(&s, lone[k].options)); /* the matrix has some of them */
    PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatSetValue(A, last, column, lone[k].value, INSERT_VALUES));
    PetscCall(CheckAssemble(A));
    PetscCall(OptionsSwitch(lone[k].options, PETSC_FALSE));
    PetscCall(CheckVecs(A, &b, 5, NULL, 0));
    PetscCall(PetscSNPrintf(all, sizeof(all), "%s -ksp_max_it 20", lone[k].options));
    PetscCall(MixedSolve(A, b, NULL, all, &r[1], &p));
    PetscCall(PetscSNPrintf(all, sizeof(all), MIXED "%s -ksp_max_it 20", lone[k].options));
    PetscCall(MixedSolve(A, b, NULL, all, &r[0], &p));
    PetscCall(CheckTrue(strstr(p.text, lone[k].says) && strstr(p.text, "precision: double: ") && !strstr(p.text, "precision: mixed"), p.text));
    PetscCall(CheckAlike(&r[0]));
    if (ResultMeans(&r[1])) PetscCall(CheckRepeat(&r[0], &r[1], "in double precision"));
    for (int j = 0; j < 2; j++) PetscCall(ResultDestroy(&r[j]));
    PetscCall(SystemDestroy(&A, &b));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of one process alone that change between solves of one KSP: the copies of all are made anew */
static PetscErrorCode CheckChanges(void)
{
  const System  s = {.kind = "grid", .cells = 400, .bs = 1, .seed = 7, .symmetric = TwinIsSymmetric()};
  static Result r;
  Mat           A, R;
  Vec           b;
  KSP           ksp;

  PetscFunctionBeginUser;
  PetscCall(SystemWithSide(&s, &A, &b));
  PetscCall(Where(&s, "changes"));
  PetscCall(OptionsSwitch("-pc_type jacobi " MIXED, PETSC_TRUE));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  for (int k = 0; k < 3; k++) {
    if (k) PetscCall(MatSetValue(A, k == 1 ? 0 : s.cells - 1, k == 1 ? 0 : s.cells - 1, 30., ADD_VALUES));
    PetscCall(CheckAssemble(A));
    PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &R));
    PetscCall(ResultSolve(ksp, PETSC_FALSE, KSPSolve, b, NULL, &r));
    PetscCall(CheckPromise(ksp, R, b, NULL, &r, &r, "other values"));
    PetscCall(CheckAlike(&r));
    PetscCall(ResultDestroy(&r));
    PetscCall(MatDestroy(&R));
  }
  PetscCall(OptionsSwitch("-pc_type jacobi " MIXED, PETSC_FALSE));
  PetscCall(CheckDestroy(&ksp, &b, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* GPUs between which MPI exchanges: there is no fused product */
static PetscErrorCode CheckByMpi(void)
{
  const System  s = {.kind = "grid", .cells = 100, .bs = 1, .seed = 5, .symmetric = TwinIsSymmetric()};
  static Result r;
  static Plan   p;
  PetscBool     device = CheckOption("-expect_cuda");
  Mat           A;
  Vec           b;

  PetscFunctionBeginUser;
  if (!device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SystemWithSide(&s, &A, &b));
  PetscCall(OptionsSwitch("-heptane_comm mpi", PETSC_TRUE));
  PetscCall(MixedSolve(A, b, NULL, "-pc_type jacobi " MIXED, &r, &p));
  PetscCall(OptionsSwitch("-heptane_comm peer", PETSC_TRUE));
  PetscCall(CheckTrue(r.reason > 0 && strstr(p.text, "precision: double: MPI exchanges between GPUs"), p.text));
  PetscCall(ResultDestroy(&r));
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MixedRanks(void)
{
  System    s = {.kind = "grid", .symmetric = TwinIsSymmetric()};
  PetscInt  cells[8], bs[8], splits[3] = {0}, ncells = 8, nbs = 8, nsplits = 3;
  PetscBool given, brief = CheckOption("-brief");
  Mat       A;
  Vec       b, guess;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-cells", cells, &ncells, NULL));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-bs", bs, &nbs, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plane", &s.plane, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-wells", &s.wells, NULL));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-split", splits, &nsplits, &given));
  if (!given) nsplits = 1;
  for (PetscInt c = 0; c < ncells; c++)
    for (PetscInt k = 0; k < nbs * nsplits; k++) {
      s.cells = cells[c], s.bs = bs[k % nbs], s.split = splits[k / nbs], s.seed = 1 + c;
      PetscCall(SystemCreate(PETSC_COMM_WORLD, &s, &A));
      PetscCall(CheckVecs(A, &b, 5, &guess, 9));
      for (size_t o = 0; o < PETSC_STATIC_ARRAY_LENGTH(solvers); o++)
        if (TwinIs(solvers[o].twin)) PetscCall(CompareSystem(&s, A, b, strstr(solvers[o].options, "guess") ? guess : NULL, solvers[o].options));
      PetscCall(CheckDestroy(&b, &guess, &A));
    }
  if (brief) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckLone());
  PetscCall(CheckChanges());
  PetscCall(CheckByMpi());
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(MixedRanks, NULL, "mixed_ranks", 300)

/*TEST
  testset:
    requires: double
    nsize: 2
    args: -type fusedcg,fusedbcgs,fusedchebyshev -rejects 0 -mat_type {{bdiagh sellp}} -heptane_test_comm_check -heptane_comm {{mpi peer}}
    output_file: output/mixed_ranks.out
    test:
      suffix: 2
      comments: quick
      args: -cells 1,33,257 -bs 1,3
    # ranks without rows
    test:
      suffix: empty
      args: -cells 1,65 -bs 1,3 -split 1,2
    test:
      suffix: wells
      args: -cells 600 -bs 3 -wells 2 -mat_bdiagh_max_remainder 1 -brief

  # more processes than processors take turns
  testset:
    requires: double
    args: -rejects 0 -heptane_test_comm_check -heptane_comm {{mpi peer}} -brief
    output_file: output/mixed_ranks.out
    test:
      suffix: 3
      nsize: 3
      args: -type fusedcg,fusedbcgs,fusedchebyshev -cells 3,130 -bs 2 -split 0,1
    test:
      suffix: 4
      nsize: 4
      args: -type fusedcg,fusedbcgs -cells 150 -bs 3 -split 0,2

  testset:
    requires: cuda double
    args: -type fusedcg,fusedbcgs,fusedchebyshev -rejects 0 -mat_type {{bdiagh sellp}} -heptane_test_comm_check -heptane_comm peer -expect_cuda
    output_file: output/mixed_ranks.out
    test:
      suffix: cuda
      nsize: 2
      args: -cells 1,33,257,2049 -bs 1,3 -mode kernels,graph,persistent
    test:
      suffix: cuda_blocks
      nsize: 2
      args: -cells 257 -bs 2,4,5,8,17 -mode graph
    test:
      suffix: cuda_wells
      nsize: 2
      args: -cells 1300 -bs 1,3 -wells 3 -mat_bdiagh_max_remainder 1 -mode kernels,graph -brief
    test:
      suffix: cuda_empty
      nsize: 2
      args: -cells 1,65 -bs 1,3 -split 1,2 -mode kernels,graph
    # for compute-sanitizer
    test:
      suffix: cuda_small
      nsize: 2
      args: -cells 33 -bs 1,3 -mode kernels -brief
    # processes that share a GPU take turns, milliseconds each
    test:
      suffix: cuda_4
      nsize: 4
      args: -cells 130 -bs 3 -split 0,1,2 -mode graph

  # 17, 13, 10 and 4 rows of a thread, with fewer in the blocks at the boundary where a plane has many rows
  testset:
    requires: cuda double
    args: -rejects 0 -heptane_test_comm_check -heptane_comm peer -brief -cells 50000 -bs 1 -ksp_rtol 1e-11 -mode persistent -expect_cuda
    output_file: output/mixed_ranks.out
    test:
      suffix: cuda_persistent_rows
      nsize: 2
      args: -type fusedbcgs -plane 2000 -ksp_fused_persistent_blocks {{3 4 5 13}}
    test:
      suffix: cuda_persistent_lines
      nsize: {{2 3}}
      args: -type fusedcg,fusedbcgs -plane 20 -ksp_fused_persistent_blocks 6

  test:
    suffix: cuda_persistent_small
    output_file: output/mixed_ranks.out
    requires: cuda double
    nsize: 2
    args: -type fusedcg,fusedbcgs -rejects 0 -heptane_test_comm_check -heptane_comm peer -brief -cells 400 -bs 1 -plane 20 -mode persistent -ksp_fused_persistent_blocks 2 -expect_cuda
TEST*/
