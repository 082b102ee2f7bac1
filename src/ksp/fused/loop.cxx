/*
   The iterations of a fused solve. The device runs batches of iterations without the host. Meanwhile the host reads the
   scalars of the previous batch and replays PETSc's part of each iteration: history, monitors, convergence test. The
   device stops when the test is met; later passes in the queue then change nothing.
*/
#include "../../sys/events.hpp"
#include "run_state.hpp"
#include "placement.hpp"
#include "../../private/pc.hpp"
#include <algorithm>
#include <climits>

namespace heptane
{

namespace
{

/* PETSc's macros return from the function they are in */
PetscErrorCode CheckDot(KSP ksp, Scalar a)
{
  PetscFunctionBegin;
  KSPCheckDot(ksp, a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckNorm(KSP ksp, Real a)
{
  PetscFunctionBegin;
  KSPCheckNorm(ksp, a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Iterated(KSP ksp, FusedContext *ctx, PetscInt it, Real norm)
{
  PetscFunctionBegin;
  ksp->its   = ctx->method->can.loop ? ctx->method->can.loop->Count(ksp, it) : it;
  ksp->rnorm = norm;
  PetscCall(KSPLogResidualHistory(ksp, norm));
  PetscCall(FusedShown(ksp, [&] {
    const PetscErrorCode code = KSPMonitor(ksp, it, norm);

    return code ? code : (*ksp->converged)(ksp, it, norm, &ksp->reason, ksp->cnvP);
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Breakdown(KSP ksp, KSPConvergedReason reason, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(!ksp->errorifnotconverged || reason > 0, PetscObjectComm((PetscObject)ksp), PETSC_ERR_NOT_CONVERGED, "KSPSolve has not converged: %s", what);
  ksp->reason = reason;
  PetscCall(PetscInfo(ksp, "%s\n", what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the reason for which the passes stopped, if the convergence test has not set one */
PetscErrorCode Stopped(KSP ksp, FusedContext *ctx)
{
  FusedDriver  &e = *ctx->engine;
  FusedScalars &S = e.Host();

  PetscFunctionBegin;
  ksp->its = S.its;
  switch (S.stop) {
  case FusedStop::no:
  case FusedStop::test:
  case FusedStop::limit:
    break;
  case FusedStop::norm:
    PetscCall(CheckNorm(ksp, S.dp));
    break;
  case FusedStop::product:
    PetscCall(CheckDot(ksp, S.bad));
    break;
  case FusedStop::no_beta:
    PetscCall(Breakdown(ksp, ctx->method->Traits(ksp).no_beta, "the residual has no component in the preconditioned one: beta = 0"));
    break;
  case FusedStop::indefinite_pc:
    PetscCall(Breakdown(ksp, KSP_DIVERGED_INDEFINITE_PC, "indefinite preconditioner"));
    break;
  case FusedStop::indefinite_mat:
    if (ksp->converged_neg_curve) PetscCall(Breakdown(ksp, KSP_CONVERGED_NEG_CURVE, "negative curvature"));
    else PetscCall(Breakdown(ksp, KSP_DIVERGED_INDEFINITE_MAT, "indefinite matrix"));
    break;
  case FusedStop::zero_product:
    PetscCall(Breakdown(ksp, KSP_DIVERGED_BREAKDOWN, "breakdown due to zero inner product"));
    break;
  case FusedStop::zero_rho:
    PetscCall(Breakdown(ksp, KSP_DIVERGED_BREAKDOWN, "breakdown due to zero rho inner product"));
    break;
  case FusedStop::singular:
    PetscCall(ctx->method->Singular(e));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Name of a persistent kernel in the metrics */
std::string persistent_text(const FusedContext *ctx)
{
  return std::string("iterations of ") + ((PetscObject)ctx->engine->ksp)->type_name + " in one kernel, " + std::to_string(ctx->engine->Rows()) + " rows";
}

/* refused: nothing has been launched */
PetscErrorCode Enqueue(KSP ksp, FusedContext *ctx, FusedProgress *p, int batch, bool *refused)
{
  FusedDriver         &e         = *ctx->engine;
  const FusedPc       &pc        = p->pc;
  const FusedRunState &run_state = p->run_state;

  PetscFunctionBegin;
  *refused = false;
#if PetscDefined(HAVE_CUDA)
  if (ctx->last.chosen == KSP_FUSED_PERSISTENT) {
    bool              launched;
    const MetricsPass metrics(true, [&] { return DeclaredPass{persistent_text(ctx), 0}; });

    if (pc.single) PetscCall(FusedMixedSetTarget(ksp, ctx, p, p->launched + batch));
    if (pc.single) PetscCall(e.Operator()->LaunchPersistent(p->single, e.Device().Scalars(), e.Device().Reduction(), e.Device().stream, &launched));
    else PetscCall(e.Operator()->LaunchPersistent(p->P, e.Device().Scalars(), e.Device().Reduction(), e.Device().stream, &launched));
    *refused = !launched;
    if (launched) e.Counts().launches++;
    if (launched && pc.single) PetscCall(FusedMixedChain(ksp, ctx, p));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (ctx->last.chosen == KSP_FUSED_GRAPH &&
      (ctx->last.repeats || ((batch > 1 || e.LaunchesPcByNccl()) && (batch == run_state.interval || (batch & (batch - 1)) == 0)))) {
    PetscCall(FusedGraphLaunch(ctx, pc, ctx->last.repeats ? run_state.interval : batch));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#else
  (void)ksp, (void)run_state;
#endif
  for (int k = 0; k < batch; k++) PetscCall(ctx->method->Iteration(e, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Iteration 0, and the data that the test needs in the following iterations */
PetscErrorCode First(KSP ksp, FusedContext *ctx)
{
  FusedScalars &S = ctx->engine->Host();

  PetscFunctionBegin;
  if (ksp->normtype != KSP_NORM_NONE && !ctx->method->can.loop) {
    PetscCall(CheckNorm(ksp, S.dp));
    if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ctx->engine->Release());
  PetscCall(Iterated(ksp, ctx, 0, S.dp));
  PetscCall(ctx->engine->Acquire());
  if (ksp->reason) PetscFunctionReturn(PETSC_SUCCESS);
  S.it   = 0;
  S.stop = FusedStop::no;
  S.last = (int)PetscClipInterval(ksp->max_it, 1, PETSC_INT32_MAX - 1); /* PETSc's loops run once at least */
  FusedSetTest(ksp, &S);
  ctx->method->CheckStart(S);
  if (S.stop != FusedStop::no) PetscCall(Stopped(ksp, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replays iterations (*seen, S.it] as PETSc's loop would have shown them */
PetscErrorCode Replay(KSP ksp, FusedContext *ctx, const FusedPc &pc, const FusedRunState &run_state, int *seen)
{
  FusedDriver &e  = *ctx->engine;
  const int    to = e.Host().it;

  PetscFunctionBegin;
  if (*seen == to) PetscFunctionReturn(PETSC_SUCCESS);
  if (metrics_on && ctx->last.chosen == KSP_FUSED_PERSISTENT) metrics_add_bytes(persistent_text(ctx), (to - *seen) * ctx->last.bytes_a_row * (double)e.Rows());
  PetscCall(PetscLogEventBegin(KSP_FusedIterations, ksp, 0, 0, 0));
  PetscCall(FusedLogFlops(ctx, to - *seen));
  PetscCall(PetscLogEventEnd(KSP_FusedIterations, ksp, 0, 0, 0));
  e.Counts().launches += ctx->last.repeats ? (to - *seen) * ctx->last.repeated.launches : 0;
  e.Counts().reductions += ctx->last.repeats ? (to - *seen) * ctx->last.repeated.reductions : 0;
  if (run_state.iterate) {
    PetscCall(ctx->method->Complete(e, pc));
    PetscCall(e.Release());
  }
  while (*seen < to && !ksp->reason) {
    ++*seen;
    PetscCall(Iterated(ksp, ctx, *seen, e.Norm(*seen)));
  }
  if (run_state.iterate) PetscCall(e.Acquire());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether PCApply() would set the preconditioner up again */
PetscErrorCode PcOutdated(KSP ksp, bool *outdated)
{
  PC       pc = ksp->pc;
  Mat      P;
  MatState now;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, NULL, &P));
  PetscCall(MatGetState(P, &now));
  *outdated = !pc->reusepreconditioner && FusedStamp(now) != FusedStamp(StateAtSetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A monitor may have changed the values of the matrix: data computed from the old values is dropped */
PetscErrorCode FollowMatrix(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedDriver &e        = *ctx->engine;
  const bool   changed  = e.MatrixChanged();
  bool         outdated = false;

  PetscFunctionBegin;
  if (p->pc.form != FusedPc::none && !e.CallsPc(p->pc)) PetscCall(PcOutdated(ksp, &outdated));
  if (!changed && !outdated) PetscFunctionReturn(PETSC_SUCCESS);
  p->fold_from = INT_MAX;
  if (p->folded) {
    if (ctx->method->can.folded) PetscCall(ctx->method->can.folded->LeaveFold(e, p->pc));
    e.SetFolded(nullptr);
    p->pc                 = p->unfolded;
    p->folded             = PETSC_FALSE;
    ctx->last.folded_from = -1;
    ctx->last.fold_remark = "the matrix changed within the solve";
  }
  if (outdated) {
    p->pc.form = FusedPc::called;
    e.SetPasses(nullptr);
  }
  p->pc.source = FusedPc::given;
  PetscCall(FusedMakePlan(ctx, p->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Queues the next batch of iterations and a check after it */
PetscErrorCode Push(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedDriver  &e = *ctx->engine;
  FusedScalars &S = e.Host();
  bool          refused;

  PetscFunctionBegin;
  if (p->launched >= p->fold_from) {
    if (!p->scalars_uploaded) PetscCall(e.SetScalars());
    p->scalars_uploaded = true;
    p->unfolded         = p->pc;
    PetscCall(FusedFoldEnter(ksp, ctx, p->launched, &p->pc, &p->folded));
    p->fold_from = INT_MAX;
    PetscCall(FusedChooseFolded(ksp, ctx, p));
  }
  int batch = std::min({p->run_state.interval, p->end - p->launched, p->fold_from - p->launched});

  if (ctx->last.chosen != KSP_FUSED_PERSISTENT && !ctx->settings.interval && !ctx->last.repeats) /* solves to a loose tolerance end early */
    batch = std::min(batch, FusedTuning::most_batch(p->launched, e.LaunchesPcByNccl()));
  if (p->mixed.on && ctx->last.chosen != KSP_FUSED_PERSISTENT) batch = FusedMixedBatch(ctx, *p, batch);
  if (ctx->last.chosen == KSP_FUSED_PERSISTENT) {
    S.last              = p->mixed.on ? std::min(S.last, p->launched + batch) : p->launched + batch;
    p->scalars_uploaded = false;
  }
  if (!p->scalars_uploaded) PetscCall(e.SetScalars());
  p->scalars_uploaded = true;
  PetscCall(PetscLogEventBegin(KSP_FusedIterations, ksp, 0, 0, 0));
  PetscCall(Enqueue(ksp, ctx, p, batch, &refused));
  if (!refused) PetscCall(e.CopyScalarsAsync(p->slot, p->launched, p->launched + batch));
  PetscCall(PetscLogEventEnd(KSP_FusedIterations, ksp, 0, 0, 0));
  if (refused) {
    PetscCall(FusedLeavePersistent(ksp, ctx, p));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  p->under_way.push_back(p->slot);
  p->launched += batch;
  p->slot = 1 - p->slot;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Iterate(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedDriver  &e = *ctx->engine;
  FusedScalars &S = e.Host();

  PetscFunctionBegin;
  while (!ksp->reason) {
    while ((int)p->under_way.size() < p->run_state.depth && p->launched < p->end && (p->launched < p->fold_from || p->under_way.empty()) && !p->mixed.due)
      PetscCall(Push(ksp, ctx, p));
    if (p->under_way.empty()) break;
    PetscCall(FusedWaitScalars(ctx, p->under_way.front()));
    p->under_way.pop_front();
    if (p->mixed.on) PetscCall(FusedMixedCheck(ksp, ctx, p));
    PetscCall(Replay(ksp, ctx, p->pc, p->run_state, &p->seen));
    if (p->run_state.iterate) PetscCall(FollowMatrix(ksp, ctx, p));
    if (!ksp->reason && !p->mixed.failed.empty()) PetscCall(FusedMixedLeave(ksp, ctx, p));
    if (ksp->reason || S.stop == FusedStop::no) continue;
    PetscCall(Stopped(ksp, ctx));
    p->numbers = S.stop != FusedStop::norm && S.stop != FusedStop::product;
    if (ksp->reason) break;
    if (S.it >= p->end) break;
    /* stopped before the host's test is met: continue from there */
    S.stop              = FusedStop::no;
    S.last              = p->end;
    p->scalars_uploaded = false;
    if (p->mixed.on) FusedMixedSetTest(ksp, ctx, p, &S);
    ctx->method->Continue(S);
    if (S.stop != FusedStop::no) PetscCall(Stopped(ksp, ctx));
    p->numbers = S.stop != FusedStop::norm && S.stop != FusedStop::product;
    p->under_way.clear();
    p->launched = p->seen;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs the iterations from 0 until ksp->reason is set or an error occurs; begun: there are iterations to complete */
PetscErrorCode Begun(KSP ksp, FusedContext *ctx, FusedProgress *p, bool *begun)
{
  FusedDriver  &e = *ctx->engine;
  FusedScalars &S = e.Host();

  PetscFunctionBegin;
  *begun = false;
  PetscCall(First(ksp, ctx));
  if (ksp->reason) {
    if (S.stop == FusedStop::no_beta && S.its > 0 && ksp->max_it < 1) ksp->reason = KSP_DIVERGED_ITS; /* an iteration is counted: as below */
    PetscCall(FusedMakePlan(ctx, p->pc));                                                             /* for the view */
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FollowMatrix(ksp, ctx, p));
  p->end = S.last;
  PetscCall(FusedChoose(ksp, ctx, p));
  *begun = true;
  PetscCall(Iterate(ksp, ctx, p));
  if (!ksp->reason) {
    ksp->its    = S.it;
    ksp->reason = KSP_DIVERGED_ITS;
  }
  /* PETSc's loops run one iteration at least and test the limit last: a limit of 0 is always the reason */
  if (ksp->max_it < 1 && p->numbers) ksp->reason = KSP_DIVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Completes the vectors that are visible outside, x and the residual, as PETSc's loop leaves them */
PetscErrorCode Leave(FusedContext *ctx, FusedProgress *p)
{
  FusedDriver &e = *ctx->engine;

  PetscFunctionBegin;
  PetscCall(e.Acquire());
  if (p->mixed.on) PetscCall(FusedMixedEnd(ctx, *p));
  else PetscCall(ctx->method->Complete(e, p->pc));
  if (p->folded && ctx->method->can.folded) PetscCall(ctx->method->can.folded->LeaveFold(e, p->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/* Products that MatMult() makes log their own */
PetscErrorCode FusedLogFlops(const FusedContext *ctx, PetscInt iterations)
{
  const FusedDriver   &e     = *ctx->engine;
  const PetscLogDouble flops = iterations * (ctx->caches.plan.row_flops * (double)e.Rows() + ctx->caches.plan.more_flops +
                                             (e.Operator() ? ctx->caches.plan.fused_products * e.Operator()->Flops() : 0));

  PetscFunctionBegin;
  if (e.OnDevice()) PetscCall(PetscLogGpuFlops(flops));
  else PetscCall(PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedWaitScalars(FusedContext *ctx, int slot)
{
  FusedDriver  &e = *ctx->engine;
  FusedScalars &S = e.Host();

  PetscFunctionBegin;
  PetscCall(e.WaitScalars(slot));
  if (S.stop == FusedStop::no && !S.settled) {
    const int it = S.it;

    ctx->method->Settle(e);
    log_norm(it, S, e.History(), PassTuning::history);
  }
  S.settled = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedLoop(KSP ksp, FusedContext *ctx, FusedPc pc)
{
  FusedProgress p;
  bool          begun;

  PetscFunctionBegin;
  p.pc                      = pc;
  const PetscErrorCode code = Begun(ksp, ctx, &p, &begun);
  if (code && begun && code != PETSC_ERR_GPU) /* also if divergence, or a monitor, raises an error */
    (void)FusedQuietly([&] {
      PetscErrorCode left = PETSC_SUCCESS;

      for (int slot : p.under_way)
        if (!left) left = FusedWaitScalars(ctx, slot);
      return left ? left : Leave(ctx, &p);
    });
  PetscCall(code);
  if (begun) PetscCall(Leave(ctx, &p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
