/*
   The leader's solver gets the settings of the program's solver at each meeting.
*/
#include "leader.hpp"
#include "carry.hpp"
#include <petsc/private/kspimpl.h>
#include <petsc/private/pcimpl.h>

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
PetscErrorCode GroupLeader::Renew(const GroupedMat &matrix, GroupsRenewal *renewal)
{
  PC       own = inner->pc;
  MatState now;

  PetscFunctionBegin;
  PetscCall(MatGetState(matrix.Inner(), &now));
  if (own->setupcalled && (renewal->known || (own->matstate.id == now.id && changes == matrix.Changes()))) own->matstate = now;
  changes = matrix.Changes();
  if (renewal->renew) {
    PetscCall(PCReset(own));
    PetscCall(PCSetOperators(own, matrix.Inner(), matrix.Inner())); /* the reset has removed them */
  } else if (renewal->renewals) own->matstate.state = -1;
  *renewal = GroupsRenewal();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupLeader::Prepare(KSP ksp, FusedContext *ctx, const ProcessGroup &group, GroupedMat &matrix, unsigned brought, GroupsRenewal *renewal)
{
  PetscFunctionBegin;
  if (brought & groups_new_values) PetscCall(matrix.ReceiveValues(brought & groups_counted_values));
  if (!inner) {
    PetscCall(KSPCreate(group.Peers(), &inner));
    PetscCall(PetscObjectSetOptions((PetscObject)inner, ((PetscObject)ksp)->options));
  }
  PetscCall(KSPSetOperators(inner, matrix.Inner(), matrix.Inner()));
  PetscCall(GroupsCarry(ksp, ctx, inner));
  PetscCall(Renew(matrix, renewal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupLeader::SetUp(MeetingAnswer *answer)
{
  PetscFunctionBegin;
  PetscCall(KSPSetUp(inner));
  answer->failed = inner->pc->failedreason;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupLeader::Solve(KSP ksp, GroupedMat &matrix, unsigned brought, std::vector<PetscReal> *norms, MeetingAnswer *answer)
{
  const bool wanted = brought & groups_wants_norms;
  Vec        b, x;

  PetscFunctionBegin;
  norms->resize(wanted ? (std::size_t)ksp->max_it + 2 : 1);
  PetscCall(KSPSetResidualHistory(inner, norms->data(), wanted ? (PetscCount)norms->size() : 0, PETSC_TRUE));
  PetscCall(matrix.ReceiveVectors(brought & groups_on_device, !ksp->guess_zero, &b, &x));
  PetscCall(KSPSolve(inner, b, x));
  PetscCall(matrix.ReturnSolution());
  answer->its    = inner->its;
  answer->reason = inner->reason;
  answer->rnorm  = (double)inner->rnorm;
  answer->failed = inner->pc->failedreason;
  answer->norms  = wanted ? (long long)inner->res_hist_len : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
