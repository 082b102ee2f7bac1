/*
   The passes between single and double precision in mixed precision, and the synchronization with their sums: see
   mixed.cxx.
*/
#include "../../../sys/vectors.hpp"
#include "passes.hpp"
#include "update.hpp"
#include <cstring>

namespace heptane
{

/* Fetches the sums of a pass between iterations; the host's scalars are unchanged */
PetscErrorCode MixedFetchSums(FusedDriver &e)
{
  unsigned char kept[fused_scalars_bytes];

  PetscFunctionBegin;
  std::memcpy(kept, &e.Host(), sizeof(kept));
  PetscCall(e.CopyScalarsAsync(0, 0, 0));
  PetscCall(e.WaitScalars(0));
  std::memcpy(static_cast<void *>(&e.Host()), kept, sizeof(kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Uses the host's sums, which are sums over all processes */
bool mixed_rounded(FusedContext *ctx, FusedRounding how)
{
  FusedDriver &e = *ctx->engine;

  return mixed_in_range(ctx->method->can.single->Rounded(e, how), (Real)PetscMax(GlobalSize(e.ksp->vec_sol), 1));
}

/* The recurrences' residual from that in double precision */
PetscErrorCode MixedRound(FusedContext *ctx, const FusedPc &unfolded, FusedRounding how, bool *in_range)
{
  FusedDriver &e = *ctx->engine;

  PetscFunctionBegin;
  PetscCall(ctx->method->can.single->Round(e, unfolded, how));
  PetscCall(MixedFetchSums(e));
  *in_range = mixed_rounded(ctx, how);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* M^-1 (b - A x) in double precision, with the matrix itself */
PetscErrorCode MixedResidual(KSP ksp, FusedContext *ctx, const FusedPc &unfolded)
{
  FusedDriver       &e = *ctx->engine;
  const PetscScalar *b;
  PetscMemType       mt;
  FusedProduct       P;
  Vec                to = NULL;

  PetscFunctionBegin;
  ctx->method->can.single->Residual(ksp, unfolded, &P.pc, &to);
  if (e.OnDevice()) PetscCall(VecGetArrayReadAndMemType(ksp->vec_rhs, &b, &mt));
  else PetscCall(VecGetArrayRead(ksp->vec_rhs, &b));
  P.q           = e.Array(ksp->vec_sol);
  P.y           = e.Array(to);
  P.combine.rhs = b;
  e.SetFolded(nullptr);
  /* a product in a separate pass before the blocks uses this vector for A x */
  PetscCall(e.Combine(P, ksp->vec_sol, to, NULL, {"r", "x", ""}));
  e.SetFolded(ctx->caches.single);
  if (e.OnDevice()) PetscCall(VecRestoreArrayReadAndMemType(ksp->vec_rhs, &b));
  else PetscCall(VecRestoreArrayRead(ksp->vec_rhs, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MixedAddCorrection(FusedContext *ctx, FusedProgress *p)
{
  PetscFunctionBegin;
  PetscCall(ctx->method->can.single->AddCorrection(*ctx->engine, p->unfolded, p->mixed.keep ? ctx->caches.saved_solution.Array() : nullptr));
  p->mixed.keep = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
PetscErrorCode FusedMixedUpdates(KSP ksp, FusedContext *ctx, FusedProgress *p, bool *fits)
{
  FusedDriver             &e = *ctx->engine;
  FusedUpdatingPersistent &V = p->single;
  FusedUpdatingPersistent  plain(V);
  FusedPc                  applied;
  FusedResident            answer;
  Vec                      to = NULL;

  PetscFunctionBegin;
  *fits = false;
  if (std::strcmp(V.method, "cg")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ctx->caches.result.Make());
  ctx->method->can.single->Residual(ksp, p->unfolded, &applied, &to);
  V.method = "cg with updates";
  e.SetFolded(nullptr);
  V.matrix = e.Operator();
  e.SetFolded(ctx->caches.single);
  V.inverse   = p->unfolded.form == FusedPc::point ? p->unfolded.inverse : nullptr;
  V.x         = e.Array(ksp->vec_sol);
  V.kept      = ctx->caches.saved_solution.Array();
  V.residual  = e.Array(to);
  V.norm_of_r = ksp->normtype == KSP_NORM_UNPRECONDITIONED;
  V.result    = ctx->caches.result.Get();
  PetscCall(e.Operator()->PersistentFits(V, e.Device().stream, &answer));
  *fits = answer.fits;
  if (!*fits) V = plain;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedMixedSetTarget(KSP ksp, const FusedContext *ctx, FusedProgress *p, int until)
{
  FusedUpdatingPersistent &V = p->single;
  PetscMemType             mt;

  PetscFunctionBegin;
  V.most   = p->mixed.most;
  V.factor = p->mixed.factor;
  if (!p->mixed.updates) PetscFunctionReturn(PETSC_SUCCESS);
  V.state           = p->mixed;
  V.test            = FusedMixedTest(ksp, ctx, p);
  V.test.until      = until;
  V.result->state   = V.state;
  V.result->updates = 0;
  PetscCall(VecGetArrayReadAndMemType(ksp->vec_rhs, &V.rhs, &mt));
  const PetscScalar *b = V.rhs;
  PetscCall(VecRestoreArrayReadAndMemType(ksp->vec_rhs, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

PetscErrorCode FusedMixedChain(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  FusedDriver &e = *ctx->engine;

  p->mixed.chained = true;
  if (p->mixed.updates) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MixedAddCorrection(ctx, p));
  e.Device().SetTurn(1 - e.Device().Turn()); /* to scalars that do not make the product skip its work */
  const PetscErrorCode code = MixedResidual(ksp, ctx, p->unfolded);
  e.Device().SetTurn(1 - e.Device().Turn());
  PetscCall(code);
  PetscCall(ctx->method->can.single->Round(e, p->unfolded, FusedRounding::keep));
#else
  (void)ksp, (void)ctx, (void)p;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
