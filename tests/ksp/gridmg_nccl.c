static char help[] =
  "Fused solves with PCGRIDMG, sums and halo by NCCL, on the first process or, with -slabs, in slabs, against solves by MPI and PETSc's; a process that is late.\n";

#include "common/gridcg.h"
#include "common/ranks_grid.h"
#include "../mat/common/check_device.h"

static PetscBool by_nccl = PETSC_TRUE; /* on a device that processes share there is no NCCL */
static PetscBool slabs   = PETSC_FALSE;

/* A solver with the preconditioner of another one, or with its own */
static PetscErrorCode Solver(Mat A, const char type[], PC pc, KSP *ksp)
{
  PetscFunctionBeginUser;
  PetscCall(CgCreate(A, type, KSP_NORM_UNPRECONDITIONED, ksp));
  if (pc) PetscCall(KSPSetPC(*ksp, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the view of the preconditioner has to say */
static const char *By(PetscBool nccl)
{
  return !nccl ? "vectors by messages: " : slabs ? "(NCCL), coarser levels" : "vectors by NCCL: ";
}

/* What the views have to say of the exchange in the last solve; watched: by a monitor, which reads the solution of each iteration */
static PetscErrorCode SaysHow(KSP ksp, PetscBool cycle, PetscBool nccl, PetscBool watched)
{
  char text[8000];

  PetscFunctionBeginUser;
  PetscCall(CheckViewText((PetscObject)ksp, PETSC_VIEWER_ASCII_INFO, text, sizeof(text)));
  PetscCall(CheckTrue(strstr(text, By(cycle)) != NULL, "the view of the preconditioner"));
  PetscCall(CheckTrue(strstr(text, nccl ? "sums by NCCL, halo by NCCL" : "sums by MPI") != NULL, "the view of the solver"));
  PetscCall(CheckTrue(watched || !nccl || !CheckOption("-expect_cuda") || strstr(text, "mode graph on the device"), "a graph"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Nothing(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  (void)ksp, (void)it, (void)norm, (void)ctx;
  return PETSC_SUCCESS;
}

/* One system by MPI, by NCCL, with other values, with a monitor that may read the solution, by MPI again, from memory to memory, and by PETSc's solver with the same preconditioner */
static PetscErrorCode Case(Grid g, PetscInt split, const char type[], const char twin[])
{
  const char *const ways[] = {"nccl", "nccl", "nccl", "nccl", "mpi", "peer"};
  Outcome           mpi, ours, cg;
  Vec               x[2];
  PC                pc;
  KSP               ksp, stock;
  DM                da;
  Mat               A;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%s, %d x %d x %d cells of %d, %d wells, split %d", type, (int)g.n[0], (int)g.n[1], (int)g.n[2], (int)g.bs, (int)g.wells, (int)split));
  PetscCall(DividedOrBoxes(&g, split, &da, &A));
  PetscCall(CheckDevice(A));
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm", "mpi"));
  PetscCall(Solver(A, type, NULL, &ksp));
  PetscCall(CgRun(ksp, A, PETSC_FALSE, &mpi, &x[0]));
  PetscCall(SaysHow(ksp, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE));
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm", "nccl"));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(Solver(A, twin, pc, &stock));
  for (int k = 0; k < 6; k++) {
    PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm", ways[k]));
    PetscCall(CgRun(ksp, A, (PetscBool)(k == 1), &ours, &x[1]));
    if (k == 5) PetscCall(Says(pc, slabs ? "coarser levels on every process" : "vectors by messages: ", "the place of the grid"));
    else PetscCall(SaysHow(ksp, (PetscBool)(by_nccl && k < 4), (PetscBool)(by_nccl && k < 4), (PetscBool)(k == 3)));
    if (k == 0) PetscCall(CgCompare(&ours, &mpi, 2));
    if (k == 0) PetscCall(CheckVec(x[1], x[0], 1e-5, "the solution by MPI"));
    PetscCall(VecDestroy(&x[1]));
    PetscCall(CgRun(stock, A, (PetscBool)(k == 1), &cg, NULL));
    if (k < 5) PetscCall(Says(pc, By((PetscBool)(slabs && by_nccl && k < 4)), "PETSc's solver exchanges by MPI, with slabs by NCCL"));
    PetscCall(CgCompare(&ours, &cg, 100));
    g.seed++;
    if (k == 1) PetscCall(DividedOrBoxesFill(&g, da, A));
    if (k == 2) PetscCall(KSPMonitorSet(ksp, Nothing, NULL, NULL));
  }
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm", "nccl"));
  PetscCall(CheckDestroy(&stock, &ksp, &x[0], &A));
  if (da) PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last process is late in iteration 3 */
static PetscErrorCode Late(KSP ksp, PetscInt it, PetscReal norm, void *late)
{
  PetscFunctionBeginUser;
  (void)ksp, (void)norm;
  if (it == 3 && *(PetscBool *)late && CheckRank() == CheckProcesses() - 1) PetscCall(PetscSleep(1.0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All processes end with an error, and the next solve is as ever, by NCCL or, with other values, by what the error proposes */
static PetscErrorCode TooLate(Grid g, const char type[], const char twin[], PetscBool proposed)
{
  const PetscBool nccl = (PetscBool)(by_nccl && !proposed);
  PetscErrorCode  code = PETSC_SUCCESS;
  PetscBool       late = PETSC_TRUE;
  Outcome         ours, cg;
  KSP             ksp, stock;
  DM              da;
  Mat             A;
  Vec             x, b;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("%s, a process that is late", type));
  PetscCall(DividedOrBoxes(&g, 0, &da, &A));
  PetscCall(CheckVecs(A, &x, 5, &b, 3));
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm_timeout", "0.2"));
  PetscCall(Solver(A, type, NULL, &ksp));
  PetscCall(KSPMonitorSet(ksp, Late, &late, NULL));
  CheckCode(code, KSPSolve(ksp, b, x));
  PetscCall(CheckTrue(code == (by_nccl ? PETSC_ERR_LIB : PETSC_SUCCESS), CheckText("error %d", (int)code)));
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm_timeout", "30"));
  late = PETSC_FALSE;
  if (proposed) {
    PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm", "mpi"));
    g.seed++;
    PetscCall(DividedOrBoxesFill(&g, da, A));
  }
  PetscCall(Solver(A, twin, NULL, &stock));
  PetscCall(CgRun(stock, A, PETSC_FALSE, &cg, NULL));
  PetscCall(CgRun(ksp, A, PETSC_FALSE, &ours, NULL));
  PetscCall(SaysHow(ksp, nccl, nccl, PETSC_TRUE));
  PetscCall(CgCompare(&ours, &cg, 100));
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm", "nccl"));
  PetscCall(CheckDestroy(&stock, &ksp, &x, &b, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The null space is removed by sums of MPI, so that everything but slabs is by MPI */
static PetscErrorCode Singular(Grid g)
{
  MatNullSpace null;
  Outcome      ours, cg;
  KSP          ksp, stock;
  DM           da;
  Mat          A;

  PetscFunctionBeginUser;
  PetscCall(CheckWhere("a null space"));
  g.accumulation = 0;
  PetscCall(DividedOrBoxes(&g, 0, &da, &A));
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &null));
  PetscCall(MatSetNullSpace(A, null));
  PetscCall(MatSetTransposeNullSpace(A, null));
  PetscCall(Solver(A, "fusedcg", NULL, &ksp));
  PetscCall(Solver(A, KSPCG, NULL, &stock));
  PetscCall(CgRun(ksp, A, PETSC_FALSE, &ours, NULL));
  PetscCall(SaysHow(ksp, slabs && by_nccl, PETSC_FALSE, PETSC_FALSE));
  PetscCall(CgRun(stock, A, PETSC_FALSE, &cg, NULL));
  PetscCall(CgCompare(&ours, &cg, 100));
  PetscCall(CheckDestroy(&stock, &ksp, &null, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether there is NCCL for these processes */
static PetscErrorCode Find(Grid g)
{
  char    text[8000];
  Outcome ours;
  KSP     ksp;
  DM      da;
  Mat     A;

  PetscFunctionBeginUser;
  PetscCall(DividedOrBoxes(&g, 0, &da, &A));
  PetscCall(Solver(A, "fusedcg", NULL, &ksp));
  PetscCall(CgRun(ksp, A, PETSC_FALSE, &ours, NULL));
  PetscCall(CheckViewText((PetscObject)ksp, PETSC_VIEWER_ASCII_INFO, text, sizeof(text)));
  by_nccl = (PetscBool)(strstr(text, "not by NCCL") == NULL);
  PetscCall(CheckTrue(by_nccl || CheckOption("-expect_cuda"), "NCCL on the host"));
  PetscCall(CheckDestroy(&ksp, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Grid      g = {CELLS(9, 16, 8), .bs = 1, .seed = 5, .std = 1.5, .accumulation = 1e-3, STRENGTHS(1, 2, 4)};
  PetscBool brief;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  brief = CheckOption("-brief");
  slabs = CheckOption("-slabs");
  PetscCall(PetscOptionsInsertString(NULL, slabs ? "-pc_gridmg_divide 1" : "-pc_gridmg_divide 0"));
  PetscCall(PetscOptionsInsertString(NULL, "-heptane_comm nccl -heptane_groups no"));
  PetscCall(Find(g));
  for (PetscInt split = brief ? 4 : 0; split < 5; split += slabs && split == 2 ? 2 : 1) { /* 3: not in slabs */
    g.wells = 0, g.bs = 1;
    PetscCall(Case(g, split, "fusedcg", KSPCG));
    for (g.bs = 1; g.bs < 4; g.bs += 2) PetscCall(Case(g, split, "fusedbcgs", KSPBCGS));
    g.bs    = 1;
    g.wells = split < 3 ? 2 : 0;
    if (g.wells) PetscCall(Case(g, split, "fusedcg", KSPCG));
  }
  g.wells = 0, g.bs = 1;
  PetscCall(TooLate(g, "fusedcg", KSPCG, PETSC_FALSE));
  PetscCall(TooLate(g, "fusedcg", KSPCG, PETSC_TRUE));
  if (!brief) PetscCall(TooLate(g, "fusedbcgs", KSPBCGS, PETSC_FALSE));
  PetscCall(Singular(g));
  return CheckFinish("gridmg_nccl");
}

/*TEST
  testset:
    output_file: output/gridmg_nccl.out
    # with -log_sync, which the harness sets, events wait for all processes, without a limit
    args: -log_sync 0
    test:
      suffix: 1
      nsize: {{2 3}}
    test:
      suffix: slabs
      nsize: {{2 3}}
      args: -slabs
    test:
      suffix: cuda
      nsize: 2
      requires: cuda
      args: -expect_cuda
    test:
      suffix: cuda_slabs
      nsize: 2
      requires: cuda
      args: -expect_cuda -slabs
  testset:
    output_file: output/gridmg_nccl_brief.out
    args: -log_sync 0 -brief
    test:
      suffix: brief
      comments: quick
      nsize: 2
    test:
      suffix: brief_4
      nsize: 4
    test:
      suffix: slabs_brief
      nsize: {{2 4}}
      args: -slabs
    test:
      suffix: cuda_slabs_brief
      nsize: {{2 4}}
      requires: cuda
      args: -expect_cuda -slabs
    test:
      suffix: cuda_brief
      nsize: {{2 4}}
      requires: cuda
      args: -expect_cuda
TEST*/
