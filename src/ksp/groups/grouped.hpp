/*
   Meetings of the processes of a group for the set-ups and solves of a solver.
*/
#pragma once

#include "deferred.hpp"
#include "leader.hpp"

namespace heptane
{

/* A solver, and its preconditioner, on a process of a group */
class Grouped final : public FusedDelegate, public DeferredUser {
public:
  ~Grouped() override { PetscCallAbort(PETSC_COMM_SELF, Reset()); }
  PetscErrorCode SetUp(KSP ksp, FusedContext *ctx) override;
  PetscErrorCode Solve(KSP ksp, FusedContext *ctx, bool *solved) override;
  PetscErrorCode View(KSP ksp, PetscViewer viewer) override;
  PetscErrorCode Reset() override;

  PetscErrorCode SetUpPc(PC pc, Deferral *deferral) override;
  PetscErrorCode ViewPc(PC, PetscViewer viewer) override { return leader.View(*group, true, viewer); }
  PetscErrorCode IsSolver(KSP ksp, bool *is) const override
  {
    *is = ksp == of;
    return PETSC_SUCCESS;
  }

  /* The monitor of a leader's solver, if no process reads the iterate */
  static PetscErrorCode ShowNorm(KSP, PetscInt it, PetscReal norm, void *self) { return static_cast<Grouped *>(self)->Show(it, norm, norm_shown, nullptr); }

private:
  enum Work { set_up, solve };
  enum { refused, patterns, worked, norm_shown, iterate_shown, test_asked }; /* answers of a leader */

  PetscErrorCode Prepare(KSP ksp, FusedContext *ctx, Work work, unsigned *flags, std::string *why);
  PetscErrorCode Synchronize(KSP ksp, FusedContext *ctx, Work work, RendezvousAnswer *answer);
  PetscErrorCode Lead(KSP ksp, FusedContext *ctx, Work work, RendezvousAnswer *answer);
  PetscErrorCode DoWork(KSP ksp, FusedContext *ctx, Work work, unsigned flags, RendezvousAnswer *answer);
  PetscErrorCode CallBack(const RendezvousAnswer &answer, unsigned *flags);
  PetscErrorCode Watch(const RendezvousAnswer &answer);
  PetscErrorCode SetCallBacks(unsigned flags);
  PetscErrorCode Show(PetscInt it, PetscReal norm, int what, KSPConvergedReason *reason);
  PetscErrorCode Take(KSP ksp, const RendezvousAnswer &answer);
  PetscErrorCode FindGroup(KSP ksp);
  PetscErrorCode Keep(PC pc);

  KSP                           of = NULL; /* borrowed: this is composed on it */
  PC                            pc = NULL; /* whose set-ups it makes */
  std::shared_ptr<ProcessGroup> group;
  std::shared_ptr<GroupedMat>   matrix;
  bool                          device = false; /* the vectors of the meeting are on the device */
  std::string                   reported;       /* why the last solve was refused */
  GroupsRenewal                 renewal;
  GroupLeader                   leader;
  std::vector<PetscReal>        norms;
  long long                     logged = 0; /* of them in the history of ksp */
};

} // namespace heptane
