/* Longer than 250 lines: the harness takes its cases from the program that runs them. */
static char help[] =
  "The processes of a node write sums and halo into each other's memory, or NCCL or MPI moves them: the same results, and an error where one does not come.\n";

#include "common/ranks_way.h"
#include "common/try.h"

/* Both ways, against the twin each, and two addends have the same bits in either order */
static PetscErrorCode BothWays(const System *s, const char options[])
{
  static Result     r[2], again;
  static Plan       plan;
  const PetscMPIInt size   = CheckProcesses();
  PetscBool         device = PETSC_FALSE, alike = PETSC_TRUE;

  PetscFunctionBeginUser;
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  for (int way = 0; way < 2; way++) {
    KSP ksp[2];
    Mat A;
    Vec b;

    PetscCall(OptionsSwitch(ranks_ways[way], PETSC_TRUE));
    PetscCall(Where(s, ranks_ways[way]));
    PetscCall(SystemCreate(PETSC_COMM_WORLD, s, &A)); /* the halo is made once for each matrix */
    PetscCall(CheckVecs(A, &b, 5, NULL, 0));
    for (int k = 0; k < 2; k++) PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
    PetscCall(ComparePair(s, ksp[0], ksp[1], KSPSolve, 1, b, NULL, options));
    PetscCall(ResultSolve(ksp[0], PETSC_FALSE, KSPSolve, b, NULL, &r[way]));
    PetscCall(CheckRanksWay(s, ksp[0], way));
    PetscCall(Look(ksp[0], &plan));
    if (strstr(plan.text, "not by NCCL")) alike = PETSC_FALSE; /* products are MatMult(), which adds in another order */
    PetscCall(OnDevice(A, &device));
    if (device && way) { /* as often as it is run */
      PetscCall(ResultSolve(ksp[0], PETSC_FALSE, KSPSolve, b, NULL, &again));
      PetscCall(CheckRepeat(&again, &r[way], "again from memory to memory"));
      PetscCall(ResultDestroy(&again));
    }
    PetscCall(MatScale(A, 2.0));
    PetscCall(ComparePair(s, ksp[0], ksp[1], KSPSolve, 2, b, NULL, "after MatScale()"));
    PetscCall(CheckDestroy(&ksp[0], &ksp[1], &b, &A));
    PetscCall(OptionsSwitch(ranks_ways[way], PETSC_FALSE));
  }
  if (size == 2 && !device && alike) PetscCall(CheckRepeat(&r[1], &r[0], "from memory to memory"));
  for (int way = 0; way < 2; way++) PetscCall(ResultDestroy(&r[way]));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last process is late when it begins with the iterations: a monitor would keep them from running in one kernel */
static PetscBool late_events = PETSC_FALSE;

static PetscErrorCode LateEvent(PetscLogEvent event, int t, PetscObject a, PetscObject b, PetscObject c, PetscObject d)
{
  PetscMPIInt   rank = CheckRank(), size = CheckProcesses();
  PetscLogEvent iterations;

  PetscFunctionBeginUser;
  (void)t, (void)a, (void)b, (void)c, (void)d;
  if (!late_events) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventGetId("KSPFusedIter", &iterations));
  if (event != iterations) PetscFunctionReturn(PETSC_SUCCESS);
  late_events = PETSC_FALSE;
  if (rank == size - 1) PetscCall(PetscSleep(1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
static PetscErrorCode NoEvent(PetscLogEvent event, int t, PetscObject a, PetscObject b, PetscObject c, PetscObject d)
{
  (void)event, (void)t, (void)a, (void)b, (void)c, (void)d;
  return PETSC_SUCCESS;
}

/* Once, since PETSc takes four listeners, and tests run once for each method and mode */
static PetscErrorCode Listen(void)
{
  static PetscBool listens = PETSC_FALSE;

  PetscFunctionBeginUser;
  if (!listens) PetscCall(PetscLogLegacyCallbacksBegin(LateEvent, NoEvent, NULL, NULL));
  listens = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last process is late in iteration 3 */
static PetscErrorCode Late(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  const PetscMPIInt rank = CheckRank(), size = CheckProcesses();

  PetscFunctionBeginUser;
  (void)ksp, (void)norm;
  if (it == 3 && *(PetscBool *)ctx && rank == size - 1) PetscCall(PetscSleep(1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All of them end alike, with an error where they wait for each other's memory, and the next solve is as ever. called: the preconditioner */
static PetscErrorCode TooLate(const System *s, const char options[], PetscBool called)
{
  static Plan       plan;
  const char *const limit = "-heptane_comm_timeout 0.2";
  PetscErrorCode    code  = PETSC_SUCCESS;
  PetscBool         late  = PETSC_TRUE, aij, persistent;
  MatType           type;
  int               first[2];
  KSP               ksp[2], other;
  Mat               A;
  Vec               b, x;

  PetscFunctionBeginUser;
  PetscCall(Where(s, limit));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(OptionsSwitch(ranks_ways[1], PETSC_TRUE));
  PetscCall(OptionsSwitch(limit, PETSC_TRUE));
  PetscCall(SystemCreate(PETSC_COMM_WORLD, s, &A));
  PetscCall(CheckVecs(A, &b, 5, &x, 0));
  for (int k = 0; k < 2; k++) PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscStrcmp(type, MATMPIAIJ, &aij));
  PetscCall(ModeIs("persistent", &persistent));
  if (persistent) late_events = PETSC_TRUE;
  else PetscCall(KSPMonitorSet(ksp[0], Late, &late, NULL));
  PetscCall(TrySolve(ksp[0], b, x, &code));
  first[0] = code, first[1] = -code;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, first, 2, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(CheckTrue(first[0] == -first[1] && (!code || code == PETSC_ERR_LIB), "all processes end alike"));
  late = PETSC_FALSE;
  PetscCall(OptionsSwitch(limit, PETSC_FALSE)); /* a busy machine may be that late */
  PetscCall(SolverCreate(A, A, compare_type, &other));
  PetscCall(ComparePair(s, other, ksp[1], KSPSolve, 1, b, NULL, "another solver of the matrix"));
  PetscCall(KSPDestroy(&other));
  for (int k = 0; k < 2; k++) PetscCall(ComparePair(s, ksp[0], ksp[1], KSPSolve, 1, b, NULL, "the next solve"));
  PetscCall(CheckRanksWay(s, ksp[0], 1));
  PetscCall(Look(ksp[0], &plan));
  PetscCall(CheckTrue(code || aij || called || TwinIs(KSPBICG) || TwinIs(KSPCHEBYSHEV) || strstr(plan.text, "not by NCCL"),
                      "with an error")); /* else the first wait is one of MPI, which has none */
  PetscCall(CheckDestroy(&ksp[0], &ksp[1], &b, &x, &A));
  PetscCall(OptionsSwitch(ranks_ways[1], PETSC_FALSE));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Ranks(void)
{
  const char *const options[] = {"-pc_type jacobi", "-pc_type pbjacobi", "-pc_type none", "-pc_type bjacobi -sub_pc_type ilu"};
  System            s         = {.kind = "grid", .seed = 20, .symmetric = TwinIs(KSPCG)};
  PetscBool         large, cuda = CheckOption("-expect_cuda"), brief = CheckOption("-brief");

  PetscFunctionBeginUser;
  PetscCall(RanksWaysGet());
  if (brief) {
    for (s.bs = 1; s.bs < 4; s.bs += 2) {
      s.cells = s.bs == 1 ? 6000 : 130;
      PetscCall(BothWays(&s, options[s.bs > 1]));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* Many rows for each block of a persistent kernel: of planes so large that vectors are exchanged in it; with entries off the diagonals, of one process and between processes */
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plane", &s.plane, &large));
  if (large) {
    s.bs = 1, s.cells = 50000;
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-cells", &s.cells, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-bs", &s.bs, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-wells", &s.wells, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-hub", &s.hub, NULL));
    for (size_t k = 0; k < 3; k++)
      if (k != 1 || s.bs > 1) PetscCall(BothWays(&s, options[k]));
    PetscCall(Listen());
    if (s.wells) PetscCall(TooLate(&s, options[0], PETSC_FALSE));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (s.split = 0; s.split < 3; s.split++) {
    for (s.bs = 1; s.bs < 4; s.bs += 2) {
      s.cells = s.bs == 1 ? 900 : 130;
      for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); k++) PetscCall(BothWays(&s, options[k]));
    }
  }
  s.split = 0;
  for (s.bs = 1; cuda && s.bs < 4; s.bs += 2) { /* whole tiles of the device without columns of other processes, between others */
    s.cells = s.bs == 1 ? 6000 : 1500;
    PetscCall(BothWays(&s, options[s.bs > 1]));
  }
  s.bs = 1, s.cells = 900;
  PetscCall(Listen());
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); k += 3) PetscCall(TooLate(&s, options[k], (PetscBool)(k > 0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

COMPARE_MAIN(Ranks, CompareSmall, "ranks", 100000)

/*TEST
  testset:
    nsize: 2
    output_file: output/ranks.out
    # with -log_sync, which the harness sets, events wait for all processes, without a limit
    args: -options_left 0 -log_sync 0
    test:
      suffix: 2
      args: -mat_type {{bdiagh aij sellp}}
    test:
      suffix: chebyshev
      args: -type fusedchebyshev
    test:
      suffix: 2_nccl
      args: -type fusedcg,fusedbcgs -by_nccl
    test:
      suffix: 2_nccl_brief
      args: -mat_type {{aij sellp}} -brief -type fusedcg,fusedbcgs -by_nccl
    test:
      suffix: 2_nccl_wells
      args: -type fusedcg,fusedbcgs -plane 0 -cells 1300 -mat_bdiagh_max_remainder 1 -wells 3 -hub 300 -by_nccl -ksp_fused_fold {{auto yes}}
    # wells through both processes, and many entries in few rows; then one process without entries off the diagonals of its own
    test:
      suffix: 2_wells
      comments: quick
      args: -type fusedcg,fusedbcgs -plane 0 -cells 1300 -mat_bdiagh_max_remainder 1 -wells 3 -hub 300
    test:
      suffix: 2_wells_blocks
      args: -type fusedcg,fusedbcgs -plane 0 -cells 1300 -bs 3 -mat_bdiagh_max_remainder 1 -wells 3 -hub 40 -ksp_fused_fold {{auto yes}}
    test:
      suffix: 2_wells_of_one
      args: -type fusedcg,fusedbcgs -plane 0 -cells 1300 -hub 2
    test:
      suffix: persistent
      args: -mat_type {{bdiagh sellp}} -type fusedcg,fusedbcgs -mode persistent

  testset:
    nsize: 4
    output_file: output/ranks.out
    args: -options_left 0 -log_sync 0
    test:
      suffix: 4
      args: -mat_type {{bdiagh sellp}} -type fusedcg,fusedbcgs
    test:
      suffix: 4_nccl
      args: -mat_type {{bdiagh sellp}} -brief -type fusedcg,fusedbcgs -by_nccl
    # more than can write into each other's memory
    test:
      suffix: 9_nccl
      nsize: 9
      args: -brief -type fusedcg -by_nccl

  testset:
    requires: cuda
    nsize: 2
    output_file: output/ranks.out
    args: -options_left 0 -log_sync 0
    test:
      suffix: 2_nccl_cuda
      args: -mat_type {{bdiagh sellp}} -type fusedcg,fusedbcgs,fusedchebyshev -mode {{kernels graph auto}} -by_nccl -expect_cuda
    test:
      suffix: 2_nccl_wells_cuda
      args: -type fusedcg,fusedbcgs -mode graph -plane 0 -cells 1300 -bs {{1 3}} -mat_bdiagh_max_remainder 1 -wells 3 -hub 40 -ksp_fused_fold {{auto yes}} -by_nccl -expect_cuda
    test:
      suffix: 2_nccl_wells_sellp_cuda
      args: -mat_type sellp -type fusedcg,fusedbcgs -mode graph -plane 0 -cells 1300 -bs {{1 3}} -wells 3 -hub 40 -by_nccl -expect_cuda
    test:
      suffix: 2_cuda
      args: -mat_type {{bdiagh sellp}} -brief -mode kernels,graph -expect_cuda
    # rows with so many columns of the other process that a warp forms their sum, and, beside them, rows with few
    test:
      suffix: 2_wells_kernels_cuda
      args: -type fusedcg,fusedbcgs -mode kernels,graph -plane 0 -cells 1300 -bs {{1 3}} -mat_bdiagh_max_remainder 1 -wells 3 -hub 40 -ksp_fused_fold {{auto yes}} -expect_cuda
    test:
      suffix: 2_wells_sellp_cuda
      args: -mat_type sellp -type fusedcg,fusedbcgs -mode kernels -plane 0 -cells 1300 -bs {{1 3}} -wells 3 -hub 40 -expect_cuda
    # small enough for compute-sanitizer
    test:
      suffix: 2_cuda_small
      args: -brief -type fusedcg,fusedbcgs -rejects 0 -mode kernels,persistent -expect_cuda
    test:
      suffix: 2_wells_cuda_small
      args: -type fusedcg,fusedbcgs -rejects 0 -mode persistent -plane 600 -cells 6000 -hub 20 -mat_bdiagh_max_remainder 1 -ksp_fused_persistent_blocks 2 -ksp_max_it 5 -expect_cuda
    test:
      suffix: 2_persistent_cuda
      args: -mat_type {{bdiagh sellp}} -type fusedcg,fusedbcgs -mode persistent -expect_cuda
    # 15 and 8 rows of a thread, blocks at the ends with fewer rows than others; 17, which CG has; then planes of any kind
    test:
      suffix: 2_persistent_blocks_cuda
      args: -type fusedcg,fusedbcgs -mode persistent -plane 1000 -ksp_fused_persistent_blocks {{4 7}} -expect_cuda
    test:
      suffix: 2_persistent_blocks_cg_cuda
      args: -type fusedcg -mode persistent -plane 1000 -ksp_fused_persistent_blocks 3 -expect_cuda
    # 25 rows of a thread, of those that CG alone has, with vectors in global memory
    test:
      suffix: 2_persistent_wide_cuda
      args: -type fusedcg -mode persistent -plane {{1000 4000}} -ksp_fused_persistent_blocks 2 -expect_cuda
    test:
      suffix: 2_persistent_planes_cuda
      args: -type fusedcg,fusedbcgs -mode persistent -plane 505 -ksp_fused_persistent_blocks {{7 13}} -expect_cuda
    # with entries off the diagonals: matrix and vectors on chip; more rows with many columns of the other process than there is room for in a block
    test:
      suffix: 2_persistent_wells_cuda
      args: -type fusedcg,fusedbcgs -mode persistent -plane 0 -cells 4100 -mat_bdiagh_max_remainder 1 -wells {{0 2}} -hub {{2 129 2000}} -expect_cuda
    test:
      suffix: 2_persistent_many_wells_cuda
      args: -type fusedcg,fusedbcgs -mode persistent -plane 0 -cells 3900 -mat_bdiagh_max_remainder 1 -wells 5 -ksp_fused_persistent_blocks {{0 1}} -expect_cuda
    # 5 rows of a thread, of vectors in shared memory, which CG has; 6, vectors exchanged
    test:
      suffix: 2_persistent_shared_cuda
      args: -type fusedcg,fusedbcgs -mode persistent -plane 600 -cells {{10000 12000}} -mat_bdiagh_max_remainder 1 -hub {{0 100}} -ksp_fused_persistent_blocks 2 -expect_cuda
    # vectors exchanged: 6 and 8 rows of a thread, 15, and blocks at the ends with fewer rows than others
    test:
      suffix: 2_persistent_wells_exchanged_cuda
      args: -type fusedcg,fusedbcgs -mode persistent -plane 600 -cells {{12000 20000}} -mat_bdiagh_max_remainder 1 -wells {{0 3}} -hub 100 -ksp_fused_persistent_blocks {{2 4}} -expect_cuda
    # 9 rows of a thread, blocks at the ends with 4; then 16, where CG has 17
    test:
      suffix: 2_persistent_wells_ends_cuda
      args: -type fusedcg,fusedbcgs -mode persistent -plane 600 -cells 49200 -wells 3 -hub 100 -ksp_fused_persistent_blocks 6 -expect_cuda
    test:
      suffix: 2_persistent_wells_most_cuda
      args: -type fusedcg,fusedbcgs -mode persistent -plane 600 -cells 48000 -wells 3 -hub 100 -ksp_fused_persistent_blocks 3 -expect_cuda
    test:
      suffix: 2_persistent_wells_planes_cuda
      args: -type fusedcg,fusedbcgs -mode persistent -plane 505 -cells 20000 -wells 3 -hub 100 -ksp_fused_persistent_blocks {{3 7}} -expect_cuda

  testset:
    requires: cuda
    nsize: 4
    output_file: output/ranks.out
    args: -options_left 0 -log_sync 0
    test:
      suffix: 4_cuda
      args: -mat_type {{bdiagh sellp}} -type fusedcg,fusedbcgs -mode {{auto persistent}} -expect_cuda
    test:
      suffix: 4_persistent_shared_cuda
      args: -type fusedcg,fusedbcgs -mode persistent -plane 600 -cells {{20000 24000}} -mat_bdiagh_max_remainder 1 -wells {{0 3}} -ksp_fused_persistent_blocks 2 -expect_cuda
    test:
      suffix: 4_persistent_wells_cuda
      args: -type fusedcg,fusedbcgs -mode persistent -plane 600 -cells 24000 -wells 3 -hub 100 -ksp_fused_persistent_blocks 3 -expect_cuda
    test:
      suffix: 4_persistent_blocks_cuda
      args: -type fusedcg,fusedbcgs -mode persistent -plane 1000 -ksp_fused_persistent_blocks 5 -expect_cuda
TEST*/
