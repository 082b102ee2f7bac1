/*
   Untested solves, such as smoothers, in mixed precision: vectors stay in double precision, and products read a copy of
   the matrix that is scaled by the preconditioner and stored in single precision. Its unit diagonal is not stored, so
   that it is exact.
*/
#include "../solver.hpp"

namespace heptane
{

/* Why the solve uses the matrix itself; empty: it uses the copy */
static std::string why_not(KSP ksp, const FusedContext *ctx, const FusedPc &pc, const FusedScaling &F)
{
  const FusedDriver &e = *ctx->engine;

  if (std::is_same_v<Scalar, float>) return "PETSc is built in single precision";
  if (e.Processes() > 1) return "several processes";
  if (!e.Operator()) return "the matrix is multiplied by MatMult()";
  if (pc.form == FusedPc::called) return "the preconditioner is called between the passes";
  if (ctx->settings.precision == KSP_FUSED_PRECISION_AUTO) return "nothing is tested, and how many solves the copy would serve is not known";
  if (ksp->guess_zero && ctx->method->Untested(ksp) <= 1) return "a single iteration from a guess of zero reads no matrix";
  return e.Matrix()->WhyNotFold(F, FusedStored::single);
}

PetscErrorCode FusedChooseUntested(KSP ksp, FusedContext *ctx, FusedPc *pc)
{
  FusedDriver       &e = *ctx->engine;
  const FusedScaling F = FusedScalingOf(pc->form == FusedPc::none ? FusedSide::none : FusedSide::left, *pc);

  PetscFunctionBegin;
  if (ctx->settings.precision == KSP_FUSED_PRECISION_DOUBLE) {
    ctx->caches.single.reset();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  ctx->last.precision_remark = why_not(ksp, ctx, *pc, F);
  if (ctx->last.precision_remark.empty()) PetscCall(FusedCopySingle(ksp, ctx, *pc, F.side, &ctx->last.precision_remark));
  if (!ctx->last.precision_remark.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  *pc = FusedFoldedPc(*pc, ctx->caches.single->Unit());
  e.SetFolded(ctx->caches.single);
  ctx->last.smooth_single = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
