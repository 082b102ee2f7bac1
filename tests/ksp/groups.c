static char help[] =
  "One process of each group solves for all (-heptane_groups): the same results, whatever changes between solves and whoever else uses the preconditioner.\n";

#include "common/compare.h"
#include "common/solution.h"
#include "common/view.h"

static PetscErrorCode Compare(const System *s, KSP ksp[2], PetscReal scale, Vec b, const char what[])
{
  PetscFunctionBeginUser;
  PetscCall(ComparePair(s, ksp[0], ksp[1], KSPSolve, scale, b, NULL, what));
  PetscCall(CheckGroups(ksp[0], PETSC_TRUE, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of the last process's first row alone */
static PetscErrorCode ChangeRow(Mat A)
{
  PetscInt           first, end, n;
  const PetscInt    *cols;
  const PetscScalar *vals;
  PetscScalar        diagonal = 0;
  PetscMPIInt        rank, size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  if (rank == size - 1 && end > first) {
    PetscCall(MatGetRow(A, first, &n, &cols, &vals));
    for (PetscInt k = 0; k < n; k++)
      if (cols[k] == first) diagonal = 3 * vals[k];
    PetscCall(MatRestoreRow(A, first, &n, &cols, &vals));
    PetscCall(MatSetValues(A, 1, &first, 1, &first, &diagonal, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Monitors of the program see every iteration, on all processes */
static PetscErrorCode Watch(KSP ksp, PetscInt it, PetscReal norm, void *ctx)
{
  PetscFunctionBeginUser;
  (void)ksp, (void)norm;
  *(PetscInt *)ctx = it;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Watched(const System *s, KSP ksp[2], Vec b)
{
  PetscInt last = -1, its;

  PetscFunctionBeginUser;
  PetscCall(KSPMonitorSet(ksp[0], Watch, &last, NULL));
  PetscCall(ComparePair(s, ksp[0], ksp[1], KSPSolve, 0, b, NULL, "with a monitor"));
  PetscCall(KSPGetIterationNumber(ksp[0], &its));
  PetscCall(CheckTrue((PetscBool)(last == its), "the last iteration that a monitor has seen"));
  PetscCall(CheckGroups(ksp[0], PETSC_TRUE, "with a monitor"));
  PetscCall(KSPMonitorCancel(ksp[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whoever applies the preconditioner finds it set up */
static PetscErrorCode Applied(KSP ksp[2], Vec b)
{
  Vec y[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; k++) {
    PC pc;

    PetscCall(KSPGetPC(ksp[k], &pc));
    PetscCall(VecDuplicate(b, &y[k]));
    PetscCall(PCApply(pc, b, y[k]));
  }
  PetscCall(CheckVec(y[0], y[1], CHECK_TOLERANCE, "PCApply() after a solve"));
  PetscCall(CheckDestroy(&y[0], &y[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One matrix: changed in all ways, with two solvers, of which the first one goes first */
static PetscErrorCode Changes(const System *s, const char options[])
{
  KSP ksp[2], other[2];
  Mat A;
  Vec b;

  PetscFunctionBeginUser;
  PetscCall(Where(s, options));
  PetscCall(OptionsSwitch(options, PETSC_TRUE));
  PetscCall(SystemWithSide(s, &A, &b));
  for (int k = 0; k < 2; k++) PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
  PetscCall(Compare(s, ksp, 1, b, "first"));
  PetscCall(MatScale(A, 2.0));
  PetscCall(Compare(s, ksp, 2, b, "after MatScale()"));
  PetscCall(Applied(ksp, b));
  PetscCall(Compare(s, ksp, 2, b, "after PCApply()"));
  PetscCall(ChangeRow(A));
  PetscCall(Compare(s, ksp, 0, b, "after MatSetValues()"));
  for (int k = 0; k < 2; k++) PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &other[k]));
  PetscCall(Compare(s, other, 0, b, "another solver"));
  PetscCall(Watched(s, ksp, b));
  PetscCall(MatScale(A, 0.5));
  PetscCall(Compare(s, ksp, 0, b, "the first one again"));
  for (int k = 0; k < 2; k++) PetscCall(KSPDestroy(&ksp[k]));
  PetscCall(Compare(s, other, 0, b, "the other one again"));
  for (int k = 0; k < 2; k++) PetscCall(KSPReset(other[k]));
  PetscCall(SystemDestroy(&A, &b));
  PetscCall(SystemWithSide(s, &A, &b));
  for (int k = 0; k < 2; k++) PetscCall(KSPSetOperators(other[k], A, A));
  PetscCall(Compare(s, other, 1, b, "another matrix"));
  PetscCall(SystemDestroy(&A, &b)); /* before its solvers */
  for (int k = 0; k < 2; k++) PetscCall(KSPDestroy(&other[k]));
  PetscCall(OptionsSwitch(options, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All processes but the first, with groups of their own, beside a solve of all */
static PetscErrorCode SubCommunicator(const System *s)
{
  MPI_Comm    comm;
  PetscMPIInt rank;
  KSP         ksp[2];
  Mat         A, mine;
  Vec         b, x[2], small;
  PetscReal   distance, relative;

  PetscFunctionBeginUser;
  PetscCall(Where(s, "a part of the processes"));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, rank > 0, rank, &comm));
  PetscCall(SystemWithSide(s, &A, &b));
  PetscCall(SystemCreate(comm, s, &mine));
  PetscCall(MatCreateVecs(mine, &small, NULL));
  PetscCall(CheckVecFill(small, 5));
  for (int k = 0; k < 2; k++) {
    PetscCall(SolverCreate(mine, mine, k ? compare_twin : compare_type, &ksp[k]));
    PetscCall(VecDuplicate(small, &x[k]));
    PetscCall(KSPSolve(ksp[k], small, x[k]));
  }
  PetscCall(VecDistance(x[0], x[1], &distance, &relative));
  PetscCall(CheckTrue((PetscBool)(relative < 100 * SolverTolerance()), "the solution of a part"));
  PetscCall(CheckDestroy(&ksp[0], &ksp[1], &x[0], &x[1], &small, &mine));
  for (int k = 0; k < 2; k++) PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
  PetscCall(Compare(s, ksp, 1, b, "all of them"));
  PetscCall(CheckDestroy(&ksp[0], &ksp[1]));
  PetscCall(SystemDestroy(&A, &b));
  PetscCallMPI(MPI_Comm_free(&comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Groups(void)
{
  const char *const options[] = {"-pc_type jacobi", "-pc_type pbjacobi", "-pc_type none", "-pc_type blockjacobireg"};
  System            s         = {.kind = "grid", .seed = 20, .symmetric = TwinIs(KSPCG)};

  PetscFunctionBeginUser;
  for (s.split = 0; s.split < 3; s.split += 2)
    for (s.bs = 1; s.bs < 4; s.bs += 2) {
      s.cells = s.bs == 1 ? 300 : 70;
      for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); k++)
        if (s.split == 0 || s.bs == 3) PetscCall(Changes(&s, options[k]));
    }
  s.split = 0, s.bs = 1, s.cells = 300;
  PetscCall(OptionsSwitch("-pc_type jacobi", PETSC_TRUE));
  PetscCall(SubCommunicator(&s));
  PetscCall(OptionsSwitch("-pc_type jacobi", PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return CompareMain(argc, argv, help, Groups, CompareSmall, "groups", 1000);
}

/*TEST
  testset:
    # with -log_sync, which the harness sets, events wait for all processes
    args: -options_left 0 -log_sync 0 -type fusedcg,fusedbcgs,fusedbicg
    output_file: output/groups.out
    test:
      suffix: 2
      comments: quick
      nsize: 2
      args: -type fusedcg -heptane_groups 2
    test:
      suffix: 4
      nsize: 4
      args: -mat_type {{bdiagh sellp}} -heptane_groups {{2 3}}
    test:
      suffix: nodes
      nsize: 4
      args: -type fusedcg -heptane_groups 2 -heptane_test_node_size 3
    test:
      suffix: cuda
      requires: cuda
      nsize: {{2 4}}
      args: -mat_type {{bdiagh sellp}} -heptane_groups 2
    test:
      suffix: 4_cuda
      requires: cuda
      nsize: 4
      args: -heptane_groups 3
TEST*/
