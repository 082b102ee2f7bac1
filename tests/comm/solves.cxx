/*
   Solves with sums and halo by NCCL, by the library of the tests (tests/mock_nccl) on the host: solvers of two communicators
   at once, and of copies of one; a process that ends or stands still in the middle of a solve. Prints "ok NAME" or
   "not ok NAME".
     -lost ends|stands: the last process does so, and each of the others prints a line, as MPI can end no more
*/
#include "heptane.h"
#include "window.hpp"
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
  for (MPI_Comm &c : comm) PetscCallMPI(MPI_Comm_dup(world, &c));
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

PetscErrorCode lost(PetscBool ends)
{
  const double   limit = 0.5;
  PetscLogDouble begun, ended;
  System         s;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-heptane_comm_timeout", "0.5"));
  PetscCall(make(world, world, KSPFUSEDCG, &s));
  PetscCall(KSPSolve(s.ksp, s.b, s.x));
  PetscCall(KSPMonitorSet(s.ksp, lose, &ends, NULL));
  PetscCall(PetscTime(&begun));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  const PetscErrorCode code = KSPSolve(s.ksp, s.b, s.x);
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscTime(&ended));
  const bool good = code == PETSC_ERR_LIB && ended - begun < 4 * limit;
  printf("%s rank %d of %d has an error where the last one %s (code %d, %.1f s)\n", good ? "ok" : "not ok", rank, ranks, ends ? "ends" : "stands still",
         (int)code, ended - begun);
  fflush(stdout);
  _exit(good ? 0 : 1);
}

PetscErrorCode run()
{
  char      text[16];
  PetscBool loses, ends;

  PetscFunctionBegin;
  PetscCall(HeptaneInitialize());
  world = PETSC_COMM_WORLD;
  PetscCallMPI(MPI_Comm_size(world, &ranks));
  PetscCallMPI(MPI_Comm_rank(world, &rank));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-lost", text, sizeof(text), &loses));
  PetscCall(PetscStrcmp(text, "ends", &ends));
  if (loses) PetscCall(lost(ends));
  else PetscCall(several());
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
