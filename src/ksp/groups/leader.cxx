/*
   The leader's solver gets the settings of the program's solver at each meeting.
*/
#include "leader.hpp"
#include "../../sys/petsc_compat.hpp"
#include "../../private/ksp.hpp"
#include "../../private/pc.hpp"

namespace heptane
{

PetscErrorCode GroupLeader::Reset()
{
  PetscFunctionBegin;
  PetscCall(KSPDestroy(&inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The next set-up of its preconditioner covers all set-ups of the program's preconditioner since the last one. If these
   are unknown, new values require a set-up, unless the matrix of all processes does not count them
*/
PetscErrorCode GroupLeader::ReceiveValues(GroupedMat &matrix, unsigned flags, GroupsRenewal *renewal)
{
  PC       inner_pc = inner->pc;
  MatState now, last = StateAtSetUp(inner_pc);

  PetscFunctionBegin;
  PetscCall(matrix.ReceiveValues(flags));
  PetscCall(MatGetState(matrix.Inner(), &now));
  if (inner_pc->setupcalled && (renewal->known || (last.id == now.id && changes == matrix.Changes()))) last = now;
  changes = matrix.Changes();
  if (renewal->renewals && !renewal->renew) last.state = -1;
  SetStateAtSetUp(inner_pc, last);
  if (renewal->renew) {
    PetscCall(PCReset(inner_pc));
    PetscCall(PCSetOperators(inner_pc, matrix.Inner(), matrix.Inner())); /* the reset has removed them */
  }
  *renewal = GroupsRenewal();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupLeader::Prepare(KSP ksp, FusedContext *ctx, const ProcessGroup &group, GroupedMat &matrix, unsigned flags, GroupsRenewal *renewal)
{
  PetscFunctionBegin;
  if (!inner) {
    PetscCall(KSPCreate(group.Peers(), &inner));
    PetscCall(PetscObjectSetOptions((PetscObject)inner, ((PetscObject)ksp)->options));
  }
  PetscCall(KSPSetOperators(inner, matrix.Inner(), matrix.Inner()));
  PetscCall(GroupsCarry(ksp, ctx, inner));
  PetscCall(ReceiveValues(matrix, flags, renewal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupLeader::SetUp(GroupedMat &matrix, RendezvousAnswer *answer)
{
  PetscFunctionBegin;
  PetscCall(KSPSetUp(inner));
  PetscCall(SetUpIfChanged(inner->pc, inner));
  PetscCall(matrix.Quiet());
  answer->failed = inner->pc->failedreason;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupLeader::Solve(KSP ksp, GroupedMat &matrix, unsigned flags, std::vector<PetscReal> *norms, RendezvousAnswer *answer)
{
  const bool wanted = flags & groups_wants_norms;
  Vec        b, x;

  PetscFunctionBegin;
  norms->resize(wanted ? (std::size_t)ksp->max_it + 2 : 1);
  PetscCall(KSPSetResidualHistory(inner, norms->data(), wanted ? (PetscCount)norms->size() : 0, PETSC_TRUE));
  PetscCall(matrix.ReceiveVectors(flags & groups_on_device, !ksp->guess_zero, &b, &x));
  PetscCall(KSPSolve(inner, b, x));
  PetscCall(matrix.ReturnSolution());
  answer->its    = inner->its;
  answer->reason = inner->reason;
  answer->rnorm  = (double)inner->rnorm;
  answer->failed = inner->pc->failedreason;
  answer->norms  = wanted ? (long long)inner->res_hist_len : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupLeader::View(const ProcessGroup &group, bool of_pc, PetscViewer viewer) const
{
  PetscViewer   of_leaders;
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(PetscViewerGetSubViewer(viewer, group.Peers(), &of_leaders));
  if (group.Leads() && of_pc) PetscTryTypeMethod(inner->pc, view, of_leaders);
  if (group.Leads() && !of_pc) {
    PetscCall(FusedGet(inner, &ctx));
    PetscCall(FusedView(inner, ctx, of_leaders));
  }
  PetscCall(PetscViewerRestoreSubViewer(viewer, group.Peers(), &of_leaders));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
