/*
   Solves with sums and halo by NCCL, by the library of the tests (tests/mock_nccl) on the host: solvers of two communicators
   at once, and of copies of one; a process that ends or stands still in the middle of a solve, or does not come to one.
   Prints "ok NAME" or "not ok NAME".
     -gridmg LEVELS: with multigrid; -broken: an error of NCCL, as MOCK_NCCL_BREAK says; -leaks: a solver that PetscFinalize() finds
     -lost ends|stands|first|second: the last process does so, or does not come to this solve, and each of the others prints
     a line, as MPI can end no more
*/
#include "systems.hpp"
#include <dlfcn.h>
#include <unistd.h>

using namespace heptane;

namespace
{

PetscBool leaves;

/* A solver of a duplicate of the matrix's communicator exchanges as one of the matrix's communicator */
PetscErrorCode duplicate(const char option[], const char value[], const char text[])
{
  MPI_Comm comm[2];
  System   s;
  bool     solved = false, as_told = false;
  char     before[16];

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-heptane_comm", before, sizeof(before), NULL));
  PetscCall(PetscOptionsSetValue(NULL, option, value));
  PetscCallMPI(MPI_Comm_split(world, 0, rank, &comm[0]));
  PetscCallMPI(MPI_Comm_dup(comm[0], &comm[1]));
  PetscCall(make(comm[0], comm[1], KSPFUSEDCG, &s));
  PetscCall(KSPSolve(s.ksp, s.b, s.x));
  PetscCall(is_solved(s, &solved));
  PetscCall(has_text((PetscObject)s.ksp, text, &as_told));
  PetscCall(report("a solver of a duplicate of the matrix's communicator", solved && as_told, text));
  PetscCall(destroy(&s));
  for (MPI_Comm &c : comm) PetscCallMPI(MPI_Comm_free(&c));
  PetscCall(PetscOptionsClearValue(NULL, option));
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm", before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One sum in an iteration; the matrix is shifted to be indefinite in the end */
PetscErrorCode one_sum()
{
  KSPConvergedReason reason;
  PetscInt           its[2];
  System             s;
  bool               solved = false, has_one = false;

  PetscFunctionBegin;
  PetscCall(make(world, world, KSPFUSEDCG, &s));
  for (const PCType type : {PCJACOBI, PCNONE}) {
    PC pc;

    PetscCall(KSPGetPC(s.ksp, &pc));
    PetscCall(PCSetType(pc, type));
    for (int one = 0; one < 2; one++) {
      PetscCall(KSPCGUseSingleReduction(s.ksp, (PetscBool)one));
      PetscCall(KSPSolve(s.ksp, s.b, s.x));
      PetscCall(KSPGetIterationNumber(s.ksp, its + one));
      PetscCall(is_solved(s, &solved));
    }
    PetscCall(has_text((PetscObject)s.ksp, " 1 reductions", &has_one));
    PetscCall(report("one sum in an iteration", solved && has_one && PetscAbsInt(its[1] - its[0]) < 3, type));
  }
  PetscCall(MatShift(s.A, -2));
  PetscCall(KSPSolve(s.ksp, s.b, s.x));
  PetscCall(KSPGetConvergedReason(s.ksp, &reason));
  PetscCall(report("one sum in an iteration, an indefinite matrix", reason == KSP_DIVERGED_INDEFINITE_MAT, KSPConvergedReasons[reason]));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the third iteration of another one */
PetscErrorCode solve_inner(KSP, PetscInt it, PetscReal, void *inner)
{
  const System *const s = static_cast<System *>(inner);

  PetscFunctionBegin;
  if (it == 3) PetscCall(KSPSolve(s->ksp, s->b, s->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode several()
{
  MPI_Comm comm[3];
  System   outer, inner, copy;
  bool     solved = false, good = true;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split(world, 0, rank, &comm[0]));
  PetscCallMPI(MPI_Comm_split(world, 0, -rank, &comm[1])); /* of another order: objects kept by communicators are not shared */
  PetscCallMPI(MPI_Comm_dup(comm[0], &comm[2]));
  PetscCall(make(comm[0], comm[0], KSPFUSEDCG, &outer));
  PetscCall(make(comm[1], comm[1], KSPFUSEDBCGS, &inner));
  PetscCall(make(comm[0], comm[2], KSPFUSEDCG, &copy));
  PetscCall(KSPMonitorSet(outer.ksp, solve_inner, &inner, NULL));
  for (int turn = 0; turn < 3; turn++) {
    PetscCall(VecZeroEntries(inner.x));
    PetscCall(KSPSolve(outer.ksp, outer.b, outer.x));
    PetscCall(KSPSolve(copy.ksp, copy.b, copy.x));
    for (const System *s : {&outer, &inner, &copy}) {
      PetscCall(is_solved(*s, &solved));
      good = good && solved;
    }
  }
  PetscCall(report("solvers of two communicators at once, and of a copy of the matrix's", good));
  for (System *s : {&outer, &inner, &copy}) PetscCall(destroy(s));
  for (MPI_Comm &c : comm) PetscCallMPI(MPI_Comm_free(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last rank is lost in the third iteration; it ends by itself later, so that nothing is left */
PetscErrorCode lose(KSP, PetscInt it, PetscReal, void *ends)
{
  PetscFunctionBegin;
  if (it != 3 || rank != ranks - 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (!*static_cast<PetscBool *>(ends)) PetscCall(PetscSleep(4));
  _exit(0);
}

/* That the other processes have an error */
PetscErrorCode lost(const std::string &how)
{
  const bool     comes = how == "ends" || how == "stands";
  PetscBool      ends  = (PetscBool)(how == "ends");
  PetscLogDouble begun, ended;
  System         s;

  PetscFunctionBegin;
  PetscCall(make(world, world, KSPFUSEDCG, &s));
  if (how != "first") PetscCall(KSPSolve(s.ksp, s.b, s.x));
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm_timeout", comes ? "0.5" : "0.01"));
  if (comes) PetscCall(KSPMonitorSet(s.ksp, lose, &ends, NULL));
  else if (rank == ranks - 1) PetscCall(lose(s.ksp, 3, 0, &ends));
  PetscCall(PetscTime(&begun));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  const PetscErrorCode code = KSPSolve(s.ksp, s.b, s.x);
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscTime(&ended));
  const double limit = comes ? 0.5 : 1; /* a process that does not come has 100 times as long */
  const bool   good  = code == PETSC_ERR_LIB && ended - begun < 4 * limit && ended - begun > limit / 2 * !ends;
  printf("%s rank %d of %d has an error where the last one is lost: %s (code %d, %.1f s)\n", good ? "ok" : "not ok", rank, ranks, how.c_str(), (int)code,
         ended - begun);
  fflush(stdout);
  _exit(good ? 0 : 1);
}

/* An error of NCCL on one process, as MOCK_NCCL_BREAK says: all end with an error, and the next solve joins them anew */
PetscErrorCode broken()
{
  System s;
  bool   solved = false, by_nccl = false, as_told = true;
  char   levels[8] = "0";

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-gridmg", levels, sizeof(levels), NULL));
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm_timeout", "0.5"));
  PetscCall(make(world, world, KSPFUSEDCG, &s));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  const PetscErrorCode code = KSPSolve(s.ksp, s.b, s.x);
  PetscCall(PetscPopErrorHandler());
  unsetenv("MOCK_NCCL_BREAK");
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm_timeout", "30"));
  PetscCall(VecZeroEntries(s.x));
  PetscCall(KSPSolve(s.ksp, s.b, s.x));
  PetscCall(is_solved(s, &solved));
  PetscCall(has_text((PetscObject)s.ksp, "sums by NCCL, halo by NCCL", &by_nccl));
  if (levels[0] != '0') PetscCall(has_text((PetscObject)s.ksp, "(NCCL), coarser levels", &as_told));
  PetscCall(report("an error of NCCL on one process ends the solve on all, and the next one works", code == PETSC_ERR_LIB && solved && by_nccl && as_told));
  PetscCall(destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing is destroyed before PetscFinalize(): the program ends all the same */
PetscErrorCode leaks()
{
  System s;
  bool   solved = false;

  PetscFunctionBegin;
  PetscCall(make(world, world, KSPFUSEDCG, &s));
  PetscCall(KSPSolve(s.ksp, s.b, s.x));
  PetscCall(is_solved(s, &solved));
  PetscCall(report("a solver that is not destroyed", solved));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NCCL's communicators of this process, by the library of the tests; works after PetscFinalize() */
int comms_left(const char library[])
{
  void *const handle = dlopen(library, RTLD_NOW | RTLD_NOLOAD);

  return handle ? reinterpret_cast<int (*)()>(dlsym(handle, "heptaneNcclComms"))() : 0;
}

PetscErrorCode run()
{
  char      text[16];
  PetscBool loses, breaks;

  PetscFunctionBegin;
  PetscCall(HeptaneInitialize());
  world = PETSC_COMM_WORLD;
  PetscCallMPI(MPI_Comm_size(world, &ranks));
  PetscCallMPI(MPI_Comm_rank(world, &rank));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-lost", text, sizeof(text), &loses));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-broken", &breaks));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-leaks", &leaves));
  if (loses) PetscCall(lost(text));
  else if (breaks) PetscCall(broken());
  else if (leaves) PetscCall(leaks());
  else {
    PetscCall(duplicate("-heptane_comm", "nccl", "sums by NCCL, halo by NCCL"));
    PetscCall(duplicate("-heptane_comm", "peer", "sums by memory to memory, halo by memory to memory"));
    PetscCall(duplicate("-heptane_groups", "2", "groups: "));
    PetscCall(several());
    PetscCall(one_sum());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  char library[PETSC_MAX_PATH_LEN] = "";

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-heptane_nccl_library", library, sizeof(library), NULL));
  PetscCall(run());
  PetscCall(PetscFinalize());
  const int left = leaves ? 0 : comms_left(library);

  if (left) printf("not ok %d communicators of NCCL are left after PetscFinalize()\n", left);
  return failures || left ? 1 : 0;
}
