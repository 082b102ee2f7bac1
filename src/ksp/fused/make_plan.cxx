/*
   The plan of a solve: one iteration as the method runs it, recorded.
*/
#include "solver.hpp"

namespace heptane
{

PetscErrorCode FusedMakePlan(FusedContext *ctx, const FusedPc &pc)
{
  FusedDriver &e = *ctx->engine;

  PetscFunctionBegin;
  ctx->caches.plan = FusedPlan();
  ctx->caches.plan_for.Clear();
  PetscCall(e.Record(&ctx->caches.plan, [&] { return ctx->method->Iteration(e, pc); }));
  if (ctx->last.one_sum && ctx->last.chosen == KSP_FUSED_PERSISTENT) ctx->method->can.persistent->OneSum(&ctx->caches.plan);
  ctx->last.bytes_a_row = ctx->caches.plan.BytesPerRow(e.Operator() ? e.Operator()->MatrixBytes() : 0, (double)e.Rows());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
