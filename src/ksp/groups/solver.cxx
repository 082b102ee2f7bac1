/*
   Meetings of a solve: members send new values and vectors and sleep; leaders work and answer. The result of a meeting
   may also be that the pattern is new, or that a process refuses.
*/
#include "solver.hpp"
#include "../../comm/peer_memory.hpp"
#include "../../sys/vectors.hpp"
#include "deferred.hpp"
#include "leader.hpp"
#include "../../private/ksp.hpp"
#include "../../private/pc.hpp"
#include <cstdio>

namespace heptane
{

namespace
{

/* Answers of a leader */
enum { refused, patterns, worked };

class Grouped final : public FusedDelegate, public DeferredUser {
public:
  ~Grouped() override { PetscCallAbort(PETSC_COMM_SELF, Reset()); }
  PetscErrorCode SetUp(KSP ksp, FusedContext *ctx) override;
  PetscErrorCode Solve(KSP ksp, FusedContext *ctx, bool *solved) override;
  PetscErrorCode View(KSP ksp, PetscViewer viewer) override;
  PetscErrorCode Reset() override;

  PetscErrorCode SetUpPc(PC pc, Deferral *deferral) override;
  PetscErrorCode ViewPc(PC pc, PetscViewer viewer) override;
  PetscErrorCode IsSolver(KSP ksp, bool *is) const override
  {
    *is = ksp == of;
    return PETSC_SUCCESS;
  }

private:
  enum Work { set_up, solve };

  PetscErrorCode Prepare(KSP ksp, FusedContext *ctx, Work work, unsigned *flags, std::string *why);
  PetscErrorCode Synchronize(KSP ksp, FusedContext *ctx, Work work, RendezvousAnswer *answer);
  PetscErrorCode CopyIn(KSP ksp, Work work, unsigned *flags);
  PetscErrorCode Lead(KSP ksp, FusedContext *ctx, Work work, RendezvousAnswer *answer);
  PetscErrorCode DoWork(KSP ksp, FusedContext *ctx, Work work, unsigned flags, RendezvousAnswer *answer);
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
};

/* PETSc's message of an error, for the other processes */
PetscErrorCode message_of(PetscErrorCode code, RendezvousAnswer *answer)
{
  const char *text, *specific = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscErrorMessage(code, &text, &specific));
  (void)std::snprintf(answer->text, sizeof(answer->text), "%s", specific && *specific ? specific : text ? text : "");
  answer->code = code;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sends the matrix's values and this process's vectors; flags: which of them are new */
PetscErrorCode Grouped::CopyIn(KSP ksp, Work work, unsigned *flags)
{
  Mat  A;
  bool sent, counted;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  PetscCall(matrix->SendValues(A, &sent, &counted));
  *flags |= (sent ? groups_new_values : 0u) | (counted ? groups_counted_values : 0u);
  if (work == set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(matrix->SendVector(GroupedMat::rhs, device, ksp->vec_rhs));
  if (!ksp->guess_zero) PetscCall(matrix->SendVector(GroupedMat::solution, device, ksp->vec_sol));
  if (GroupsWantNorms(ksp)) *flags |= groups_wants_norms;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the solver has vectors on the device */
PetscErrorCode OnDevice(KSP ksp, bool *device)
{
  PetscBool on = PETSC_FALSE;

  PetscFunctionBegin;
  *device = ksp->vec_sol && ksp->vec_rhs;
  for (Vec v : {ksp->vec_sol, ksp->vec_rhs}) {
    if (!v) continue;
    PetscCall(VecRunsOnDevice(v, &on));
    *device = *device && on;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::Prepare(KSP ksp, FusedContext *ctx, Work work, unsigned *flags, std::string *why)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(OnDevice(ksp, &device));
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  if (why->empty()) PetscCall(GroupsWhyNot(ksp, ctx, work == solve, why));
  if (why->empty()) PetscCall(GroupedMat::Of(A, &matrix));
  const bool made = why->empty() && !matrix->IsNew(group, A) && matrix->MadeFor(device);

  if (made) *why = matrix->WhyNotMade();
  if (!why->empty()) *flags |= groups_refuses;
  else if (!made) *flags |= groups_new_pattern;
  else PetscCall(CopyIn(ksp, work, flags));
  if (made && work == solve) *flags |= device ? groups_on_device : groups_on_host;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::DoWork(KSP ksp, FusedContext *ctx, Work work, unsigned flags, RendezvousAnswer *answer)
{
  PetscFunctionBegin;
  PetscCall(DeferredAsks(ksp->pc, this, &renewal.known));
  PetscCall(leader.Prepare(ksp, ctx, *group, *matrix, flags, &renewal));
  if (work == set_up) PetscCall(leader.SetUp(*matrix, answer));
  else PetscCall(leader.Solve(ksp, *matrix, flags, &norms, answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::Lead(KSP ksp, FusedContext *ctx, Work work, RendezvousAnswer *answer)
{
  std::string    why;
  unsigned       flags = 0;
  int            worst;
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(group->GetRendezvous().Collect(&flags, &why));
  answer->what = flags & groups_refuses ? refused : flags & groups_new_pattern ? patterns : worked;
  if (answer->what == worked && flags & groups_on_device && flags & groups_on_host) {
    answer->what = refused;
    why          = "vectors are on the device on some processes alone";
  }
  if (answer->what == refused) {
    PetscCall(PeerAgree(group->Peers(), &why));
    (void)std::snprintf(answer->text, sizeof(answer->text), "%s", why.c_str());
  } else if (answer->what == worked) {
    code = DoWork(ksp, ctx, work, flags, answer);
    if (code) PetscCall(message_of(code, answer));
    worst = code;
    PetscCall(group->GetRendezvous().AgreeOnCode(&worst));
    if (!code && worst) {
      answer->code = worst;
      (void)std::snprintf(answer->text, sizeof(answer->text), "%s", "another leader has one");
    }
  }
  group->GetRendezvous().Answer(*answer);
  PetscCall(code);
  PetscCheck(!answer->code, PETSC_COMM_SELF, (PetscErrorCode)answer->code, "Another process, which solves with this one, reports an error");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One meeting, or two if the pattern is new */
PetscErrorCode Grouped::Synchronize(KSP ksp, FusedContext *ctx, Work work, RendezvousAnswer *answer)
{
  std::string why;

  PetscFunctionBegin;
  do {
    unsigned       flags = 0;
    Mat            A;
    PetscErrorCode code = Prepare(ksp, ctx, work, &flags, &why);

    if (code) PetscCall(group->GetRendezvous().Fail());
    PetscCall(code);
    *answer = RendezvousAnswer();
    PetscCall(group->GetRendezvous().Arrive(flags, why));
    if (group->Leads()) PetscCall(Lead(ksp, ctx, work, answer));
    else PetscCall(group->GetRendezvous().Await(answer));
    PetscCall(PCGetOperators(ksp->pc, &A, NULL));
    if (answer->what == worked) {
      renewal = GroupsRenewal();
      matrix->Received(A);
    } else if (matrix) matrix->ForgetSent();
    if (answer->what == refused && why.empty()) why = answer->text;
    if (answer->what != patterns) continue;
    code = matrix->Make(group, A, device);
    if (code) PetscCall(group->GetRendezvous().Fail());
    PetscCall(code);
  } while (answer->what == patterns);
  if (answer->what == refused && why != reported) PetscCall(PetscInfo(ksp, "Groups of processes (-heptane_groups) do not solve: %s\n", why.c_str()));
  reported = answer->what == refused ? why : "";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The PC whose set-ups are asked for is another one */
PetscErrorCode Grouped::Keep(PC of_solver)
{
  bool left_out;

  PetscFunctionBegin;
  if (pc == of_solver) PetscFunctionReturn(PETSC_SUCCESS);
  if (of_solver) PetscCall(PetscObjectReference((PetscObject)of_solver));
  if (pc) PetscCall(DeferredRemove(pc, &left_out));
  PetscCall(PCDestroy(&pc));
  pc = of_solver;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Groups may have changed, also after a failure; leaders then have another communicator */
PetscErrorCode Grouped::FindGroup(KSP ksp)
{
  std::shared_ptr<ProcessGroup> now;

  PetscFunctionBegin;
  of = ksp;
  PetscCall(ProcessGroup::Of(PetscObjectComm((PetscObject)ksp), &now));
  if (now == group) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(leader.Reset());
  group = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::SetUp(KSP ksp, FusedContext *ctx)
{
  std::string why;

  PetscFunctionBegin;
  PetscCall(FindGroup(ksp));
  if (!group) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GroupsWhyNot(ksp, ctx, false, &why));
  if (!why.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DeferredInstall(ksp->pc, this, &why));
  PetscCall(Keep(why.empty() ? ksp->pc : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::SetUpPc(PC of_solver, Deferral *deferral)
{
  FusedContext    *ctx;
  RendezvousAnswer answer;
  PetscBool        jacobi;

  PetscFunctionBegin;
  *deferral = Deferral::given_up;
  PetscCall(FindGroup(of));
  if (!group || of->pc != of_solver) PetscFunctionReturn(PETSC_SUCCESS);
  renewal.renew = renewal.renew || !of_solver->setupcalled;
  renewal.renewals++;
  PetscCall(PetscObjectTypeCompare((PetscObject)of_solver, PCJACOBI, &jacobi));
  *deferral = Deferral::made; /* needs no data before it is applied */
  if (jacobi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FusedGet(of, &ctx));
  PetscCall(Synchronize(of, ctx, set_up, &answer));
  *deferral = answer.what == worked ? Deferral::left_out : Deferral::given_up;
  if (answer.what != worked) PetscFunctionReturn(PETSC_SUCCESS);
  of_solver->failedreason = of_solver->failedreasonrank = (PCFailedReason)answer.failed;
  PetscCheck(!answer.failed || !of_solver->erroriffailure, PetscObjectComm((PetscObject)of), PETSC_ERR_NOT_CONVERGED, "The preconditioner has failed: %s",
             PCFailedReasons[answer.failed]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reason, norms and solution as PETSc's loop leaves them; its monitors are shown the norms */
PetscErrorCode Grouped::Take(KSP ksp, const RendezvousAnswer &answer)
{
  PetscFunctionBegin;
  PetscCall(matrix->FetchVector(GroupedMat::solution, device, ksp->vec_sol));
  norms.resize((std::size_t)answer.norms);
  if (answer.norms) PetscCallMPI(MPI_Bcast(norms.data(), (PetscMPIInt)answer.norms, MPIU_REAL, group->Leader(), group->Members()));
  for (PetscInt it = 0; it < (PetscInt)answer.norms; it++) {
    ksp->its   = it;
    ksp->rnorm = norms[it];
    PetscCall(KSPLogResidualHistory(ksp, norms[it]));
    PetscCall(KSPMonitor(ksp, it, norms[it]));
  }
  ksp->its    = (PetscInt)answer.its;
  ksp->rnorm  = (PetscReal)answer.rnorm;
  ksp->reason = (KSPConvergedReason)answer.reason;
  if (answer.failed) ksp->pc->failedreason = ksp->pc->failedreasonrank = (PCFailedReason)answer.failed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::Solve(KSP ksp, FusedContext *ctx, bool *solved)
{
  RendezvousAnswer answer;
  std::string      why;
  bool             left_out;

  PetscFunctionBegin;
  *solved = false;
  PetscCall(FindGroup(ksp));
  if (group) {
    PetscCall(Synchronize(ksp, ctx, solve, &answer));
    *solved = answer.what == worked;
  }
  if (*solved) PetscCall(Take(ksp, answer));
  else {
    PetscCall(DeferredRemove(ksp->pc, &left_out));
    if (left_out) {
      PetscCall(PCSetUp(ksp->pc));
      PetscTryTypeMethod(ksp->pc, presolve, ksp, ksp->vec_rhs, ksp->vec_sol);
    }
  }
  if (*solved) PetscCall(SetUp(ksp, ctx)); /* the type of the preconditioner may be another one than at its set-up */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::View(KSP, PetscViewer viewer)
{
  PetscViewer   of_leaders;
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "groups: %s\n", group->Text().c_str()));
  PetscCall(PetscViewerGetSubViewer(viewer, group->Peers(), &of_leaders));
  if (group->Leads()) {
    PetscCall(FusedGet(leader.Solver(), &ctx));
    PetscCall(FusedView(leader.Solver(), ctx, of_leaders));
  }
  PetscCall(PetscViewerRestoreSubViewer(viewer, group->Peers(), &of_leaders));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::ViewPc(PC, PetscViewer viewer)
{
  PetscViewer of_leaders;

  PetscFunctionBegin;
  PetscCall(PetscViewerGetSubViewer(viewer, group->Peers(), &of_leaders));
  if (group->Leads() && leader.Solver()->pc->ops->view) PetscCall((*leader.Solver()->pc->ops->view)(leader.Solver()->pc, of_leaders));
  PetscCall(PetscViewerRestoreSubViewer(viewer, group->Peers(), &of_leaders));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::Reset()
{
  PetscFunctionBegin;
  PetscCall(Keep(NULL));
  PetscCall(leader.Reset());
  matrix.reset();
  norms.clear();
  renewal = GroupsRenewal();
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::unique_ptr<FusedDelegate> make()
{
  return std::make_unique<Grouped>();
}

} // namespace

void GroupsRegister()
{
  fused_make_delegate = make;
}

} // namespace heptane
