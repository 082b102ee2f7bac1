/*
   Meetings of a solve: members send new values and vectors and sleep; leaders work and answer. The result of a meeting
   may also be that the pattern is new, or that a process refuses.
*/
#include "grouped.hpp"
#include "solver.hpp"
#include "../../comm/peer_memory.hpp"
#include "../../sys/vectors.hpp"
#include "../../private/ksp.hpp"
#include "../../private/pc.hpp"
#include <cstdio>

namespace heptane
{

namespace
{

/* PETSc's message of an error, for the other processes */
std::string message_of(PetscErrorCode code)
{
  const char *text = nullptr, *specific = nullptr;

  (void)PetscErrorMessage(code, &text, &specific);
  return specific && *specific ? specific : text ? text : "an error without a text";
}

} // namespace

/* Sends the matrix's values and this process's vectors, unless there is a reason why not; flags: new values, settings */
PetscErrorCode Grouped::Prepare(KSP ksp, FusedContext *ctx, Work work, unsigned *flags, std::string *why)
{
  PetscBool x = PETSC_FALSE, b = PETSC_FALSE;
  bool      is_new = true;
  Mat       A;

  PetscFunctionBegin;
  if (ksp->vec_sol) PetscCall(VecRunsOnDevice(ksp->vec_sol, &x));
  if (ksp->vec_rhs) PetscCall(VecRunsOnDevice(ksp->vec_rhs, &b));
  device = x && b;
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  if (why->empty()) PetscCall(GroupsWhyNot(ksp, ctx, work == solve, why));
  if (why->empty()) PetscCall(GroupedMat::Of(A, &matrix));
  if (why->empty() && matrix->busy) {
    *why = "a solve with the matrix calls this one";
    matrix.reset();
  }
  if (why->empty()) PetscCall(matrix->IsNew(group, A, device, &is_new));
  const bool made = why->empty() && !is_new;

  if (made) *why = matrix->WhyNotMade();
  if (!why->empty()) *flags |= groups_refuses;
  else if (!made) *flags |= groups_new_pattern;
  else PetscCall(matrix->SendValues(A, flags));
  *flags |= GroupsWatched(ksp);
  if (*flags & (groups_refuses | groups_new_pattern) || work == set_up) PetscFunctionReturn(PETSC_SUCCESS);
  *flags |= device ? groups_on_device : groups_on_host;
  PetscCall(matrix->SendVector(GroupedMat::rhs, device, ksp->vec_rhs));
  if (!ksp->guess_zero) PetscCall(matrix->SendVector(GroupedMat::solution, device, ksp->vec_sol));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::DoWork(KSP ksp, FusedContext *ctx, Work work, unsigned flags, RendezvousAnswer *answer)
{
  PetscFunctionBegin;
  PetscCall(DeferredAsks(ksp->pc, this, &renewal.known));
  PetscCall(leader.Prepare(ksp, ctx, *group, *matrix, flags, &renewal));
  PetscCall(SetCallBacks(flags));
  if (work == set_up) PetscCall(leader.SetUp(*matrix, answer));
  else PetscCall(leader.Solve(ksp, *matrix, flags, &norms, answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::Lead(KSP ksp, FusedContext *ctx, Work work, RendezvousAnswer *answer)
{
  std::string    why;
  unsigned       flags = 0;
  PetscErrorCode code  = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(group->GetRendezvous().Collect(&flags, &why));
  answer->what = flags & groups_refuses ? refused : flags & groups_new_pattern ? patterns : worked;
  if (answer->what == worked && flags & groups_on_device && flags & groups_on_host) {
    answer->what = refused;
    why          = "vectors are on the device on some processes alone";
  }
  if (answer->what == worked) code = DoWork(ksp, ctx, work, flags, answer);
  if (code) why = message_of(code);
  const PetscErrorCode agreed = PeerAgree(group->Peers(), &why); /* an error of one is an error of all */

  if (agreed && !code) why = message_of(code = agreed);
  if (answer->what == worked && !why.empty()) answer->code = code ? code : PETSC_ERR_LIB;
  (void)std::snprintf(answer->text, sizeof(answer->text), "%s", why.c_str());
  group->GetRendezvous().Answer(*answer);
  PetscCall(code);
  PetscCheck(!answer->code, PETSC_COMM_SELF, PETSC_ERR_LIB, "Another process, which solves with this one, reports an error: %s", answer->text);
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
    while (answer->what > worked) {
      PetscCall(Watch(*answer));
      PetscCall(group->GetRendezvous().Await(answer));
    }
    PetscCall(PCGetOperators(ksp->pc, &A, NULL));
    if (answer->what == worked) matrix->Received(A);
    else if (matrix) matrix->ForgetSent();
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
  if (jacobi) *deferral = Deferral::made; /* needs no data before it is applied */
  if (jacobi || (matrix && matrix->busy)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FusedGet(of, &ctx));
  PetscCall(Synchronize(of, ctx, set_up, &answer));
  *deferral = answer.what == worked ? Deferral::left_out : Deferral::given_up;
  if (answer.what != worked) PetscFunctionReturn(PETSC_SUCCESS);
  of_solver->failedreason = of_solver->failedreasonrank = (PCFailedReason)answer.failed;
  PetscCheck(!answer.failed || !of_solver->erroriffailure, PetscObjectComm((PetscObject)of), PETSC_ERR_NOT_CONVERGED, "The preconditioner has failed: %s",
             PCFailedReasons[answer.failed]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reason, norms and solution as PETSc's loop leaves them */
PetscErrorCode Grouped::Take(KSP ksp, const RendezvousAnswer &answer)
{
  PetscFunctionBegin;
  PetscCall(matrix->FetchVector(GroupedMat::solution, device, ksp->vec_sol));
  norms.resize((std::size_t)answer.norms);
  if (answer.norms > logged) PetscCallMPI(MPI_Bcast(norms.data(), (PetscMPIInt)answer.norms, MPIU_REAL, group->Leader(), group->Members()));
  for (; logged < answer.norms; logged++) PetscCall(KSPLogResidualHistory(ksp, norms[logged]));
  ksp->its    = (PetscInt)answer.its;
  ksp->rnorm  = (PetscReal)answer.rnorm;
  ksp->reason = (KSPConvergedReason)answer.reason;
  if (answer.failed) ksp->pc->failedreason = ksp->pc->failedreasonrank = (PCFailedReason)answer.failed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::Solve(KSP ksp, FusedContext *ctx, bool *solved)
{
  RendezvousAnswer answer;
  bool             left_out = false;

  PetscFunctionBegin;
  logged = 0;
  PetscCall(FindGroup(ksp));
  if (group) PetscCall(Synchronize(ksp, ctx, solve, &answer));
  *solved = group && answer.what == worked;
  if (*solved) {
    PetscCall(Take(ksp, answer));
    PetscCall(SetUp(ksp, ctx)); /* the type of the preconditioner may be another one than at its set-up */
  } else PetscCall(DeferredRemove(ksp->pc, &left_out));
  if (left_out) {
    PetscCall(PCSetUp(ksp->pc));
    PetscTryTypeMethod(ksp->pc, presolve, ksp, ksp->vec_rhs, ksp->vec_sol);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::View(KSP, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "groups: %s\n", group->Text().c_str()));
  PetscCall(leader.View(*group, false, viewer));
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

void GroupsRegister()
{
  fused_norm_monitor  = Grouped::ShowNorm;
  fused_make_delegate = []() -> std::unique_ptr<FusedDelegate> { return std::make_unique<Grouped>(); };
}

} // namespace heptane
