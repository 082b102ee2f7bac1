/*
   Iterations recorded once as a CUDA graph and launched as one. PETSc's stream may be one that cannot record: a
   separate stream records.
*/
#include "solver.hpp"

namespace heptane
{

#if PetscDefined(HAVE_CUDA)

/* Whatever the launches of an iteration are given */
static Stamp arguments(FusedContext *ctx, const FusedPc &pc)
{
  FusedDriver          &e   = *ctx->engine;
  const FusedReduction &red = e.Device().Reduction();
  Stamp                 a   = e.Operator()->Signature();

  for (Vec v : ctx->method->Vectors(e.ksp)) a << e.Array(v);
  for (const Buffer<Scalar> &v : e.scratch.Vectors()) a << v.At(Where::device);
  a << e.singles.First(true);
  ctx->method->Arguments(a);
  a << red.partial << red.count << red.history << red.local_sums << red.sums << red.peers << red.max_blocks << red.history_length;
  a << pc.form << pc.source << pc.matrix << pc.block << pc.z_alone << pc.single << pc.inverse << pc.ld;
  if (e.Passes()) a << e.Passes()->Signature();
  a << ctx->last.repeats << e.Host().norm << e.ksp->pc_side;
  return a;
}

static PetscErrorCode Free(FusedContext *ctx, int folded)
{
  PetscFunctionBegin;
  for (auto &g : ctx->caches.graphs[folded]) PetscCallCUDA(cudaGraphExecDestroy(g.second.exec));
  ctx->caches.graphs[folded].clear();
  ctx->caches.graphs_for[folded].Clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedGraphFree(FusedContext *ctx)
{
  PetscFunctionBegin;
  for (int folded = 0; folded < FusedCaches::graph_kinds; folded++) PetscCall(Free(ctx, folded));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Iterations(FusedContext *ctx, const FusedPc &pc, int iterations)
{
  PetscFunctionBegin;
  for (int k = 0; k < iterations; k++) PetscCall(ctx->method->Iteration(*ctx->engine, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeCaptureStream(FusedContext *ctx)
{
  PetscFunctionBegin;
  if (!ctx->caches.capture) PetscCallCUDA(cudaStreamCreateWithFlags(&ctx->caches.capture, cudaStreamNonBlocking));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Records the launches of launch() on ctx->caches.capture, whose recording has begun. The error of launch() is returned
   in *code after the recording has ended: during a recording nothing can be launched or waited for. The engine is
   unchanged; *g receives the counts and the final copy of the scalars.
*/
template <class F>
static cudaError_t record_launches(FusedContext *ctx, FusedCaches::Graph *g, cudaGraph_t *recorded, PetscErrorCode *code, F launch)
{
  FusedDriver       &e      = *ctx->engine;
  const cudaStream_t stream = e.Device().stream;
  const FusedCounts  before = e.Counts();
  const int          turn   = e.Device().Turn();

  e.Device().stream     = ctx->caches.capture;
  *code                 = launch();
  e.Device().stream     = stream;
  const cudaError_t err = cudaStreamEndCapture(ctx->caches.capture, recorded);
  g->counts.launches    = e.Counts().launches - before.launches;
  g->counts.reductions  = e.Counts().reductions - before.reductions;
  g->turn               = e.Device().Turn();
  e.Counts()            = before;
  e.Device().SetTurn(turn);
  return err;
}

/* The graph, which is destroyed, made ready to be launched, unless its recording has ended with an error */
static PetscErrorCode Instantiate(FusedCaches::Graph *g, cudaGraph_t graph, cudaError_t err, PetscErrorCode code)
{
  PetscFunctionBegin;
  if (!err && !code) err = cudaGraphInstantiate(&g->exec, graph, 0);
  if (graph) (void)cudaGraphDestroy(graph);
  if (code) (void)cudaGetLastError(); /* the error of the recording, reported by `code` */
  PetscCall(code);
  PetscCallCUDA(err);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Not while kernels are traced: CUPTI reports only the first round of a loop in a graph; nor with tools that do not
   support such graphs (-heptane_graph_repeat no); nor with NCCL, which may record calls of the host
*/
bool FusedGraphRepeats(const FusedContext *ctx, KSPFusedMode mode)
{
  return HEPTANE_CUDA_LOOPS && !metrics_on && ctx->settings.graphs_repeat && mode == KSP_FUSED_GRAPH && ctx->engine->Passes() && !ctx->engine->ByNccl() &&
         ctx->method->can.repeated;
}

  #if HEPTANE_CUDA_LOOPS
/* A graph with one node, which repeats the content of *body */
static cudaError_t repeating_graph(cudaGraph_t *graph, cudaGraph_t *body, FusedRepeat *repeat)
{
  cudaGraphConditionalHandle handle = 0;
  cudaGraphNode_t            node;
  cudaGraphNodeParams        parameters = {};
  cudaError_t                err        = cudaGraphCreate(graph, 0);

  if (err == cudaSuccess) err = cudaGraphConditionalHandleCreate(&handle, *graph, 1, cudaGraphCondAssignDefault);
  if (err != cudaSuccess) return err;
  parameters.type               = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type   = cudaGraphCondTypeWhile;
  parameters.conditional.size   = 1;
    #if CUDART_VERSION >= 13000
  err = cudaGraphAddNode(&node, *graph, nullptr, nullptr, 0, &parameters);
    #else
  err = cudaGraphAddNode(&node, *graph, nullptr, 0, &parameters);
    #endif
  if (err == cudaSuccess) *body = parameters.conditional.phGraph_out[0];
  repeat->handle = handle;
  return err;
}

/* One iteration, repeated on the device `iterations` times at most */
static PetscErrorCode RecordRepeating(FusedContext *ctx, const FusedPc &pc, int iterations, FusedCaches::Graph *g)
{
  FusedDriver   &e     = *ctx->engine;
  const int      turn  = e.Device().Turn();
  cudaGraph_t    graph = nullptr, body = nullptr, recorded = nullptr;
  PetscErrorCode code = PETSC_SUCCESS;
  FusedRepeat    repeat;

  PetscFunctionBegin;
  repeat.most = iterations;
  PetscCall(e.Device().RepeatCount(&repeat.count));
  PetscCall(MakeCaptureStream(ctx));
  cudaError_t err = repeating_graph(&graph, &body, &repeat);
  if (!err) err = cudaStreamBeginCaptureToGraph(ctx->caches.capture, body, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal);
  if (!err) {
    err = record_launches(ctx, g, &recorded, &code, [&] {
      const PetscErrorCode failed = ctx->method->Iteration(e, pc);

      return failed ? failed : ctx->method->can.repeated->Repeat(e, pc, repeat);
    });
    g->counts.launches++;
    g->repeats = true;
  }
  PetscCall(Instantiate(g, graph, err, code));
  PetscCheck(g->turn == turn, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A repeated iteration must leave the scalars in the same memory");
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #endif

static PetscErrorCode Record(FusedContext *ctx, const FusedPc &pc, int iterations, FusedCaches::Graph *g)
{
  cudaGraph_t    graph = nullptr;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(MakeCaptureStream(ctx));
  PetscCallCUDA(cudaStreamBeginCapture(ctx->caches.capture, cudaStreamCaptureModeThreadLocal));
  const cudaError_t err = record_launches(ctx, g, &graph, &code, [&] { return Iterations(ctx, pc, iterations); });
  PetscCall(Instantiate(g, graph, err, code));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedGraphLaunch(FusedContext *ctx, const FusedPc &pc, int iterations)
{
  FusedDriver &e      = *ctx->engine;
  const int    folded = pc.single ? 2 : is_folded(pc);
  auto        &graphs = ctx->caches.graphs[folded];
  Stamp        a      = arguments(ctx, pc);

  PetscFunctionBegin;
  if (a != ctx->caches.graphs_for[folded]) {
    PetscCall(Free(ctx, folded));
    ctx->caches.graphs_for[folded] = std::move(a);
  }
  auto g = graphs.find({iterations, e.Device().Turn()});
  if (g == graphs.end()) {
    FusedCaches::Graph made;

  #if HEPTANE_CUDA_LOOPS
    if (ctx->last.repeats) PetscCall(RecordRepeating(ctx, pc, iterations, &made));
    else
  #endif
      PetscCall(Record(ctx, pc, iterations, &made));
    g = graphs.emplace(std::make_pair(iterations, e.Device().Turn()), made).first;
  }
  PetscCallCUDA(cudaGraphLaunch(g->second.exec, e.Device().stream));
  e.Device().SetTurn(g->second.turn);
  ctx->last.repeated = g->second.counts;
  if (g->second.repeats) PetscFunctionReturn(PETSC_SUCCESS); /* how many there are is known later */
  e.Counts().launches += g->second.counts.launches;
  e.Counts().reductions += g->second.counts.reductions;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

bool FusedGraphRepeats(const FusedContext *, KSPFusedMode)
{
  return false;
}

PetscErrorCode FusedGraphLaunch(FusedContext *, const FusedPc &, int)
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP, "PETSc was configured without CUDA");
}

PetscErrorCode FusedGraphFree(FusedContext *)
{
  return PETSC_SUCCESS;
}

#endif

} // namespace heptane
