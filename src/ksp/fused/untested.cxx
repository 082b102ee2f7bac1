/*
   Solves in which nothing is tested, logged or shown, as smoothers are: their iterations are launched one after the other, and the host waits for none of them.
*/
#include "../../sys/events.hpp"
#include "solver.hpp"

namespace heptane
{

/* What the view prints of such a solve; recorded again where the matrix or the preconditioner is another one */
static PetscErrorCode Describe(FusedEngine &e, KSP ksp, FusedContext *ctx, const FusedPc &pc)
{
  Stamp now = Stamp::Of(pc.kind, pc.block, e.Rows(), e.OnDevice());

  PetscFunctionBegin;
  ctx->chosen = KSP_FUSED_KERNELS;
  ctx->looked = 0;
  ctx->fold_remark.clear();
  if (ctx->mode == KSP_FUSED_GRAPH || ctx->mode == KSP_FUSED_PERSISTENT) ctx->remark = "nothing is tested";
  if (ctx->fold == KSP_FUSED_FOLD_YES) (void)ctx->method->Fold(ksp, pc, PETSC_FALSE, &ctx->fold_remark);
  if (e.Operator()) now << e.Operator()->Version();
  if (now == ctx->plan_for) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FusedMakePlan(ctx, pc));
  ctx->plan_for = std::move(now);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedUntested(FusedEngine &e, KSP ksp, FusedContext *ctx, const std::vector<Vec> &vectors)
{
  const PetscInt its = ctx->method->Untested(ksp);
  FusedPc        pc;

  PetscFunctionBegin;
  PetscCall(e.Begin(ksp, vectors, ctx->blocking, false));
  PetscCall(e.Release());
  PetscCall(FusedPcOf(e, ksp, ctx, vectors, &pc));
  PetscCall(e.Acquire());
  PetscCall(e.ClearScalars());
  PetscCall(Describe(e, ksp, ctx, pc));
  ctx->method->Begin(e);
  PetscCall(PetscLogEventBegin(KSP_FusedIterations, ksp, 0, 0, 0));
  for (PetscInt it = 0; it < its; it++) PetscCall(ctx->method->UntestedIteration(e, pc, it));
  PetscCall(FusedLogFlops(ctx, its));
  PetscCall(PetscLogEventEnd(KSP_FusedIterations, ksp, 0, 0, 0));
  PetscCall(ctx->method->Complete(e, pc));
  ksp->its    = its;
  ksp->reason = KSP_CONVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
