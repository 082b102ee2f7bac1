/*
   Iterations recorded once as a CUDA graph and launched as one. PETSc's stream may be the one that cannot record: a stream of ours does.
*/
#include "solver.hpp"

namespace heptane
{

#if PetscDefined(HAVE_CUDA)

/* Whatever the launches of an iteration are given */
static Stamp arguments(FusedContext *ctx, const FusedPc &pc)
{
  FusedEngine          &e   = *ctx->engine;
  const FusedReduction &red = e.Reduction();
  Stamp                 a   = e.Operator()->Signature();

  for (Vec v : ctx->method->Vectors(e.ksp)) a << e.Array(v);
  for (const Buffer<Scalar> &v : e.ScratchVectors()) a << v.At(Where::device);
  ctx->method->Arguments(a);
  a << red.partial << red.count << red.history << red.sums << red.peers << red.max_blocks << red.history_length;
  a << pc.form << pc.source << pc.matrix << pc.block << pc.z_alone << pc.inverse << pc.ld;
  a << e.Host().norm << e.ksp->pc_side;
  return a;
}

static PetscErrorCode Free(FusedContext *ctx, int folded)
{
  PetscFunctionBegin;
  for (auto &g : ctx->graphs[folded]) PetscCallCUDA(cudaGraphExecDestroy(g.second.exec));
  ctx->graphs[folded].clear();
  ctx->graphs_for[folded].Clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedGraphFree(FusedContext *ctx)
{
  PetscFunctionBegin;
  for (int folded = 0; folded < 2; folded++) PetscCall(Free(ctx, folded));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Iterations(FusedContext *ctx, const FusedPc &pc, int iterations)
{
  PetscFunctionBegin;
  for (int k = 0; k < iterations; k++) PetscCall(ctx->method->Iteration(*ctx->engine, pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What fails while the stream records ends the recording first: nothing could be launched or waited for otherwise */
static PetscErrorCode Record(FusedContext *ctx, const FusedPc &pc, int iterations, FusedContext::Graph *g)
{
  FusedEngine       &e      = *ctx->engine;
  const cudaStream_t stream = e.stream;
  const FusedCounts  before = e.Counts();
  const int          turn   = e.Turn();
  cudaGraph_t        graph  = nullptr;

  PetscFunctionBegin;
  if (!ctx->capture) PetscCallCUDA(cudaStreamCreateWithFlags(&ctx->capture, cudaStreamNonBlocking));
  PetscCallCUDA(cudaStreamBeginCapture(ctx->capture, cudaStreamCaptureModeThreadLocal));
  e.stream                  = ctx->capture;
  const PetscErrorCode code = Iterations(ctx, pc, iterations);
  e.stream                  = stream;
  cudaError_t err           = cudaStreamEndCapture(ctx->capture, &graph);
  g->counts.launches        = e.Counts().launches - before.launches;
  g->counts.reductions      = e.Counts().reductions - before.reductions;
  g->turn                   = e.Turn();
  e.Counts()                = before;
  e.SetTurn(turn);
  if (!err && !code) err = cudaGraphInstantiate(&g->exec, graph, 0);
  if (graph) (void)cudaGraphDestroy(graph);
  if (code) (void)cudaGetLastError(); /* that of the recording, which `code` tells of */
  PetscCall(code);
  PetscCallCUDA(err);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedGraphLaunch(FusedContext *ctx, const FusedPc &pc, int iterations)
{
  FusedEngine &e      = *ctx->engine;
  const int    folded = is_folded(pc);
  auto        &graphs = ctx->graphs[folded];
  Stamp        a      = arguments(ctx, pc);

  PetscFunctionBegin;
  if (a != ctx->graphs_for[folded]) {
    PetscCall(Free(ctx, folded));
    ctx->graphs_for[folded] = std::move(a);
  }
  auto g = graphs.find({iterations, e.Turn()});
  if (g == graphs.end()) {
    FusedContext::Graph made;

    PetscCall(Record(ctx, pc, iterations, &made));
    g = graphs.emplace(std::make_pair(iterations, e.Turn()), made).first;
  }
  PetscCallCUDA(cudaGraphLaunch(g->second.exec, e.stream));
  e.SetTurn(g->second.turn);
  e.Counts().launches += g->second.counts.launches;
  e.Counts().reductions += g->second.counts.reductions;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#else

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
