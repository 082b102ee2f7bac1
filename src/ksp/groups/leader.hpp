/*
   The solver of a leader: same type and settings as the solver of all processes, for the rows of its group.
*/
#pragma once

#include "../fused/solver.hpp"
#include "matrix.hpp"
#include <vector>

namespace heptane
{

/* Flags of a process at a meeting */
enum GroupsFlags : unsigned {
  groups_refuses        = 1,
  groups_new_pattern    = 2,
  groups_new_values     = 4,
  groups_counted_values = 8, /* the state of the matrix has changed, not only of its blocks */
  groups_wants_norms    = 16,
  groups_on_device      = 32, /* its vectors */
  groups_on_host        = 64
};

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
/* Whether its monitors or its history take the norms of all iterations */
bool GroupsWantNorms(KSP ksp);

class GroupLeader {
public:
  ~GroupLeader() { PetscCallAbort(PETSC_COMM_SELF, Reset()); }
  PetscErrorCode Reset();
  /* Applies values and settings that members have sent; renewal: made with the next set-up */
  PetscErrorCode Prepare(KSP ksp, FusedContext *ctx, const ProcessGroup &group, GroupedMat &matrix, unsigned flags, GroupsRenewal *renewal);
  PetscErrorCode SetUp(GroupedMat &matrix, RendezvousAnswer *answer);
  /* norms: of its iterations, if requested */
  PetscErrorCode Solve(KSP ksp, GroupedMat &matrix, unsigned flags, std::vector<PetscReal> *norms, RendezvousAnswer *answer);
  KSP            Solver() const { return inner; }

private:
  PetscErrorCode Renew(const GroupedMat &matrix, GroupsRenewal *renewal);

  KSP      inner   = NULL;
  PetscInt changes = 0; /* GroupedMat::Changes() */
};

} // namespace heptane
