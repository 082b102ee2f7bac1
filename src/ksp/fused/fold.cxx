/*
   When a solve changes to a folded copy of the matrix, and how its vectors are converted there and back.
*/
#include "../../sys/collective.hpp"
#include "../../sys/events.hpp"
#include "run_state.hpp"
#include <climits>
#include <cmath>

namespace heptane
{

FusedScaling FusedScalingOf(FusedSide side, const FusedPc &pc)
{
  FusedScaling F;

  F.side    = side;
  F.block   = pc.block;
  F.inverse = pc.inverse;
  F.ld      = pc.ld;
  return F;
}

FusedPc FusedFoldedPc(const FusedPc &pc, bool unit)
{
  FusedPc folded = pc;

  folded.matrix  = unit ? FusedPc::scaled_unit : FusedPc::scaled;
  folded.source  = FusedPc::given; /* own was of the matrix before it was scaled */
  folded.z_alone = false;
  return folded;
}

/*
   The iteration, a power of two, from which a folded matrix has paid for itself, by bytes of memory: the bytes and
   delay of folding (see FusedTuning) divided by the bytes saved per iteration; time that a persistent kernel saves
   counts as bytes. INT_MAX: never. Equal in all solves, so that repeated solves are bitwise identical.
*/
static PetscErrorCode BreakEvenIteration(FusedContext *ctx, const FusedPc &pc, const FusedScaling &F, int *from)
{
  FusedDriver       &e      = *ctx->engine;
  const FusedMatrix &op     = *e.Matrix();
  const FusedPc      folded = FusedFoldedPc(pc, op.FoldedBytes(F) < op.MatrixBytes());
  FusedPlan          iteration, change;
  bool               persistent = false; /* the copy has a kernel */

  PetscFunctionBegin;
  if (pc.form == FusedPc::blocks && ctx->last.chosen == KSP_FUSED_GRAPH && ctx->settings.mode != KSP_FUSED_GRAPH)
    PetscCall(FusedHasPersistent(ctx, pc, &persistent));
  PetscCall(e.Record(&iteration, [&] { return ctx->method->Iteration(e, folded); }));
  if (FusedFoldedMethod *vectors = ctx->method->can.folded) {
    PetscCall(e.Record(&change, [&] { return vectors->EnterFold(e, pc); }));
    PetscCall(e.Record(&change, [&] { return vectors->LeaveFold(e, folded); }));
  }
  const double rows = (double)e.Rows(), product = op.MatrixBytes() + 2 * sizeof(Scalar) * rows;
  const double saved = rows * (ctx->caches.plan.row_bytes - iteration.row_bytes) + iteration.products * (op.MatrixBytes() - op.FoldedBytes(F)) +
                       (persistent ? FusedTuning::persistent_us * FusedTuning::bytes_per_us : 0);
  const double fold_cost = FusedTuning::fold_products * product + change.row_bytes * rows + FusedTuning::fold_us * FusedTuning::bytes_per_us;

  *from = INT_MAX;
  if (saved < FusedTuning::fold_gain * ctx->last.bytes_a_row * rows) PetscFunctionReturn(PETSC_SUCCESS);
  for (*from = FusedTuning::first_interval; *from < fold_cost / saved && *from < INT_MAX / 2;) *from *= 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All processes use the folded matrix from the same iteration on, or none does */
static PetscErrorCode Agree(const FusedDriver &e, int *from, std::string *why)
{
  const int local = e.Rows() ? *from : 0; /* a process without rows has nothing against it */

  PetscFunctionBegin;
  if (e.Processes() == 1 || !e.Operator()) PetscFunctionReturn(PETSC_SUCCESS);
  *from = local;
  PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)e.ksp), from, 1, MPI_INT, MPI_MAX));
  if (*from == local) PetscFunctionReturn(PETSC_SUCCESS);
  *why =
    *from == INT_MAX ? "another process cannot, or would not move fewer bytes" : "it pays on all processes from iteration " + std::to_string(*from) + " on";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedFoldPlan(KSP ksp, FusedContext *ctx, const FusedPc &pc, PetscBool iterate, int *from)
{
  FusedDriver &e    = *ctx->engine;
  FusedSide    side = FusedSide::none;
  std::string  why;

  PetscFunctionBegin;
  *from                 = INT_MAX;
  ctx->last.folded_from = -1;
  ctx->last.fold_remark.clear();
  if (ctx->settings.fold == KSP_FUSED_FOLD_NO) {
    ctx->caches.folded.reset();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (pc.form == FusedPc::none) PetscFunctionReturn(PETSC_SUCCESS);
  if (pc.form == FusedPc::called) why = "the preconditioner is called between the passes";
  else if (!e.Operator()) why = "the matrix is multiplied by MatMult() (fused: -mat_type bdiagh, sellp)";
  else if (ctx->last.chosen == KSP_FUSED_PERSISTENT) why = "the persistent kernel has no folded form";
  else {
    side = ctx->method->Fold(ksp, pc, iterate, &why);
    if (side != FusedSide::none) why = e.Matrix()->WhyNotFold(FusedScalingOf(side, pc), FusedStored::scalar);
  }
  if (why.empty()) {
    if (ctx->settings.fold == KSP_FUSED_FOLD_YES) *from = 0;
    else if (ctx->settings.fold_after >= 0) *from = (int)PetscMin(ctx->settings.fold_after, INT_MAX);
    else PetscCall(BreakEvenIteration(ctx, pc, FusedScalingOf(side, pc), from));
    why = *from == INT_MAX ? "an iteration would not move fewer bytes" : "it pays from iteration " + std::to_string(*from) + " on";
  }
  PetscCall(Agree(e, from, &why));
  ctx->last.fold_remark = why;
  ctx->last.fold_side   = side;
  if (ctx->settings.fold == KSP_FUSED_FOLD_YES && *from) PetscCall(PetscInfo(ksp, "-ksp_fused_fold yes: not folded: %s\n", why.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Stamp FusedCopyStamp(const FusedContext *ctx, const FusedPc &pc, FusedSide side)
{
  const FusedDriver &e   = *ctx->engine;
  Stamp              now = Stamp::Of(pc.form, side, e.Operator()->Version(), e.Operator()->Exchange(), e.OnDevice());

  if (pc.form != FusedPc::none) now << ctx->caches.pcs.MadeFrom();
  return now;
}

PetscErrorCode FusedFoldEnter(KSP ksp, FusedContext *ctx, int at, FusedPc *pc, PetscBool *entered)
{
  FusedDriver       &e   = *ctx->engine;
  const FusedScaling F   = FusedScalingOf(ctx->last.fold_side, *pc);
  Stamp              now = FusedCopyStamp(ctx, *pc, F.side);

  PetscFunctionBegin;
  *entered        = PETSC_FALSE;
  PetscBool stale = (PetscBool)(!ctx->caches.folded || ctx->caches.folded_for != now);
  if (e.Processes() > 1)
    PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)ksp), &stale, 1, MPI_C_BOOL, MPI_LOR)); /* values of one process may have changed */
  if (stale) {
    ctx->caches.folded_for.Clear(); /* in case of an error below */
    PetscCall(PetscLogEventBegin(KSP_FusedFold, ksp, 0, 0, 0));
    PetscCall(e.Matrix()->Fold(F, FusedStored::scalar, &ctx->caches.folded, &ctx->caches.fold_status));
    PetscCall(PetscLogEventEnd(KSP_FusedFold, ksp, 0, 0, 0));
    ctx->caches.folded_for = std::move(now);
  }
  if (ctx->caches.fold_status == FusedFoldStatus::done) {
    if (ctx->method->can.folded) PetscCall(ctx->method->can.folded->EnterFold(e, *pc));
    *pc = FusedFoldedPc(*pc, ctx->caches.folded->Unit());
    e.SetFolded(ctx->caches.folded);
    PetscCall(FusedMakePlan(ctx, *pc));
    ctx->last.fold_remark.clear();
    ctx->last.folded_from = at;
    *entered              = PETSC_TRUE;
  } else {
    if (ctx->caches.fold_status == FusedFoldStatus::no_memory) {
      ctx->caches.folded.reset();
      ctx->last.fold_remark = "no memory is left for the copy";
    } else ctx->last.fold_remark = "the diagonal of the preconditioner is not positive";
    PetscCall(PetscInfo(ksp, "-ksp_fused_fold %s: not folded: %s\n", KSPFusedFolds[ctx->settings.fold], ctx->last.fold_remark.c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
