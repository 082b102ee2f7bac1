/*
   Monitors and convergence tests of the program. All processes call them in each iteration, so that a solve has a meeting
   for each of its iterations.
*/
#include "grouped.hpp"
#include "../../private/ksp.hpp"
#include "../../private/pc.hpp"

namespace heptane
{

namespace
{

/* A reason as flags: if processes have different ones, a bit and its opposite are set */
unsigned reason_bits(KSPConvergedReason reason)
{
  return (unsigned)(reason & 255) << 12 | (unsigned)(~reason & 255) << 20;
}

bool reasons_agree(unsigned flags)
{
  return !((flags >> 12) & (flags >> 20) & 255);
}

/* Leader: the iterate in place of the solution, for all. hidden: what the solver has there, if that is another vector */
PetscErrorCode ShowIterate(KSP inner, GroupedMat *matrix, Vec *hidden)
{
  PetscFunctionBegin;
  if (inner->pc_side == PC_RIGHT) {
    PetscCall(VecDuplicate(inner->vec_sol, hidden));
    PetscCall(KSPBuildSolution(inner, *hidden, NULL));
    PetscCall(VecSwap(inner->vec_sol, *hidden));
  }
  PetscCall(matrix->ReturnSolution());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/* Monitors or the test of the program, as in an iteration of its own solver */
PetscErrorCode Grouped::CallBack(const RendezvousAnswer &answer, unsigned *flags)
{
  const KSP     ksp = of;
  FusedContext *ctx;
  Mat           A;
  Stamp         before, after;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  if (answer.what != norm_shown) PetscCall(matrix->FetchVector(GroupedMat::solution, device, ksp->vec_sol));
  ctx->last.delegated = true;
  ksp->its            = (PetscInt)answer.its;
  ksp->rnorm          = (PetscReal)answer.rnorm;
  ksp->reason         = (KSPConvergedReason)answer.reason;
  if (answer.norms > logged) PetscCall(KSPLogResidualHistory(ksp, (PetscReal)answer.logged));
  PetscCall(GroupedMat::PatternOf(A, false, &before));
  logged       = answer.norms;
  matrix->busy = true;
  const PetscErrorCode code =
    answer.what == test_asked ? (*ksp->converged)(ksp, ksp->its, ksp->rnorm, &ksp->reason, ksp->cnvP) : KSPMonitor(ksp, ksp->its, ksp->rnorm);
  matrix->busy = false;
  PetscCall(code);
  PetscCall(GroupedMat::PatternOf(A, false, &after));
  PetscCheck(before == after, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "A monitor or convergence test has changed the pattern of the matrix of its own solve: use -heptane_groups no");
  *flags = reason_bits(ksp->reason);
  PetscCall(matrix->SendValues(A, flags));
  matrix->Received(A);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::Watch(const RendezvousAnswer &answer)
{
  unsigned             flags = 0;
  const PetscErrorCode code  = answer.code ? (PetscErrorCode)answer.code : CallBack(answer, &flags);

  PetscFunctionBegin;
  if (code) PetscCall(group->GetRendezvous().Fail());
  PetscCall(code);
  PetscCall(group->GetRendezvous().Arrive(flags, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leader: of its solver */
PetscErrorCode Grouped::SetCallBacks(unsigned flags)
{
  const KSP  inner = leader.Solver();
  const auto show  = [](KSP, PetscInt it, PetscReal norm, void *self) { return static_cast<Grouped *>(self)->Show(it, norm, iterate_shown, nullptr); };
  const auto test  = [](KSP, PetscInt it, PetscReal norm, KSPConvergedReason *reason, void *self) {
    return static_cast<Grouped *>(self)->Show(it, norm, test_asked, reason);
  };

  PetscFunctionBegin;
  PetscCall(KSPMonitorCancel(inner));
  if (flags & groups_monitors) PetscCall(KSPMonitorSet(inner, flags & groups_reads_iterate ? +show : ShowNorm, this, NULL));
  if (flags & groups_tests) PetscCall(KSPSetConvergenceTest(inner, test, this, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leader, within its solve: ends a meeting with an iteration, and collects all processes for the next one */
PetscErrorCode Grouped::Show(PetscInt it, PetscReal norm, int what, KSPConvergedReason *reason)
{
  const KSP        inner = leader.Solver();
  RendezvousAnswer answer;
  unsigned         flags;
  Vec              hidden = NULL;

  PetscFunctionBegin;
  const PetscErrorCode code = what == norm_shown ? PETSC_SUCCESS : ShowIterate(inner, matrix.get(), &hidden);

  answer.what   = what;
  answer.reason = inner->reason;
  answer.its    = it;
  answer.rnorm  = (double)norm;
  answer.norms  = (long long)inner->res_hist_len;
  answer.logged = answer.norms ? (double)norms[answer.norms - 1] : 0;
  group->GetRendezvous().Answer(answer);
  answer.code = code;
  PetscCall(Watch(answer));
  PetscCall(group->GetRendezvous().Collect(&flags, nullptr));
  if (hidden) PetscCall(VecSwap(inner->vec_sol, hidden));
  PetscCall(VecDestroy(&hidden));
  if (flags & groups_new_values) PetscCall(leader.ReceiveValues(*matrix, flags, &renewal));
  if (flags & groups_counted_values) renewal.renewals = 1; /* the program's preconditioner may be set up for these values already */
  if (!reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(reasons_agree(flags), PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "The convergence test of the program returns different reasons on the processes");
  *reason = of->reason;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
