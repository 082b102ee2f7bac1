/*
   The KSP type around a fused method. PETSc's own type stays underneath: its norms, work vectors, options, composed
   functions and, as the twin, its solve. Only the functions of the solve are replaced.
*/
#include "../../pass/small_tuning.hpp"
#include "../../sys/device.hpp"
#include "../../sys/events.hpp"
#include "../../sys/vectors.hpp"
#include "placement.hpp"
#include "solver.hpp"

namespace heptane
{

FusedContext::FusedContext() : placement(std::make_unique<FusedPlacement>())
{}

FusedContext::~FusedContext()
{
  PetscCallAbort(PETSC_COMM_SELF, FusedGraphFree(this));
#if PetscDefined(HAVE_CUDA)
  if (caches.capture) (void)cudaStreamDestroy(caches.capture);
#endif
}

PetscErrorCode FusedGet(KSP ksp, FusedContext **ctx)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)ksp, fused_context_name, (void **)ctx));
  PetscCheck(*ctx, PetscObjectComm((PetscObject)ksp), PETSC_ERR_ARG_WRONG,
             "The KSP is not of a fused type: use KSPSetType() with KSPFUSEDCG, KSPFUSEDBCGS, KSPFUSEDBICG or KSPFUSEDCHEBYSHEV");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ContextDestroy(PetscCtxRt ctx)
{
  PetscFunctionBegin;
  delete *(FusedContext **)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedOwnsArray(Vec v, PetscBool *owns)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)v, owns, VECSEQ, VECMPI, VECSEQCUDA, VECMPICUDA, VECSEQKOKKOS, VECMPIKOKKOS, VECSHARED, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why PETSc's own loop is to run instead; empty if it is not, or if SolveWith() finds out */
static std::string why_unfused(KSP ksp, const FusedContext *ctx, PetscBool arrays)
{
  if (ctx->settings.mode == KSP_FUSED_TWIN) return "asked for";
  if (ctx->cg.radius != 0) return "trust region";
  if (ctx->cg.objective != 0) return "objective target";
  if (ksp->calc_sings) return "extreme singular values or eigenvalues are computed";
  if (!arrays) return "vectors that are not one array";
  if (LocalSize(ksp->vec_sol) > PETSC_INT32_MAX / 2) return "more rows on a process than 32 bits count";
  return "";
}

/* The preconditioner as the passes of this solve apply it; arrays released */
static PetscErrorCode PcOf(FusedDriver &e, KSP ksp, FusedContext *ctx, const std::vector<Vec> &vectors, FusedPc *pc)
{
  PetscFunctionBegin;
  PetscCall(ctx->caches.pcs.Get(e, *ctx->method, vectors[1], vectors[2], pc));
  if (!ctx->method->Traits(ksp).pc_in_products || !ctx->caches.pcs.MatrixDiagonal()) PetscFunctionReturn(PETSC_SUCCESS);
  /*
     On some processes only the inverses may equal the matrix's own. Whether blocks are a separate pass must not depend
     on this, since passes with sums are collective
  */
  const bool apart = e.OnDevice() && pc->form == FusedPc::blocks && !e.Matrix()->AppliesBlocks(pc->block);
  if ((pc->form == FusedPc::point || pc->form == FusedPc::blocks) && !apart) pc->source = FusedPc::matrix_diagonal;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Few rows, and no option that requires the passes: their preparation costs more than they save */
static PetscErrorCode IsSmall(KSP ksp, const FusedContext *ctx, PetscBool *small)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  *small = PETSC_FALSE;
  if (GlobalSize(ksp->vec_sol) > SmallTuning::rows || ctx->settings.mode != KSP_FUSED_AUTO || ctx->settings.fold != KSP_FUSED_FOLD_AUTO ||
      ctx->settings.fold_after >= 0 || ctx->settings.precision != KSP_FUSED_PRECISION_DOUBLE)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size));
  if (size == 1) PetscCall(HostShortcuts(small));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Between Begin() and End() of the engine. If only PETSc's own loop has the requested variant, ctx->last.fused becomes
   false and nothing has been done
*/
static PetscErrorCode SolveWith(FusedDriver &e, KSP ksp, FusedContext *ctx, const std::vector<Vec> &vectors)
{
  FusedPc pc;

  PetscFunctionBegin;
  PetscCall(e.Begin(ksp, vectors, ctx->settings.blocking));
  PetscCall(e.Release());
  if (ctx->cg.single_reduction && !e.ByNccl() && (!e.OnDevice() || e.HostScalars()))
    ctx->last.fused = PETSC_FALSE; /* the variant saves a call of MPI, or nothing */
  if (!ctx->last.fused) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PcOf(e, ksp, ctx, vectors, &pc));
  e.Host().norm    = ksp->normtype == KSP_NORM_PRECONDITIONED     ? FusedNorm::preconditioned
                     : ksp->normtype == KSP_NORM_UNPRECONDITIONED ? FusedNorm::unpreconditioned
                     : ksp->normtype == KSP_NORM_NATURAL          ? FusedNorm::natural
                                                                  : FusedNorm::none;
  e.Host().chknorm = (int)PetscClipInterval(ksp->chknorm, -1, PETSC_INT32_MAX - 2);
  e.Host().stop    = FusedStop::no;
  PetscCall(FusedChooseSums(ksp, ctx, pc));
  if (ctx->method->can.loop) ctx->method->can.loop->Begin(e);
  PetscCall(e.SetScalars());
  ksp->its = 0;
  PetscCall(ctx->method->Start(e));
  PetscCall(e.CopyScalarsAsync(0, 0, 0));
  PetscCall(ctx->method->Ahead(e));
  PetscCall(e.WaitScalars(0));
  ctx->method->Started(e);
  e.Host().settled = 1;
  PetscCall(FusedLoop(ksp, ctx, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The view's description of such a solve; recorded again if the matrix or the preconditioner has changed */
static PetscErrorCode Describe(FusedDriver &e, KSP ksp, FusedContext *ctx, const FusedPc &pc)
{
  Stamp now = Stamp::Of(pc.form, pc.source, pc.block, pc.matrix, e.Rows(), e.OnDevice());

  PetscFunctionBegin;
  ctx->last.chosen         = KSP_FUSED_KERNELS;
  ctx->last.check_interval = 0;
  ctx->last.fold_remark.clear();
  if (ctx->settings.mode == KSP_FUSED_GRAPH || ctx->settings.mode == KSP_FUSED_PERSISTENT) ctx->last.remark = "nothing is tested";
  if (ctx->settings.fold == KSP_FUSED_FOLD_YES) (void)ctx->method->Fold(ksp, pc, PETSC_FALSE, &ctx->last.fold_remark);
  if (e.Operator()) now << e.Operator()->Version();
  if (now == ctx->caches.plan_for) PetscFunctionReturn(PETSC_SUCCESS);
  if (!ctx->last.precision_remark.empty())
    PetscCall(
      PetscInfo(ksp, "-ksp_fused_precision %s: in double precision: %s\n", KSPFusedPrecisions[ctx->settings.precision], ctx->last.precision_remark.c_str()));
  PetscCall(FusedMakePlan(ctx, pc));
  ctx->caches.plan_for = std::move(now);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FusedUntestedMethod, between Begin() and End() of the engine: launches all iterations without synchronization */
static PetscErrorCode SolveUntested(FusedDriver &e, KSP ksp, FusedContext *ctx, const std::vector<Vec> &vectors)
{
  const PetscInt its = ctx->method->Untested(ksp);
  FusedPc        pc;

  PetscFunctionBegin;
  PetscCall(e.Begin(ksp, vectors, ctx->settings.blocking));
  PetscCall(e.Release());
  PetscCall(PcOf(e, ksp, ctx, vectors, &pc));
  PetscCall(e.Acquire());
  PetscCall(FusedChooseUntested(ksp, ctx, &pc));
  PetscCall(e.ClearScalars());
  PetscCall(Describe(e, ksp, ctx, pc));
  if (ctx->method->can.loop) ctx->method->can.loop->Begin(e);
  PetscCall(PetscLogEventBegin(KSP_FusedIterations, ksp, 0, 0, 0));
  for (PetscInt it = 0; it < its; it++) PetscCall(ctx->method->can.untested->UntestedIteration(e, pc, it));
  PetscCall(FusedLogFlops(ctx, its));
  PetscCall(PetscLogEventEnd(KSP_FusedIterations, ksp, 0, 0, 0));
  PetscCall(ctx->method->Complete(e, pc));
  PetscCall(e.CheckExchange());
  ksp->its    = its;
  ksp->reason = KSP_CONVERGED_ITS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After an error before the first pass PETSc's functions leave vectors locked to which the next solve writes: in the loop
   see MadeCalls */
static PetscErrorCode Unlock(const std::vector<Vec> &vectors, const std::vector<PetscInt> &before)
{
  PetscInt locks;

  PetscFunctionBegin;
  for (std::size_t k = 0; k < vectors.size(); k++) {
    PetscCall(VecLockGet(vectors[k], &locks));
    for (; locks > before[k]; locks--) PetscCall(VecLockReadPop(vectors[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After an error too the vectors are given back, and the next solve finds nothing of this one */
static PetscErrorCode Solve(KSP ksp, FusedContext *ctx)
{
  FusedDriver &e = *ctx->engine;

  PetscFunctionBegin;
  ctx->last.folded_from   = -1;
  ctx->last.mixed         = false;
  ctx->last.smooth_single = false;
  ctx->last.precision_remark.clear();
  ctx->last.fold_remark.clear();
  ctx->last.updates.clear();
  ctx->last.one_sum = false;
  ctx->last.sums_remark.clear();
  const std::vector<Vec> vectors = ctx->method->Vectors(ksp);
  std::vector<PetscInt>  locks(vectors.size());
  for (std::size_t k = 0; k < vectors.size(); k++) PetscCall(VecLockGet(vectors[k], &locks[k]));
  PetscErrorCode code = (ctx->method->Untested(ksp) >= 0 ? SolveUntested : SolveWith)(e, ksp, ctx, vectors);
  if (!code) code = e.CheckProcesses();
  if (code) (void)FusedQuietly([&] { return e.End(); });
  if (code) (void)FusedQuietly([&] { return Unlock(vectors, locks); });
  PetscCall(code);
  e.Counts().iterations = ksp->its;
  PetscCall(e.End());
  if (!ctx->last.fused) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ctx->method->Finish(e));
  ctx->last.counts = e.Counts();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WhyUnfused(KSP ksp, const FusedContext *ctx, std::string *why)
{
  PetscBool small, arrays, work;

  PetscFunctionBegin;
  PetscCall(IsSmall(ksp, ctx, &small));
  if (small) {
    *why = "few rows";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(FusedOwnsArray(ksp->vec_sol, &arrays));
  PetscCall(FusedOwnsArray(ksp->work[0], &work));
  *why = why_unfused(ksp, ctx, (PetscBool)(arrays && work));
  if (why->empty() && ctx->method->can.loop) PetscCall(ctx->method->can.loop->WhyUnfused(ksp, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Composed as fused_runs_name */
static PetscErrorCode Runs(KSP ksp, PetscBool *runs)
{
  FusedContext *ctx;
  std::string   why;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  PetscCall(WhyUnfused(ksp, ctx, &why));
  *runs = (PetscBool)why.empty();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Composed as staged_name */
static PetscErrorCode Staged(KSP ksp, Vec *b, Vec *x)
{
  FusedContext *ctx;
  std::string   why;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  PetscCall(WhyUnfused(ksp, ctx, &why));
  *b = ksp->vec_rhs;
  *x = ksp->vec_sol;
  if (why.empty()) PetscCall(ctx->placement->Stage(ksp, ctx, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedSolve(KSP ksp)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  ctx->last.ran       = true;
  ctx->last.fused     = PETSC_FALSE;
  ctx->last.delegated = false;
  PetscCall(SetUpAnewIfChanged(ksp, &ctx->set_up_for));
  if (ctx->delegate) PetscCall(ctx->delegate->Solve(ksp, ctx, &ctx->last.delegated));
  if (ctx->last.delegated) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(WhyUnfused(ksp, ctx, &ctx->last.remark));
  ctx->last.fused = (PetscBool)ctx->last.remark.empty();
  if (ctx->last.fused) {
    PetscCall(ctx->placement->Begin(ksp, ctx->method->Untested(ksp) < 0));
    const PetscErrorCode code = Solve(ksp, ctx);
    if (code) (void)FusedQuietly([&] { return ctx->placement->End(ksp); });
    PetscCall(code);
    PetscCall(ctx->placement->End(ksp));
  }
  if (!ctx->last.fused) {
    if (ctx->last.remark.empty()) ctx->last.remark = "single-reduction variant";
    if (ctx->settings.mode != KSP_FUSED_TWIN) PetscCall(PetscInfo(ksp, "PETSc's own loop runs: %s\n", ctx->last.remark.c_str()));
    const Vec x = ksp->vec_sol;

    if (ksp->guess_zero) PetscCall(VecSet(x, 0.0));
    if (ksp->guess_zero && ctx->method->Traits(ksp).stock_keeps_guess) PetscCall((*ctx->stock.reset)(ksp));
    const PetscErrorCode code = (*ctx->stock.solve)(ksp);

    ksp->vec_sol =
      x; /* PETSc's Chebyshev (3.26) leaves a work vector there after an error, and where a norm is no number, which KSPDestroy() would destroy twice */
    PetscCall(code);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetUp_Fused(KSP ksp)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  PetscCall(SetUpPcFirst(ksp));
  PetscCall((*ctx->stock.setup)(ksp));
  PetscCall(KeepOperatorState(ksp, &ctx->set_up_for));
  if (ctx->delegate) PetscCall(ctx->delegate->SetUp(ksp, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPView_Fused(KSP ksp, PetscViewer viewer)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  if (ctx->stock.view) PetscCall((*ctx->stock.view)(ksp, viewer));
  PetscCall(FusedView(ksp, ctx, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPSetFromOptions_Fused(KSP ksp, PetscOptionItems PetscOptionsObject)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  if (ctx->stock.setfromoptions) PetscCall((*ctx->stock.setfromoptions)(ksp, PetscOptionsObject));
  PetscCall(FusedSetFromOptions(ksp, ctx, PetscOptionsObject));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Frees the data made for the vectors, which are freed too */
static PetscErrorCode KSPReset_Fused(KSP ksp)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  if (ctx->delegate) PetscCall(ctx->delegate->Reset());
  PetscCall(FusedGraphFree(ctx));
  ctx->caches.folded.reset();
  ctx->caches.folded_for.Clear();
  ctx->last.folded_from = -1;
  ctx->caches.single.reset();
  ctx->caches.single_for.Clear();
  ctx->last.ran = false;
  ctx->engine->scratch.Free();
  ctx->engine->singles.Free();
  ctx->caches.saved_solution.Free();
  ctx->caches.rounding_side = false;
  ctx->caches.result.Free();
  ctx->caches.pcs.Reset();
  PetscCall(ctx->placement->Reset());
  PetscCall(ctx->method->Reset());
  if (ctx->stock.reset) PetscCall((*ctx->stock.reset)(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KSPDestroy_Fused(KSP ksp)
{
  FusedContext *ctx;

  PetscFunctionBegin;
  PetscCall(FusedGet(ksp, &ctx));
  PetscErrorCode (*destroy)(KSP) = ctx->stock.destroy;
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, fused_runs_name, NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, staged_name, NULL));
  PetscCall(PetscObjectCompose((PetscObject)ksp, fused_context_name, NULL));
  PetscCall((*destroy)(ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedInstall(KSP ksp, std::unique_ptr<FusedMethod> method)
{
  FusedContext *ctx = new FusedContext;

  PetscFunctionBegin;
  ctx->stock  = *ksp->ops;
  ctx->method = std::move(method);
  ctx->method->FindAbilities();
  ctx->engine = std::make_unique<FusedDriver>();
  if (fused_make_delegate) ctx->delegate = (*fused_make_delegate)();
  PetscCall(PetscOptionsGetBool(((PetscObject)ksp)->options, NULL, "-heptane_graph_repeat", &ctx->settings.graphs_repeat, NULL));
  PetscCall(PetscObjectContainerCompose((PetscObject)ksp, fused_context_name, ctx, ContextDestroy));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, fused_runs_name, Runs));
  PetscCall(PetscObjectComposeFunction((PetscObject)ksp, staged_name, Staged));
  ksp->guess_not_read      = PETSC_TRUE; /* FusedSolve() puts zeros into x if it is no guess, unless the solve runs on other vectors */
  ksp->ops->setup          = KSPSetUp_Fused;
  ksp->ops->solve          = FusedSolve;
  ksp->ops->view           = KSPView_Fused;
  ksp->ops->setfromoptions = KSPSetFromOptions_Fused;
  ksp->ops->reset          = KSPReset_Fused;
  ksp->ops->destroy        = KSPDestroy_Fused;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
