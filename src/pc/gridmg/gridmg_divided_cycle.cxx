/*
   A divided hierarchy in a solve: its application, step by step, as launches and as a graph, and CG without red columns. See gridmg_divided.hpp.
*/
#include "gridmg_divided_class.hpp"
#include "gridmg_cost.hpp"
#include "gridmg_host.hpp"
#include "gridmg_stages.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "gridmg_record.hpp"
#endif

namespace heptane
{

template <class Real>
PetscErrorCode DividedHierarchy<Real>::Steps(int from, int to)
{
  PetscFunctionBegin;
  if (where == Where::host) {
    grid_steps_host(slab, static_cast<std::size_t>(from), static_cast<std::size_t>(to));
    PetscCall(PetscLogFlops(Flops(slab, static_cast<std::size_t>(from), static_cast<std::size_t>(to))));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    for (int k = from; k < to; k++) {
      const MetricsPass metrics(true, [&] { return grid_step_cost(slab, slab.plan.steps[k]); });
      PetscCallCUDA(launch_grid_step(slab, slab.plan.steps[k], &launches, stream));
    }
    PetscCall(PetscLogGpuFlops(Flops(slab, static_cast<std::size_t>(from), static_cast<std::size_t>(to))));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The levels behind, and what goes there and comes back */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Behind()
{
  PetscFunctionBegin;
  PetscCall(exchange->ToFirst(GridArray::b));
  if (HasBehind()) {
    const double flops = Flops(behind, 0, behind.plan.steps.size());

    if (where == Where::host) {
      grid_steps_host(behind, 0, behind.plan.steps.size());
      PetscCall(PetscLogFlops(flops));
    }
#if PetscDefined(HAVE_CUDA)
    else {
      PetscCall(executor.Steps());
      PetscCall(PetscLogGpuFlops(flops));
    }
#endif
  }
  PetscCall(exchange->FromFirst(GridArray::x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode DividedHierarchy<Real>::Apply(Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(exchange->Check());
#if PetscDefined(HAVE_CUDA)
  if (where == Where::device && exchange->Slabs()) {
    PetscCall(ApplyAlone(x, y));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(exchange->ToBox(x));
  if (HasSlab()) {
    launches = 2;
    if (where == Where::host) grid_take_host(slab, piece.in);
#if PetscDefined(HAVE_CUDA)
    cudaStream_t stream = nullptr;
    if (where == Where::device) {
      PetscCall(PetscGetCurrentCUDAStream(&stream));
      const MetricsPass metrics(true, [&] { return grid_edge_cost(slab, "right-hand side taken"); });
      PetscCallCUDA(launch_grid_take(slab.B, slab.levels[0], slab.natural, piece.in, stream));
    }
#endif
    for (const GridStage &s : stages) {
      if (s.kind == GridStage::steps) PetscCall(Steps(s.from, s.to));
      else if (s.kind == GridStage::behind) PetscCall(Behind());
      else PetscCall(exchange->Neighbours(s.level, grid_stage_array(s), GridDivision::sent));
    }
    if (where == Where::host) grid_give_host(slab, piece.out);
#if PetscDefined(HAVE_CUDA)
    else {
      const MetricsPass metrics(true, [&] { return grid_edge_cost(slab, "solution given"); });
      PetscCallCUDA(launch_grid_give(slab.B, slab.levels[0], slab.natural, slab.scale, piece.out, stream));
    }
#endif
  }
  PetscCall(exchange->FromBox(y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
/* What is between the vectors of the solver */
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
  launches = 5; /* to and from the solver */
  {
    const MetricsPass metrics(true, [&] { return grid_edge_cost(slab, "right-hand side taken"); });
    PetscCallCUDA(launch_grid_take(slab.B, slab.levels[0], slab.natural, piece.in, stream));
  }
  PetscCall(grid_along_stages(stages, exchange->Slabs(), stream, steps, [&] { return of_launch(executor.LaunchSteps(behind, &launches, stream)); }));
  for (const GridStage &s : stages) launches += s.kind == GridStage::steps ? 0 : 2;
  const MetricsPass metrics(true, [&] { return grid_edge_cost(slab, "solution given"); });
  PetscCallCUDA(launch_grid_give(slab.B, slab.levels[0], slab.natural, slab.scale, piece.out, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
cudaError_t DividedHierarchy<Real>::OfCycle::Launch(const Scalar *r, Scalar *z, cudaStream_t stream) const
{
  GridSlabs<Real> *const others = of->exchange->Slabs();
  PetscErrorCode         code   = others->In(r, false, stream);

  if (!code) code = of->LaunchBetween(stream);
  if (!code) code = others->Out(z, stream);
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

/* By launches the first time, then by a graph */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::ApplyAlone(Vec x, Vec y)
{
  GridStream stream;

  PetscFunctionBegin;
  PetscCall(exchange->Slabs()->Stream(&stream));
  if (begun && !graph) PetscCall(Record());
  PetscCall(exchange->ToBox(x));
  if (graph) PetscCallCUDA(cudaGraphLaunch(graph, stream));
  else PetscCall(LaunchBetween(stream));
  PetscCall(exchange->FromBox(y));
  begun = true;
  PetscCall(PetscLogGpuFlops(passes.of ? passes.Flops() : 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

template <class Real>
PcPasses *DividedHierarchy<Real>::Passes()
{
#if PetscDefined(HAVE_CUDA)
  if (where == Where::device && exchange->Slabs()) {
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
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &made, 1, MPI_C_BOOL, MPI_LAND, comm)); /* values may have been refused on some */
  if (!made) {
    GridMatrix A = matrix;

    why_not  = links.Any()          ? "there are entries beside the block diagonals"
               : !all.reaches       ? "the processes exchange messages"
               : !exchange->Slabs() ? "some processes have no slab or no rows"
               : !all.reduced       ? "slabs are too narrow, or there are several sweeps or several unknowns per cell"
                                    : grid_reduced_why_not(slab);
    A.values = piece.values;
    A.ld     = spread.Rows();
    reduced.SetSlab({exchange->Slabs(), &piece, division.Rows(plan, 0, rank), grid_coarse_stages(plan, division)});
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

/* Two for every coefficient that a step reads */
template <class Real>
double DividedHierarchy<Real>::Flops(const GridSystem<Real> &S, std::size_t from, std::size_t to) const
{
  double flops = 0;

  for (std::size_t k = from; k < to; k++) {
    const GridStep        &s     = S.plan.steps[k];
    const GridLevel<Real> &L     = S.levels[s.level];
    const double           cells = 0.5 * L.K * L.J * L.I * S.B * S.B;

    flops += 2 * cells * (s.op == GridOp::restrict ? 4 : s.op != GridOp::solve ? 0 : s.zero ? 3 : 7);
  }
  return flops;
}

#define HEPTANE_GRID_DIVIDED(Real) \
  template PetscErrorCode DividedHierarchy<Real>::Apply(Vec, Vec); \
  template PcPasses      *DividedHierarchy<Real>::Passes(); \
  template PetscErrorCode DividedHierarchy<Real>::Reduced(ReducedCg **, std::string *); \
  template double         DividedHierarchy<Real>::Flops(const GridSystem<Real> &, std::size_t, std::size_t) const;
HEPTANE_GRID_DIVIDED(float)
HEPTANE_GRID_DIVIDED(double)
#undef HEPTANE_GRID_DIVIDED
#if PetscDefined(HAVE_CUDA)
template cudaError_t DividedHierarchy<float>::OfCycle::Launch(const Scalar *, Scalar *, cudaStream_t) const;
template cudaError_t DividedHierarchy<double>::OfCycle::Launch(const Scalar *, Scalar *, cudaStream_t) const;
#endif

} // namespace heptane
