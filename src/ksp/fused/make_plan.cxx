/*
   The plan of a solve: one iteration as the method runs it, recorded.
*/
#include "solver.hpp"

namespace heptane
{

PetscErrorCode FusedMakePlan(FusedContext *ctx, const FusedPc &pc)
{
  FusedEngine &e = *ctx->engine;

  PetscFunctionBegin;
  ctx->plan = FusedPlan();
  ctx->plan_for.Clear();
  PetscCall(e.Record(&ctx->plan, [&] { return ctx->method->Iteration(e, pc); }));
  if (ctx->one_sum && ctx->chosen == KSP_FUSED_PERSISTENT) ctx->method->persistent->OneSum(&ctx->plan);
  ctx->bytes_a_row = ctx->plan.BytesPerRow(e.Operator() ? e.Operator()->MatrixBytes() : 0, (double)e.Rows());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
