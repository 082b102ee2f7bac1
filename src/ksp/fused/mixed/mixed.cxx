/*
   Mixed precision: the recurrences use vectors and a scaled copy of the matrix in single precision, all sums are in
   double. When the norm has fallen by a factor, their correction is added to the solution, and its residual, computed
   with the matrix in double precision, replaces the recurred one (Sleijpen and van der Vorst, Reliable updated
   residuals in hybrid Bi-CG methods, Computing 56, 1996). Only such a residual declares convergence. If single
   precision fails, the solve continues in double precision from the last such residual.
*/
#include "../../../sys/vectors.hpp"
#include "../run_state.hpp"
#include "passes.hpp"
#include "update.hpp"
#include <cmath>

namespace heptane
{

namespace
{

/* Back to the solution that is kept, with its residual and norm */
PetscErrorCode Rollback(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedDriver &e = *ctx->engine;
  bool         in_range;

  PetscFunctionBegin;
  e.Host().stop = FusedStop::no; /* for the passes here */
  PetscCall(e.SetScalars());
  PetscCall(ctx->caches.saved_solution.Rollback(e.Array(ksp->vec_sol)));
  PetscCall(MixedResidual(ksp, ctx, p->unfolded));
  PetscCall(MixedRound(ctx, p->unfolded, FusedRounding::restart, &in_range));
  p->mixed.failed = "the residual has grown in single precision: back at the solution of iteration " + std::to_string(p->mixed.kept_at);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After iteration S.it, without passes in flight that change data */
PetscErrorCode Update(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedDriver    &e        = *ctx->engine;
  FusedScalars   &S        = e.Host();
  FusedMixed     &m        = p->mixed;
  const FusedStop stop     = S.stop;
  const Real      recurred = S.dp;
  bool            in_range = false;

  PetscFunctionBegin;
  S.stop = FusedStop::no; /* for the passes here */
  if (m.chained) in_range = mixed_rounded(ctx, FusedRounding::keep);
  else {
    PetscCall(e.SetScalars());
    PetscCall(MixedAddCorrection(ctx, p));
    PetscCall(MixedResidual(ksp, ctx, p->unfolded));
    PetscCall(MixedRound(ctx, p->unfolded, FusedRounding::keep, &in_range));
  }
  PetscCall(PetscInfo(ksp, "iteration %d: residual norm %g, in double precision %g\n", S.it, (double)recurred, (double)S.dp));
  if (!mixed_progresses(m, stop == FusedStop::test, S.it, recurred, S.dp))
    m.failed = is_finite(S.dp) ? "single precision brings no progress" : "the residual in double precision is no number";
  else if (!in_range) m.failed = "the residual is out of the range of single precision";
  if (!mixed_is_no_worse(m, S.dp)) PetscCall(Rollback(ksp, ctx, p));
  else if (S.dp < m.kept) mixed_keep(m, S.it, S.dp);
  S.stop                                  = stop;
  p->scalars_uploaded                     = false;
  e.History()[S.it % PassTuning::history] = S.dp;
  ctx->last.updates.push_back(S.it);
  mixed_set_target(m, FusedMixedTest(ksp, ctx, p), S.it, recurred, S.dp);
  /* of the first process: logarithms of different processors may differ in the last bit */
  if (e.Processes() > 1 && e.HostScalars()) PetscCallMPI(MPI_Bcast(&m.factor, 1, MPIU_REAL, 0, PetscObjectComm((PetscObject)ksp)));
  m.due = m.chained = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *failure(FusedStop stop)
{
  switch (stop) {
  case FusedStop::indefinite_mat:
  case FusedStop::indefinite_pc:
    return "the matrix is not positive definite in single precision";
  case FusedStop::norm:
  case FusedStop::product:
    return "overflow in single precision";
  default:
    return "breakdown in single precision";
  }
}

} // namespace

void FusedSetTest(KSP ksp, FusedScalars *S)
{
  S->test      = ksp->converged == KSPConvergedDefault;
  S->min_it    = (int)PetscClipInterval(ksp->min_it, 0, PETSC_INT32_MAX - 1);
  S->converged = ksp->ttol;
  S->diverged  = ksp->divtol * ksp->rnorm0;
}

MixedTest FusedMixedTest(KSP ksp, const FusedContext *ctx, const FusedProgress *p)
{
  FusedScalars S;
  MixedTest    t;

  FusedSetTest(ksp, &S);
  t.tests     = (bool)S.test;
  t.min_it    = S.min_it;
  t.end       = p->end;
  t.until     = p->end;
  t.converged = S.converged;
  t.diverged  = t.tests ? S.diverged : PETSC_MAX_REAL;
  t.factor    = ctx->settings.precision_factor;
  t.rows      = (Real)PetscMax(GlobalSize(ksp->vec_sol), 1);
  return t;
}

void FusedMixedSetTest(KSP ksp, const FusedContext *ctx, const FusedProgress *p, FusedScalars *S)
{
  mixed_set_test(p->mixed, FusedMixedTest(ksp, ctx, p), *S);
}

/* Applies the updates that a kernel has made itself and after which it continued */
static PetscErrorCode TakeUpdates(KSP ksp, FusedContext *ctx, FusedMixed *m)
{
  const MixedResult &result = *ctx->caches.result.Get();

  PetscFunctionBegin;
  static_cast<MixedState &>(*m) = result.state;
  for (const MixedRecord *u = result.record; u < result.record + result.updates; u++) {
    PetscCall(PetscInfo(ksp, "iteration %d: residual norm %g, in double precision %g\n", u->it, (double)u->recurred, (double)u->norm));
    ctx->last.updates.push_back(u->it);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedMixedCheck(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedDriver  &e = *ctx->engine;
  FusedScalars &S = e.Host();
  FusedMixed   &m = p->mixed;

  PetscFunctionBegin;
  if (m.updates) PetscCall(TakeUpdates(ksp, ctx, &m));
  if (S.stop == FusedStop::no) {
    for (int it = p->seen + 1; it <= S.it; it++) m.most = PetscMax(m.most, e.Norm(it));
    m.due = m.due || S.dp <= m.factor * m.most || S.it - m.best_at >= FusedTuning::precision_iterations;
    if (!m.due || !p->under_way.empty()) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Update(ksp, ctx, p));
    FusedMixedSetTest(ksp, ctx, p, &S);
  } else if (S.stop == FusedStop::test || S.stop == FusedStop::limit) PetscCall(Update(ksp, ctx, p));
  else m.failed = failure(S.stop);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int FusedMixedBatch(const FusedContext *ctx, const FusedProgress &p, int batch)
{
  const FusedMixed   &m       = p.mixed;
  const FusedScalars &S       = ctx->engine->Host();
  const int           done    = S.it - m.since;
  const bool          sampled = done >= FusedTuning::mixed_sample && S.dp > 0 && S.dp < m.reference;
  const double        rate    = sampled ? std::log(m.reference / S.dp) / done : m.rate;

  if (rate <= 0 || !(S.converged > 0 && S.converged < m.reference)) return batch;
  const double expected = PetscMin(std::log(m.reference / S.converged) / rate, S.last - m.since), left = m.since + expected - p.launched,
               most = PetscMax(left, expected / FusedTuning::mixed_tail);
  int power         = 1;

  while (2 * power <= most) power *= 2; /* graphs have powers of two */
  return PetscMin(batch, power);
}

PetscErrorCode FusedMixedLeave(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedDriver  &e = *ctx->engine;
  FusedScalars &S = e.Host();

  PetscFunctionBegin;
  ctx->caches.rounding_side  = true;
  ctx->last.precision_remark = "from iteration " + std::to_string(S.it) + " on in double precision: " + p->mixed.failed;
  PetscCall(PetscInfo(ksp, "-ksp_fused_precision %s: %s\n", KSPFusedPrecisions[ctx->settings.precision], ctx->last.precision_remark.c_str()));
  p->mixed = FusedMixed();
  p->pc    = p->unfolded;
  e.SetFolded(nullptr);
  S.stop = FusedStop::no;
  S.last = p->end;
  FusedSetTest(ksp, &S);
  PetscCall(e.SetScalars());
  PetscCall(ctx->method->can.single->LeaveSingle(e, p->pc));
  PetscCall(MixedFetchSums(e));
  ctx->method->Started(e);
  S.settled           = 1;
  p->scalars_uploaded = false;
  p->under_way.clear();
  p->launched = p->seen;
  ctx->method->Continue(S);
  if (ctx->last.chosen == KSP_FUSED_PERSISTENT) PetscCall(FusedChooseAgain(ksp, ctx, p));
  PetscCall(FusedMakePlan(ctx, p->pc));
  PetscCall(FusedFoldPlan(ksp, ctx, p->pc, PETSC_FALSE, &p->fold_from));
  if (p->fold_from != INT_MAX) p->fold_from += p->launched;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing to do if an update was the last step */
PetscErrorCode FusedMixedEnd(FusedContext *ctx, const FusedProgress &p)
{
  FusedDriver &e = *ctx->engine;

  PetscFunctionBegin;
  if (e.Host().it == p.mixed.since && e.Host().stop != FusedStop::no) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(e.SetScalars());
  PetscCall(ctx->method->can.single->AddCorrection(e, p.unfolded, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
