/*
   The solver of a leader: same type and settings as the solver of all processes, for the rows of its group.
*/
#pragma once

#include "../fused/solver.hpp"
#include "matrix.hpp"
#include <vector>

namespace heptane
{

/* Set-ups of the program's preconditioner that the leader's has not made; one is from the beginning; all are known */
struct GroupsRenewal {
  int  renewals = 0;
  bool renew    = false;
  bool known    = false;
};

/* What keeps this solver, as it is, from being solved by leaders; empty: nothing. vectors: it is about to solve, and has them */
PetscErrorCode GroupsWhyNot(KSP ksp, FusedContext *ctx, bool vectors, std::string *why);
/* Copies the settings of the solver and of its preconditioner to the leader's solver, which has its operators already */
PetscErrorCode GroupsCarry(KSP ksp, FusedContext *ctx, KSP to);
/* Flags of the functions of the program that a solve calls, and of a history that has its norms */
unsigned GroupsWatched(KSP ksp);

class GroupLeader {
public:
  ~GroupLeader() { PetscCallAbort(PETSC_COMM_SELF, Reset()); }
  PetscErrorCode Reset();
  /* Applies values and settings that members have sent; renewal: made with the next set-up */
  PetscErrorCode Prepare(KSP ksp, FusedContext *ctx, const ProcessGroup &group, GroupedMat &matrix, unsigned flags, GroupsRenewal *renewal);
  /* Applies values only; renewal: made with the next set-up */
  PetscErrorCode ReceiveValues(GroupedMat &matrix, unsigned flags, GroupsRenewal *renewal);
  PetscErrorCode SetUp(GroupedMat &matrix, RendezvousAnswer *answer);
  /* norms: of its iterations, if requested */
  PetscErrorCode Solve(KSP ksp, GroupedMat &matrix, unsigned flags, std::vector<PetscReal> *norms, RendezvousAnswer *answer);
  /* Collective: of its solver, or of that one's preconditioner */
  PetscErrorCode View(const ProcessGroup &group, bool of_pc, PetscViewer viewer) const;
  KSP            Solver() const { return inner; }

private:
  KSP      inner   = NULL;
  PetscInt changes = 0; /* GroupedMat::Changes() */
};

} // namespace heptane
