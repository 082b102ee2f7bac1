/*
   Meetings of a solve: members bring new values and vectors and sleep; leaders work and answer. A meeting may also find
   that the pattern is new, or that some process has a reason not to take part.
*/
#include "solver.hpp"
#include "../../comm/peer_memory.hpp"
#include "carry.hpp"
#include "deferred.hpp"
#include "matrix.hpp"
#include <petsc/private/kspimpl.h>
#include <petsc/private/pcimpl.h>

namespace heptane
{

namespace
{

/* What a process brings to a meeting */
enum : unsigned { refuses = 1, new_pattern = 2, new_values = 4, wants_norms = 8, on_device = 16, on_host = 32 };
/* ... and the leader's answer */
enum { refused, patterns, worked };

class Grouped final : public FusedElsewhere, public DeferredUser {
public:
  ~Grouped() override { PetscCallAbort(PETSC_COMM_SELF, Reset()); }
  PetscErrorCode SetUp(KSP ksp, FusedContext *ctx) override;
  PetscErrorCode Solve(KSP ksp, FusedContext *ctx, bool *solved) override;
  PetscErrorCode View(KSP ksp, PetscViewer viewer) override;
  PetscErrorCode Reset() override;

  PetscErrorCode SetUpPc(PC pc, bool *done) override;
  PetscErrorCode ViewPc(PC pc, PetscViewer viewer) override;
  PetscErrorCode IsSolver(KSP ksp, bool *is) const override
  {
    *is = ksp == of;
    return PETSC_SUCCESS;
  }

private:
  enum Work { set_up, solve };

  PetscErrorCode Prepare(KSP ksp, FusedContext *ctx, Work work, unsigned *flags, std::string *why);
  PetscErrorCode Meet(KSP ksp, FusedContext *ctx, Work work, MeetingAnswer *answer);
  PetscErrorCode Bring(KSP ksp, Work work, unsigned *flags);
  PetscErrorCode Lead(KSP ksp, FusedContext *ctx, Work work, MeetingAnswer *answer);
  PetscErrorCode DoWork(KSP ksp, FusedContext *ctx, Work work, unsigned flags, MeetingAnswer *answer);
  PetscErrorCode Take(KSP ksp, const MeetingAnswer &answer);
  PetscErrorCode Keep(PC pc);

  KSP                           of = NULL; /* borrowed: this is composed on it */
  PC                            pc = NULL; /* whose set-ups it makes */
  std::shared_ptr<ProcessGroup> group;
  std::shared_ptr<GroupedMat>   matrix;
  std::string                   told; /* why the last solve was refused */
  /* Leader */
  KSP                    inner = NULL;
  std::vector<PetscReal> norms;
};

/* What PETSc has said of an error, for the other processes */
PetscErrorCode message_of(PetscErrorCode code, MeetingAnswer *answer)
{
  const char *text, *specific = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscErrorMessage(code, &text, &specific));
  PetscCall(PetscStrncpy(answer->text, specific && *specific ? specific : text ? text : "", sizeof(answer->text)));
  answer->code = code;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix's values and this process's vectors; flags: what of them is new */
PetscErrorCode Grouped::Bring(KSP ksp, Work work, unsigned *flags)
{
  Mat       A;
  bool      sent;
  PetscBool cuda, bound;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  PetscCall(matrix->SendValues(A, &sent));
  if (sent) *flags |= new_values;
  if (work == set_up) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(matrix->SendVector(GroupedMat::rhs, ksp->vec_rhs));
  if (!ksp->guess_zero) PetscCall(matrix->SendVector(GroupedMat::solution, ksp->vec_sol));
  if (GroupsWantNorms(ksp)) *flags |= wants_norms;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp->vec_sol, &cuda, VECSEQCUDA, VECMPICUDA, ""));
  PetscCall(VecBoundToCPU(ksp->vec_sol, &bound));
  *flags |= cuda && !bound ? on_device : on_host;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::Prepare(KSP ksp, FusedContext *ctx, Work work, unsigned *flags, std::string *why)
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  if (why->empty()) PetscCall(GroupsWhyNot(ksp, ctx, work == solve, why));
  if (why->empty()) PetscCall(GroupedMat::Of(A, &matrix));
  *flags = 0;
  if (!why->empty()) *flags |= refuses;
  else if (matrix->IsNew(group, A)) *flags |= new_pattern;
  else PetscCall(Bring(ksp, work, flags));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leader: the solver that has the group's rows, for what all have brought */
PetscErrorCode Grouped::DoWork(KSP ksp, FusedContext *ctx, Work work, unsigned flags, MeetingAnswer *answer)
{
  const bool wanted = flags & wants_norms;
  Vec        b, x;

  PetscFunctionBegin;
  if (flags & new_values) PetscCall(matrix->ReceiveValues());
  if (!inner) {
    PetscCall(KSPCreate(group->Peers(), &inner));
    PetscCall(KSPSetType(inner, ((PetscObject)ksp)->type_name));
    PetscCall(PetscObjectSetOptions((PetscObject)inner, ((PetscObject)ksp)->options));
  }
  PetscCall(KSPSetOperators(inner, matrix->Inner(), matrix->Inner()));
  PetscCall(GroupsCarry(ksp, ctx, inner));
  if (work == set_up) {
    PetscCall(KSPSetUp(inner));
    answer->failed = inner->pc->failedreason;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  norms.resize(wanted ? (std::size_t)ksp->max_it + 2 : 1);
  PetscCall(KSPSetResidualHistory(inner, norms.data(), wanted ? (PetscCount)norms.size() : 0, PETSC_TRUE));
  PetscCall(matrix->ReceiveVectors((flags & on_device) && !(flags & on_host), !ksp->guess_zero, &b, &x));
  PetscCall(KSPSolve(inner, b, x));
  PetscCall(matrix->ReturnSolution());
  answer->its    = inner->its;
  answer->reason = inner->reason;
  answer->rnorm  = (double)inner->rnorm;
  answer->failed = inner->pc->failedreason;
  answer->norms  = wanted ? (long long)inner->res_hist_len : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::Lead(KSP ksp, FusedContext *ctx, Work work, MeetingAnswer *answer)
{
  std::string    why;
  unsigned       flags = 0;
  int            worst;
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(group->Meets().Collect(&flags, &why));
  answer->what = flags & refuses ? refused : flags & new_pattern ? patterns : worked;
  if (answer->what == refused) {
    PetscCall(PeerAgree(group->Peers(), &why));
    PetscCall(PetscStrncpy(answer->text, why.c_str(), sizeof(answer->text)));
  } else if (answer->what == worked) {
    code = DoWork(ksp, ctx, work, flags, answer);
    if (code) PetscCall(message_of(code, answer));
    worst = code;
    PetscCall(group->Meets().AgreeOnCode(&worst));
    if (!code && worst) {
      answer->code = worst;
      PetscCall(PetscStrncpy(answer->text, "another leader has one", sizeof(answer->text)));
    }
  }
  group->Meets().Answer(*answer);
  PetscCall(code);
  PetscCheck(!answer->code, PETSC_COMM_SELF, (PetscErrorCode)answer->code, "Another process, which solves with this one, reports an error");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One meeting, or two where the pattern is new */
PetscErrorCode Grouped::Meet(KSP ksp, FusedContext *ctx, Work work, MeetingAnswer *answer)
{
  std::string why;

  PetscFunctionBegin;
  do {
    unsigned             flags;
    Mat                  A;
    const PetscErrorCode code = Prepare(ksp, ctx, work, &flags, &why);

    if (code) PetscCall(group->Meets().Fail());
    PetscCall(code);
    *answer = MeetingAnswer();
    PetscCall(group->Meets().Arrive(flags, why));
    if (group->Leads()) PetscCall(Lead(ksp, ctx, work, answer));
    else PetscCall(group->Meets().Await(answer));
    if (answer->what != worked && matrix) matrix->ForgetSent();
    if (answer->what == refused && why.empty()) why = answer->text;
    if (answer->what != patterns) continue;
    PetscCall(PCGetOperators(ksp->pc, &A, NULL));
    PetscCall(matrix->Make(group, A, &why));
  } while (answer->what == patterns);
  if (answer->what == refused && why != told) PetscCall(PetscInfo(ksp, "Groups of processes (-heptane_groups) do not solve: %s\n", why.c_str()));
  told = answer->what == refused ? why : "";
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

PetscErrorCode Grouped::SetUp(KSP ksp, FusedContext *ctx)
{
  std::string why;
  PetscBool   jacobi;

  PetscFunctionBegin;
  of = ksp;
  PetscCall(ProcessGroup::Of(PetscObjectComm((PetscObject)ksp), &group));
  if (!group) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GroupsWhyNot(ksp, ctx, false, &why));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCJACOBI, &jacobi)); /* its set-up takes nothing before it is applied */
  if (!why.empty() || jacobi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DeferredInstall(ksp->pc, this, &why));
  PetscCall(Keep(why.empty() ? ksp->pc : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::SetUpPc(PC of_solver, bool *done)
{
  FusedContext *ctx;
  MeetingAnswer answer;

  PetscFunctionBegin;
  *done = false;
  PetscCall(ProcessGroup::Of(PetscObjectComm((PetscObject)of), &group));
  if (!group || of->pc != of_solver) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FusedGet(of, &ctx));
  PetscCall(Meet(of, ctx, set_up, &answer));
  *done = answer.what == worked;
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  of_solver->failedreason = of_solver->failedreasonrank = (PCFailedReason)answer.failed;
  PetscCheck(!answer.failed || !of_solver->erroriffailure, PetscObjectComm((PetscObject)of), PETSC_ERR_NOT_CONVERGED, "The preconditioner has failed: %s",
             PCFailedReasons[answer.failed]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reason, norms and solution as PETSc's loop leaves them; its monitors are shown the norms */
PetscErrorCode Grouped::Take(KSP ksp, const MeetingAnswer &answer)
{
  PetscFunctionBegin;
  PetscCall(matrix->FetchVector(GroupedMat::solution, ksp->vec_sol));
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
  MeetingAnswer answer;
  std::string   why;
  bool          left_out;

  PetscFunctionBegin;
  *solved = false;
  of      = ksp;
  PetscCall(ProcessGroup::Of(PetscObjectComm((PetscObject)ksp), &group));
  if (group) {
    PetscCall(Meet(ksp, ctx, solve, &answer));
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
    PetscCall(FusedGet(inner, &ctx));
    PetscCall(FusedView(inner, ctx, of_leaders));
  }
  PetscCall(PetscViewerRestoreSubViewer(viewer, group->Peers(), &of_leaders));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::ViewPc(PC, PetscViewer viewer)
{
  PetscViewer of_leaders;

  PetscFunctionBegin;
  PetscCall(PetscViewerGetSubViewer(viewer, group->Peers(), &of_leaders));
  if (group->Leads() && inner->pc->ops->view) PetscCall((*inner->pc->ops->view)(inner->pc, of_leaders));
  PetscCall(PetscViewerRestoreSubViewer(viewer, group->Peers(), &of_leaders));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Grouped::Reset()
{
  PetscFunctionBegin;
  PetscCall(Keep(NULL));
  PetscCall(KSPDestroy(&inner));
  matrix.reset();
  norms.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::unique_ptr<FusedElsewhere> make()
{
  return std::make_unique<Grouped>();
}

} // namespace

void GroupsRegister()
{
  fused_make_elsewhere = make;
}

} // namespace heptane
