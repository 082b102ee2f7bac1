/*
   Solves with sums and halo by NCCL, by the library of the tests (tests/mock_nccl) on the host: solvers of two communicators
   at once, and of copies of one; a process that ends or stands still in the middle of a solve, or does not come to one.
   Prints "ok NAME" or "not ok NAME".
     -lost ends|stands|first|second: the last process does so, or does not come to this solve, and each of the others prints
     a line, as MPI can end no more
*/
#include "heptane.h"
#include "window.hpp"
#include <cstdlib>
#include <unistd.h>

using namespace heptane;

namespace
{

struct System {
  Mat A;
  Vec b, x;
  KSP ksp;
};

/* A chain of rows through all ranks, the diagonal of each a little larger than needed */
PetscErrorCode make(MPI_Comm of_matrix, MPI_Comm of_solver, const char type[], System *s)
{
  const PetscInt each = 2000;
  PetscInt       begin, end, rows;
  PC             pc;

  PetscFunctionBegin;
  PetscCall(MatCreate(of_matrix, &s->A));
  PetscCall(MatSetSizes(s->A, each, each, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(s->A, MATBDIAGH));
  PetscCall(MatMPIAIJSetPreallocation(s->A, 3, NULL, 1, NULL));
  PetscCall(MatSeqAIJSetPreallocation(s->A, 3, NULL));
  PetscCall(MatGetOwnershipRange(s->A, &begin, &end));
  PetscCall(MatGetSize(s->A, &rows, NULL));
  for (PetscInt r = begin; r < end; r++) {
    PetscCall(MatSetValue(s->A, r, r, 2.1, INSERT_VALUES));
    if (r) PetscCall(MatSetValue(s->A, r, r - 1, -1, INSERT_VALUES));
    if (r + 1 < rows) PetscCall(MatSetValue(s->A, r, r + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(s->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(s->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatCreateVecs(s->A, &s->x, &s->b));
  PetscCall(VecSet(s->b, 1));
  PetscCall(KSPCreate(of_solver, &s->ksp));
  PetscCall(KSPSetType(s->ksp, type));
  PetscCall(KSPSetOperators(s->ksp, s->A, s->A));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetTolerances(s->ksp, 1e-10, 0, PETSC_CURRENT, 200));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode destroy(System *s)
{
  PetscFunctionBegin;
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(VecDestroy(&s->b));
  PetscCall(VecDestroy(&s->x));
  PetscCall(MatDestroy(&s->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode is_solved(const System &s, bool *solved)
{
  KSPConvergedReason reason;
  PetscReal          norm, of_b;
  Vec                residual;

  PetscFunctionBegin;
  PetscCall(KSPGetConvergedReason(s.ksp, &reason));
  PetscCall(VecDuplicate(s.b, &residual));
  PetscCall(MatResidual(s.A, s.b, s.x, residual));
  PetscCall(VecNorm(residual, NORM_2, &norm));
  PetscCall(VecNorm(s.b, NORM_2, &of_b));
  PetscCall(VecDestroy(&residual));
  *solved = reason > 0 && norm < 1e-8 * of_b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the view of the solver; on the first rank */
PetscErrorCode has_text(KSP ksp, const char text[], bool *has)
{
  char       *view = nullptr;
  std::size_t size = 0;
  FILE *const file = open_memstream(&view, &size);
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIOpenWithFILE(PetscObjectComm((PetscObject)ksp), file, &viewer));
  PetscCall(KSPView(ksp, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  std::fclose(file);
  *has = rank != 0 || std::strstr(view, text);
  std::free(view);
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  PetscCall(has_text(s.ksp, text, &as_told));
  PetscCall(report("a solver of a duplicate of the matrix's communicator", solved && as_told, text));
  PetscCall(destroy(&s));
  for (MPI_Comm &c : comm) PetscCallMPI(MPI_Comm_free(&c));
  PetscCall(PetscOptionsClearValue(NULL, option));
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm", before));
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
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm_timeout", comes ? "0.5" : "30"));
  PetscCall(make(world, world, KSPFUSEDCG, &s));
  if (how != "first") PetscCall(KSPSolve(s.ksp, s.b, s.x));
  if (comes) PetscCall(KSPMonitorSet(s.ksp, lose, &ends, NULL));
  else {
    PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm_timeout", "0.01"));
    if (rank == ranks - 1) PetscCall(lose(s.ksp, 3, 0, &ends));
  }
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

PetscErrorCode run()
{
  char      text[16];
  PetscBool loses;

  PetscFunctionBegin;
  PetscCall(HeptaneInitialize());
  world = PETSC_COMM_WORLD;
  PetscCallMPI(MPI_Comm_size(world, &ranks));
  PetscCallMPI(MPI_Comm_rank(world, &rank));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-lost", text, sizeof(text), &loses));
  if (loses) PetscCall(lost(text));
  else {
    PetscCall(duplicate("-heptane_comm", "nccl", "sums by NCCL, halo by NCCL"));
    PetscCall(duplicate("-heptane_comm", "peer", "sums by memory to memory, halo by memory to memory"));
    PetscCall(duplicate("-heptane_groups", "2", "groups: "));
    PetscCall(several());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(run());
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}
