static char help[] =
  "A process that comes too late, an error of a leader, and one of a function of the program end a solve by groups (-heptane_groups) on all processes.\n";

#include "common/try.h"
#include "common/view.h"

/* All processes end with the same error; code: that of this one */
static PetscErrorCode CheckAlike(PetscErrorCode code, PetscErrorCode wanted, const char what[])
{
  int ends[2] = {(int)code, -(int)code};

  PetscFunctionBeginUser;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(CheckTrue((PetscBool)(ends[0] == -ends[1] && code == wanted), what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One of them comes after the limit, which is 0.2 seconds, and the next solve is as ever. alone: in its group, so that others wait for it in MPI, which has no limit */
static PetscErrorCode Late(const System *s, PetscMPIInt process, PetscBool alone)
{
  const char *const limit = "-heptane_comm_timeout 0.002";
  PetscErrorCode    code  = PETSC_SUCCESS;
  PetscMPIInt       rank;
  KSP               ksp[2];
  Mat               A;
  Vec               b, x;

  PetscFunctionBeginUser;
  PetscCall(Where(s, limit));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(SystemWithSide(s, &A, &b));
  PetscCall(VecDuplicate(b, &x));
  for (int k = 0; k < 2; k++) PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
  PetscCall(ComparePair(s, ksp[0], ksp[1], KSPSolve, 1, b, NULL, "in time"));
  PetscCall(OptionsSwitch(limit, PETSC_TRUE));
  if (rank == process) PetscCall(PetscSleep(1.0));
  PetscCall(TrySolve(ksp[0], b, x, &code));
  PetscCall(CheckAlike(code, alone ? PETSC_SUCCESS : PETSC_ERR_LIB, "all processes end alike"));
  PetscCall(OptionsSwitch(limit, PETSC_FALSE));
  PetscCall(ComparePair(s, ksp[0], ksp[1], KSPSolve, 1, b, NULL, "the next solve"));
  PetscCall(CheckDestroy(&ksp[0], &ksp[1], &x));
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error of the leaders is one of all */
static PetscErrorCode Refused(const System *s)
{
  PetscErrorCode code = PETSC_SUCCESS;
  PetscBool      known;
  KSP            ksp;
  Mat            A;
  Vec            b, x;

  PetscFunctionBeginUser;
  PetscCall(Where(s, "a matrix without a grid"));
  PetscCall(OptionsSwitch("-pc_type gridmg", PETSC_TRUE));
  PetscCall(SystemWithSide(s, &A, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(SolverCreate(A, A, compare_type, &ksp));
  PetscCall(TrySolve(ksp, b, x, &code));
  known = (PetscBool)(code != PETSC_SUCCESS);
  PetscCall(CheckAlike(code, code, "all processes end with the error of the leaders"));
  PetscCall(CheckTrue(known, "a matrix without a grid is refused"));
  PetscCall(CheckDestroy(&ksp, &x));
  PetscCall(SystemDestroy(&A, &b));
  PetscCall(OptionsSwitch("-pc_type gridmg", PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A function of the program that fails on one process, in the third iteration */
static PetscErrorCode Monitor(KSP ksp, PetscInt it, PetscReal norm, void *process)
{
  PetscFunctionBeginUser;
  (void)ksp, (void)norm;
  PetscCheck(it < 3 || CheckRank() != *(PetscMPIInt *)process, PETSC_COMM_SELF, PETSC_ERR_USER, "an error of one process");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Test(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *process)
{
  *reason = KSP_CONVERGED_ITERATING;
  return Monitor(ksp, it, norm, process);
}

/* Another reason than the other processes have */
static PetscErrorCode Disagree(KSP ksp, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *process)
{
  PetscFunctionBeginUser;
  (void)ksp, (void)norm;
  *reason = it < 3 || CheckRank() != *(PetscMPIInt *)process ? KSP_CONVERGED_ITERATING : KSP_DIVERGED_DTOL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solve ends with an error on all processes, and the next one is as ever */
static PetscErrorCode Called(const System *s, PetscMPIInt process, KSPConvergenceTestFn *test)
{
  PetscErrorCode code = PETSC_SUCCESS;
  KSP            ksp[2];
  Mat            A;
  Vec            b, x;
  void          *standard;

  PetscFunctionBeginUser;
  PetscCall(Where(s, CheckText("a function of the program, process %d", process)));
  PetscCall(SystemWithSide(s, &A, &b));
  PetscCall(VecDuplicate(b, &x));
  for (int k = 0; k < 2; k++) PetscCall(SolverCreate(A, A, k ? compare_twin : compare_type, &ksp[k]));
  if (test) PetscCall(KSPSetConvergenceTest(ksp[0], test, &process, NULL));
  else PetscCall(KSPMonitorSet(ksp[0], Monitor, &process, NULL));
  PetscCall(TrySolve(ksp[0], b, x, &code));
  if (test == Disagree) PetscCall(CheckAlike(code, PETSC_ERR_ARG_INCOMP, "different reasons"));
  else PetscCall(CheckTrue(CheckRank() == process ? code == PETSC_ERR_USER : code != PETSC_SUCCESS, "an error of one process"));
  PetscCall(KSPMonitorCancel(ksp[0]));
  PetscCall(KSPConvergedDefaultCreate(&standard));
  PetscCall(KSPSetConvergenceTest(ksp[0], KSPConvergedDefault, standard, KSPConvergedDefaultDestroy));
  PetscCall(ComparePair(s, ksp[0], ksp[1], KSPSolve, 1, b, NULL, "the next solve"));
  PetscCall(CheckGroups(ksp[0], PETSC_TRUE, "the next solve"));
  PetscCall(CheckDestroy(&ksp[0], &ksp[1], &x));
  PetscCall(SystemDestroy(&A, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Faults(void)
{
  System      s = {.kind = "grid", .seed = 20, .symmetric = TwinIs(KSPCG), .bs = 1, .cells = 900};
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(OptionsSwitch("-pc_type jacobi", PETSC_TRUE));
  for (PetscMPIInt process = 0; process < size; process++) PetscCall(Late(&s, process, (PetscBool)(process == size - 1 && process % 2 == 0)));
  for (PetscMPIInt process = 0; process < size; process++) {
    PetscCall(Called(&s, process, NULL));
    PetscCall(Called(&s, process, Test));
    PetscCall(Called(&s, process, Disagree));
  }
  PetscCall(OptionsSwitch("-pc_type jacobi", PETSC_FALSE));
  s.kind  = "apart";
  s.cells = 130;
  PetscCall(Refused(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  return CompareMain(argc, argv, help, Faults, CompareSmall, "groups_faults", 100);
}

/*TEST
  testset:
    args: -options_left 0 -log_sync 0 -type fusedcg -heptane_groups 2
    output_file: output/groups_faults.out
    test:
      suffix: 2
      comments: quick
      nsize: 2
    test:
      suffix: 3
      nsize: 3
TEST*/
