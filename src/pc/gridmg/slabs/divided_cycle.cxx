/*
   A divided hierarchy in a solve: its application, as steps, launches and a graph, and CG without red columns. See
   divided.hpp.
*/
#include "divided_class.hpp"
#include "../../../sys/collective.hpp"
#include "../device/cost.hpp"
#include "../exchange/stages.hpp"
#include "../host/host.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../device/record.hpp"
#endif

namespace heptane
{

#if PetscDefined(HAVE_CUDA)
/* All kernels between the vectors of the solver */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::LaunchBetween(cudaStream_t stream)
{
  const auto steps = [&](int from, int to) {
    PetscFunctionBegin;
    for (int k = from; k < to; k++) {
      const MetricsPass metrics(true, [&] { return grid_step_cost(slab, slab.plan.steps[k]); });
      PetscCallCUDA(launch_grid_step(slab, slab.plan.steps[k], &launches, stream));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  };

  PetscFunctionBegin;
  launches = ByNccl() ? 8 : 5; /* transfers to and from the solver */
  {
    const MetricsPass metrics(true, [&] { return grid_edge_cost(slab, "right-hand side taken"); });
    PetscCallCUDA(launch_grid_import(slab.B, slab.levels[0], slab.natural, piece.in, stream));
  }
  PetscCall(grid_run_stages(stages, peers.get(), stream, steps, [&] { return of_launch(executor.LaunchSteps(coarse, &launches, stream)); }));
  for (const GridStage &s : stages) launches += s.kind == GridStage::steps ? 0 : 2 + ByNccl();
  const MetricsPass metrics(true, [&] { return grid_edge_cost(slab, "solution given"); });
  PetscCallCUDA(launch_grid_export(slab.B, slab.levels[0], slab.natural, slab.scale, piece.out, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
cudaError_t DividedHierarchy<Real>::OfCycle::Launch(const Scalar *r, Scalar *z, cudaStream_t stream) const
{
  PetscErrorCode code = of->peers->In(r, false, stream);

  if (!code && of->HasSlab()) code = of->LaunchBetween(stream);
  if (!code) code = of->peers->Out(z, stream);
  return reported(code);
}

template <class Real>
PetscErrorCode DividedHierarchy<Real>::Record()
{
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBegin;
  const cudaError_t err = record_graph([&](cudaStream_t stream) { return reported(code = LaunchBetween(stream)); }, &graph);
  PetscCall(code);
  PetscCallCUDA(err);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif

/* From `in` to `out` of the piece, together with all other processes. On the device by launches the first time, by a
   graph afterwards */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Between([[maybe_unused]] GridStream stream)
{
  PetscFunctionBegin;
  if (where == Where::host) {
    const auto run = [](const GridSystem<Real> &S, std::size_t from, std::size_t to) {
      grid_steps_host(S, from, to);
      return PETSC_SUCCESS;
    };

    grid_import_host(slab, piece.in);
    PetscCall(grid_run_stages(
      stages, peers.get(), stream, [&](int from, int to) { return run(slab, static_cast<std::size_t>(from), static_cast<std::size_t>(to)); },
      [&] { return run(coarse, 0, coarse.plan.steps.size()); }));
    grid_export_host(slab, piece.out);
    PetscCall(PetscLogFlops(Flops()));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    if (begun && !graph) PetscCall(Record());
    if (graph) PetscCallCUDA(cudaGraphLaunch(graph, stream));
    else PetscCall(LaunchBetween(stream));
    begun = true;
    PetscCall(PetscLogGpuFlops(Flops()));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode DividedHierarchy<Real>::Apply(Vec x, Vec y)
{
  GridStream stream;

  PetscFunctionBegin;
  PetscCall(peers->Check());
  PetscCall(peers->Stream(&stream));
  PetscCall(peers->ToBox(x));
  if (HasSlab()) PetscCall(Between(stream));
  PetscCall(peers->FromBox(y));
  if (ByNccl()) PetscCall(peers->CheckNow()); /* the solver may wait for the stream without a limit */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PcPasses *DividedHierarchy<Real>::Passes()
{
#if PetscDefined(HAVE_CUDA)
  if (where == Where::device && (ByNccl() || peers->Everywhere())) {
    passes.of = this;
    return &passes;
  }
#endif
  return nullptr;
}

template <class Real>
PetscErrorCode DividedHierarchy<Real>::Reduced(ReducedCg **to, std::string *why)
{
  const GridDevice<Real> *on = nullptr;

  PetscFunctionBegin;
  *to = nullptr;
#if PetscDefined(HAVE_CUDA)
  if (where == Where::device) on = &executor;
#endif
  PetscBool made = (PetscBool)reduced_made;
  PetscCall(CollectiveReduce(comm, &made, 1, MPI_C_BOOL, MPI_LAND)); /* some processes may have rejected the values */
  if (!made) {
    GridMatrix A = matrix;

    why_not  = ByNccl()               ? "slabs exchange by NCCL"
               : remainder.Any()      ? "there are entries off the block diagonals"
               : !peers->Everywhere() ? "some processes have no slab or no rows"
               : !all.reduced         ? "slabs are too narrow, or there are several sweeps or several unknowns per cell"
                                      : grid_reduced_why_not(slab);
    A.values = piece.values;
    A.ld     = all.Box(rank);
    reduced.SetSlab({peers.get(), &piece, division.Rows(plan, 0, rank), grid_coarse_stages(plan, division)});
    if (why_not.empty()) PetscCall(reduced.SetUp(A, slab, on, &why_not));
    PetscCall(PeerAgree(comm, &why_not));
    reduced.SetNumber(number);
    reduced_made = true;
  }
  *why         = why_not;
  reduced_used = why_not.empty();
  if (reduced_used) *to = &reduced;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Per application: two for every coefficient that a step reads */
template <class Real>
double DividedHierarchy<Real>::Flops() const
{
  double flops = 0;

  for (const GridSystem<Real> *S : {&slab, &coarse})
    for (const GridStep &s : S->plan.steps) {
      const GridLevel<Real> &L     = S->levels[static_cast<std::size_t>(s.level)];
      const double           cells = 0.5 * L.K * L.J * L.I * S->B * S->B;

      flops += 2 * cells * (s.op == GridOp::restrict ? 4 : s.op != GridOp::solve ? 0 : s.zero ? 3 : 7);
    }
  return flops;
}

#define HEPTANE_GRID_DIVIDED(Real) \
  template PetscErrorCode DividedHierarchy<Real>::Apply(Vec, Vec); \
  template PcPasses      *DividedHierarchy<Real>::Passes(); \
  template PetscErrorCode DividedHierarchy<Real>::Reduced(ReducedCg **, std::string *); \
  template double         DividedHierarchy<Real>::Flops() const;
HEPTANE_GRID_DIVIDED(float)
HEPTANE_GRID_DIVIDED(double)
#undef HEPTANE_GRID_DIVIDED
#if PetscDefined(HAVE_CUDA)
template cudaError_t DividedHierarchy<float>::OfCycle::Launch(const Scalar *, Scalar *, cudaStream_t) const;
template cudaError_t DividedHierarchy<double>::OfCycle::Launch(const Scalar *, Scalar *, cudaStream_t) const;
#endif

} // namespace heptane
