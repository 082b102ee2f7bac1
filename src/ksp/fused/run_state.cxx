/*
   How a fused solve is run: the mode, the check interval, and the fallback if the device refuses a mode.
*/
#include "run_state.hpp"
#include "../../sys/collective.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

/* Monitors that read only the norm */
bool monitors_need_iterate(KSP ksp)
{
  for (PetscInt k = 0; k < ksp->numbermonitors; k++) {
    const auto f = (PetscErrorCode(*)(KSP, PetscInt, PetscReal, PetscViewerAndFormat *))ksp->monitor[k];
    if (f != KSPMonitorResidual && f != KSPMonitorResidualDrawLG && ksp->monitor[k] != fused_norm_monitor) return true;
  }
  return false;
}

/* Iterations between two checks such that the checks cost little: see FusedTuning */
int interval_by_cost(const FusedContext *ctx, PetscInt n)
{
  const double us = std::max(ctx->caches.plan.launches * FusedTuning::launch_us, ctx->last.bytes_a_row * (double)n / FusedTuning::bytes_per_us);
  int          s  = 1;

  while (s < FusedTuning::max_interval && s * us < FusedTuning::check_us) s *= 2;
  return s;
}

/* The mode of `auto` if there is no persistent kernel */
KSPFusedMode launched_mode(const FusedDriver &e)
{
  return e.ByNccl() || (double)e.Rows() <= FusedTuning::graph_rows ? KSP_FUSED_GRAPH : KSP_FUSED_KERNELS;
}

/* Chooses the mode */
PetscErrorCode ChooseMode(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedDriver         &e         = *ctx->engine;
  const FusedPc       &pc        = p->pc;
  const FusedRunState &run_state = p->run_state;
  const bool           alone     = e.OnDevice() && !e.HostScalars(); /* the device can continue without the host */
  const bool           captured  = alone && e.Operator() && !e.CallsPc(pc) && !(ctx->method->Traits(e.ksp).transposed && !e.TransposeIsPass());

  PetscFunctionBegin;
  ctx->last.chosen = ctx->settings.mode;
  if (!alone) {
    if (ctx->settings.mode == KSP_FUSED_GRAPH || ctx->settings.mode == KSP_FUSED_PERSISTENT)
      ctx->last.remark = e.OnDevice() ? "sums of the processes by MPI (see -heptane_comm)" : "the vectors are on the host (see -ksp_fused_place)";
    ctx->last.chosen = KSP_FUSED_KERNELS;
  } else if (!captured || run_state.iterate) {
    if (ctx->settings.mode == KSP_FUSED_GRAPH || ctx->settings.mode == KSP_FUSED_PERSISTENT)
      ctx->last.remark =
        run_state.iterate ? "a monitor or convergence test reads every iterate" : "the product or the preconditioner is called between the kernels";
    ctx->last.chosen = KSP_FUSED_KERNELS;
  } else if (ctx->settings.mode == KSP_FUSED_PERSISTENT || ctx->settings.mode == KSP_FUSED_AUTO) {
    PetscBool fits = PETSC_FALSE;

    if (pc.form != FusedPc::called) PetscCall(FusedPersistentFits(ksp, ctx, p, &fits));
    if (fits) ctx->last.chosen = KSP_FUSED_PERSISTENT;
    else {
      if (ctx->settings.mode == KSP_FUSED_PERSISTENT && ctx->last.remark.empty())
        ctx->last.remark = "no persistent kernel for this size, preconditioner and matrix";
      ctx->last.chosen = launched_mode(e);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the check interval for the chosen mode, and the iteration from which the solve uses the folded matrix */
PetscErrorCode SetRunState(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedDriver   &e         = *ctx->engine;
  FusedRunState &run_state = p->run_state;
  const bool     alone     = e.OnDevice() && !e.HostScalars();

  PetscFunctionBegin;
  if (!run_state.iterate && ctx->last.chosen != KSP_FUSED_PERSISTENT && !p->launched && !p->folded && !p->pc.single)
    if (ctx->method->can.unwatched) PetscCall(ctx->method->can.unwatched->Unwatched(e, ctx->caches.pcs, &p->pc));
  PetscCall(FusedMakePlan(ctx, p->pc));
  if (!alone || run_state.iterate || e.CallsPc(p->pc)) run_state.interval = 1;
  else if (ctx->last.chosen == KSP_FUSED_PERSISTENT) run_state.interval = p->mixed.on ? FusedTuning::precision_iterations : PassTuning::history;
  else {
    run_state.interval = interval_by_cost(ctx, e.Rows());
    if (e.LaunchesPcByNccl()) run_state.interval = std::min(run_state.interval, FusedTuning::called_interval);
    if (e.Processes() > 1) /* they wait for each other's iterations */
      PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)ksp), &run_state.interval, 1, MPI_INT, MPI_MAX));
  }
  if (ctx->settings.interval && alone && !run_state.iterate) run_state.interval = (int)PetscMin(ctx->settings.interval, PassTuning::history / 2);
  ctx->last.repeats = FusedGraphRepeats(ctx, ctx->last.chosen);
  run_state.depth   = run_state.interval > 1 && !ctx->last.repeats && ctx->last.chosen != KSP_FUSED_PERSISTENT && !e.ByNccl() ? 2 : 1;
  if (!ctx->last.remark.empty()) PetscCall(PetscInfo(ksp, "-ksp_fused_mode %s: %s\n", KSPFusedModes[ctx->settings.mode], ctx->last.remark.c_str()));
  ctx->last.check_interval = run_state.interval;
  if (!p->launched && !p->folded && !p->pc.single) PetscCall(FusedFoldPlan(ksp, ctx, p->pc, (PetscBool)run_state.iterate, &p->fold_from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool test_is_standard(KSP ksp)
{
  return ksp->converged == KSPConvergedDefault || ksp->converged == KSPConvergedSkip;
}

} // namespace

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

bool FusedIterateWatched(KSP ksp)
{
  return monitors_need_iterate(ksp) || !test_is_standard(ksp);
}

PetscErrorCode FusedChooseSums(KSP ksp, FusedContext *ctx, const FusedPc &pc)
{
  FusedProgress p;

  PetscFunctionBegin;
  if (!ctx->cg.single_reduction) PetscFunctionReturn(PETSC_SUCCESS);
  if (ctx->engine->ByNccl() && ctx->settings.mode != KSP_FUSED_PERSISTENT && ctx->settings.precision == KSP_FUSED_PRECISION_DOUBLE) {
    ctx->last.one_sum = (pc.form == FusedPc::none || pc.form == FusedPc::point) && !FusedIterateWatched(ksp);
    if (!ctx->last.one_sum) ctx->last.sums_remark = "with NCCL one sum requires no preconditioner or jacobi, PETSc's own test, and no monitor of the solution";
  } else if (ctx->settings.mode != KSP_FUSED_AUTO && ctx->settings.mode != KSP_FUSED_PERSISTENT)
    ctx->last.sums_remark = "only persistent kernels have one (-ksp_fused_mode auto)";
  else if (ctx->settings.precision != KSP_FUSED_PRECISION_DOUBLE) ctx->last.sums_remark = "one sum requires double precision (-ksp_fused_precision double)";
  else {
    p.pc                = pc;
    p.run_state.iterate = FusedIterateWatched(ksp);
    ctx->last.one_sum   = true; /* selects the kernel to look for */
    PetscCall(ctx->engine->Acquire());
    PetscCall(ChooseMode(ksp, ctx, &p));
    PetscCall(ctx->engine->Release());
    ctx->last.one_sum = ctx->last.chosen == KSP_FUSED_PERSISTENT;
    if (!ctx->last.one_sum)
      ctx->last.sums_remark = ctx->last.remark.empty() ? "no persistent kernel with one sum for this size, preconditioner and matrix" : ctx->last.remark;
    ctx->last.remark.clear();
  }
  if (!ctx->last.one_sum) PetscCall(PetscInfo(ksp, "-ksp_cg_single_reduction: two sums per iteration: %s\n", ctx->last.sums_remark.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool FusedWillRepeat(const FusedContext *ctx)
{
  const bool open = ctx->settings.mode == KSP_FUSED_AUTO || ctx->settings.mode == KSP_FUSED_PERSISTENT;

  return ctx->engine->Operator() && FusedGraphRepeats(ctx, open ? launched_mode(*ctx->engine) : ctx->settings.mode);
}

PetscErrorCode FusedChoose(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedDriver &e = *ctx->engine;

  PetscFunctionBegin;
  p->run_state.iterate = FusedIterateWatched(ksp);
  if (p->run_state.iterate && e.OnDevice() && !e.HostScalars())
    PetscCall(PetscInfo(ksp, "the host tests every iteration: %s\n",
                        test_is_standard(ksp) ? "a monitor needs the iterate" : "the program has a convergence test of its own"));
  if (p->run_state.iterate || !(FusedWillRepeat(ctx) || e.ByNccl()))
    /* a monitor may set the preconditioner up again, and passes queued after the end of a solve would cost too much */
    e.SetPasses(nullptr);
  PetscCall(FusedMixedChoose(ksp, ctx, p));
  PetscCall(ChooseMode(ksp, ctx, p));
  PetscCall(SetRunState(ksp, ctx, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedChooseAgain(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  PetscFunctionBegin;
  PetscCall(ChooseMode(ksp, ctx, p));
  PetscCall(SetRunState(ksp, ctx, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedChooseFolded(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  PetscFunctionBegin;
  if (!p->folded || p->pc.form != FusedPc::blocks) PetscFunctionReturn(PETSC_SUCCESS); /* single unknowns have that kernel without a copy, or none */
  if (ctx->settings.mode != KSP_FUSED_AUTO && ctx->settings.mode != KSP_FUSED_PERSISTENT) PetscFunctionReturn(PETSC_SUCCESS);
  ctx->last.remark.clear();
  PetscCall(FusedChooseAgain(ksp, ctx, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedLeavePersistent(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedDriver &e = *ctx->engine;

  PetscFunctionBegin;
  if (e.Processes() > 1) {
#if PetscDefined(HAVE_CUDA)
    PetscCall(e.Device().Between().Fail()); /* the other processes wait for this kernel */
#endif
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "The device refused to make all blocks of the persistent kernel resident at once: use -ksp_fused_mode graph");
  }
  p->mixed.updates = false;
  ctx->last.chosen = launched_mode(e);
  ctx->last.remark = "the device refused to make all blocks of the persistent kernel resident at once";
  if (!p->pc.single) PetscCall(ctx->method->can.persistent->LeavePersistent(e, p->pc));
  PetscCall(SetRunState(ksp, ctx, p));
  e.Host().last = p->end;
  if (p->mixed.on) FusedMixedSetTest(ksp, ctx, p, &e.Host());
  p->scalars_uploaded = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
