/*
   A divided hierarchy: its levels, memory and set-up. See divided.hpp.
*/
#include "divided_class.hpp"
#include "../../../comm/peer_options.hpp"
#include "../../../sys/collective.hpp"
#include "../device/cost.hpp"
#include "../host/host.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../device/reduced_kernels.hpp"
#endif

namespace heptane
{

template <class Real>
DividedHierarchy<Real>::~DividedHierarchy()
{
#if PetscDefined(HAVE_CUDA)
  if (graph) (void)cudaGraphExecDestroy(graph); /* a destructor cannot report the error */
#endif
}

PetscErrorCode GridDivided::ExchangeOptions(Stamp *now)
{
  PeerOptions options;

  PetscFunctionBegin;
  PetscCall(PeerOptionsGet(Where::device, &options)); /* on the host some choices are the same */
  *now = Stamp::Of(options.wanted, options.nccl);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the block diagonals of all processes, in their memory space */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Means(GridDistribution *distribution)
{
  const Scalar  *interface[6];
  BlockDiagonals D;
  GridMatrix     A;
  GridMeans      local;
  bool           usable;

  PetscFunctionBegin;
  PetscCall(parallel.LocalDiagonals(&D, A.diagonal, interface, &usable));
  if (!usable) distribution->ToRoot(GridParallelMatrix::not_usable);
  if (!usable) PetscFunctionReturn(PETSC_SUCCESS);
  A.values = D.values;
  A.ld     = D.ld;
  if (D.rows) {
    const std::size_t count = static_cast<std::size_t>(D.rows / D.block);

    if (where == Where::host) local = grid_means_host(A, D.block, count);
#if PetscDefined(HAVE_CUDA)
    else PetscCall(executor.Means(A, D.block, count, &local));
#endif
  }
  PetscCall(parallel.SumMeans(local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A graph recorded with another scale, or another link, is destroyed */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Renumber()
{
  PetscFunctionBegin;
  number = Stamp::NewNumber();
#if PetscDefined(HAVE_CUDA)
  if (graph) PetscCallCUDA(cudaGraphExecDestroy(graph));
  graph = nullptr;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode DividedHierarchy<Real>::SetScale()
{
  PetscFunctionBegin;
  slab.scale = coarse.scale = matrix.scale = scaling.Of();
  PetscCall(Renumber());
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode DividedHierarchy<Real>::Reconnect()
{
  bool broken;

  PetscFunctionBegin;
  if (!ByNccl()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(peers->Broken(&broken));
  if (!broken) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Renumber()); /* the graph first */
  PetscCall(peers->Reconnect());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Strides of the cells of the box: the whole grid, except its rows along the axis of the slabs */
template <class Real>
void DividedHierarchy<Real>::Strides()
{
  int         extent[3];
  std::size_t stride[3] = {1, 1, 1};

  std::copy(parallel.Shape().extent, parallel.Shape().extent + 3, extent);
  extent[plan.axis[1]] = division.Rows(plan, 0, rank).all();
  for (int a = 1; a < 3; a++) stride[a] = stride[a - 1] * static_cast<std::size_t>(extent[a - 1]);
  matrix.diagonal[0] = 0;
  for (int a = 0; a < 3; a++) {
    matrix.stride[a] = slab.natural.stride[a] = stride[plan.axis[a]];
    for (int side = 0; side < 2; side++) matrix.diagonal[1 + 2 * a + side] = 1 + 2 * plan.axis[a] + side;
  }
}

/* Allocates the memory of the division */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Place(const GridOptions &options, GridDistribution *distribution)
{
  PetscFunctionBegin;
  all.unknowns = parallel.Unknowns();
  all.half     = options.half;
  all.of_row   = parallel.Shape().cells() / static_cast<std::size_t>(parallel.Shape().extent[plan.axis[1]]);
  all.joined   = remainder.Joined();
  all.reduced  = !remainder.Any() && parallel.Unknowns() == 1 && division.overlap[0] >= GridDivision::wide && options.smooths == 1;
  peers        = std::make_unique<GridPeers<Real>>(all, parallel);
  PetscCall(peers->Make(comm, where, &piece, distribution));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Initialises it */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Prepare()
{
  PetscFunctionBegin;
  scaling = GridScale(parallel.Means().diagonal);
  PetscCall(SetScale());
  Strides();
  PetscCall(remainder.Place(where, all, rank, &slab, &coarse));
#if PetscDefined(HAVE_CUDA)
  if (where == Where::device && HasSlab()) {
    PetscCall(slab_levels.Assign(where, std::vector<GridLevel<Real>>(slab.levels.begin(), slab.levels.end() - 1)));
    PetscCall(executor.Prepare(coarse));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode DividedHierarchy<Real>::Plan(MPI_Comm c, const GridOptions &options, int divided, GridDistribution *distribution)
{
  PetscFunctionBegin;
  comm  = c;
  where = parallel.OnDevice() ? Where::device : Where::host;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(Means(distribution));
  if (!distribution->Is(GridDistribution::slabs)) PetscFunctionReturn(PETSC_SUCCESS);
  all.plan = grid_plan_levels(parallel.Shape(), options, parallel.Means());
  PetscCall(remainder.Find(comm, &parallel, plan, options.dense, distribution));
  if (!distribution->Is(GridDistribution::slabs)) PetscFunctionReturn(PETSC_SUCCESS);
  grid_plan_steps(options, remainder.HasRemainder(plan), &all.plan);
  Choose(options, divided, distribution);
  if (!distribution->Is(GridDistribution::slabs)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Place(options, distribution));
  if (ByNccl() && divided < 0) { /* the estimate that was assumed is that of shared memory */
    const GridDivision assumed = division;

    Choose(options, divided, distribution);
    if (!(division == assumed)) PetscCall(Place(options, distribution));
  }
  if (distribution->Is(GridDistribution::slabs) && divided < 0) PetscCall(Worth(distribution));
  if (!distribution->Is(GridDistribution::slabs)) PetscFunctionReturn(PETSC_SUCCESS);
  stages = grid_divided_stages(plan, division);
  PetscCall(Prepare());
  PetscCall(Remark());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the values: the finest level and the coarser ones. Overlap rows are received from their owners, which have all
   of their neighbours. */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::SlabLevels([[maybe_unused]] bool with_reduced, GridReport *report)
{
  const int     count = division.levels;
  GridMatrix    A     = matrix;
  const Scalar *of_remainder;
  GridStream    exchange_stream;

  PetscFunctionBegin;
  reduced_made = reduced_used = factored_reduced = false;
  PetscCall(remainder.Values(where, matrix.scale, &parallel, &of_remainder));
  if (!HasSlab()) PetscFunctionReturn(PETSC_SUCCESS);
  A.values = piece.values;
  A.ld     = all.Box(rank);
  PetscCall(scaling.Compute(A, parallel.Unknowns(), A.ld / static_cast<std::size_t>(parallel.Unknowns()), where));
#if PetscDefined(HAVE_CUDA)
  const int    B      = parallel.Unknowns();
  GridReport  *note   = nullptr;
  cudaStream_t stream = nullptr;
  if (where == Where::device) {
    const GridReport clean[2];

    PetscCall(report_of.Assign(where, clean, 2));
    note = report_of.At(where);
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    const MetricsPass metrics(true, [&] { return grid_setup_cost<Real>("the finest level", B, grid_cells(slab.levels[0]), with_reduced ? 14. : 7., 7.); });
    if (with_reduced) PetscCallCUDA(launch_reduced_load_both(A, reduced.Arrays(), note, stream));
    else PetscCallCUDA(launch_grid_load(A, B, slab.levels[0], note, stream));
    PetscCallCUDA(launch_grid_remainder_values(slab.remainder[0], of_remainder, A.scale, stream));
    PetscCallCUDA(launch_grid_remainder_row_sums(slab.levels[0], B, slab.remainder[0], Real(1), stream));
  }
#endif
  if (where == Where::host) grid_load_host(A, of_remainder, slab, report);
  PetscCall(peers->Stream(&exchange_stream));
  for (int l = 0; l < count; l++) {
    PetscCall(peers->ExchangeOverlap(l, GridArray::coef, division.overlap[l], exchange_stream));
    if (where == Where::host) grid_coarsen_host(slab, l);
#if PetscDefined(HAVE_CUDA)
    else {
      const MetricsPass metrics(true, [&] { return grid_coarsen_cost(B, slab.levels[l], slab.levels[l + 1]); });
      PetscCallCUDA(launch_grid_coarsen(B, slab.levels[l], slab.levels[l + 1], stream));
      PetscCallCUDA(launch_grid_remainder_coarsen(slab.remainder[l], slab.levels[l + 1], slab.remainder[l + 1], stream));
    }
#endif
  }
  PetscCall(peers->GatherCoarse(GridArray::coef, exchange_stream));
  if (where == Where::host) grid_factor_host(slab, count, report);
#if PetscDefined(HAVE_CUDA)
  else {
    for (int l = 0; l < count; l++) PetscCallCUDA(launch_grid_remainder_row_sums(slab.levels[l], B, slab.remainder[l], Real(-1), stream));
    PetscCallCUDA(launch_grid_dense(slab, count, note, stream));
    const MetricsPass metrics(true, [&] { return grid_factor_cost(B, slab.levels); });
    PetscCallCUDA(launch_grid_factor(B, std::vector<GridLevel<Real>>(slab.levels.begin(), slab.levels.end() - 1), slab_levels.At(where), note, stream));
    if (with_reduced) PetscCallCUDA(launch_reduced_factor(reduced.Arrays(), note + 1, stream));
    factored_reduced = with_reduced;
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The part of a set-up that exchanges; by NCCL the host waits for it, as only then there is a limit */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::FromOthers(bool with_reduced, GridReport *report, bool *usable)
{
  PetscFunctionBegin;
  *usable = true;
  PetscCall(peers->Values(usable));
  if (*usable) PetscCall(SlabLevels(with_reduced, report));
  if (*usable && ByNccl()) PetscCall(peers->CheckNow());
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode DividedHierarchy<Real>::Fill(bool with_reduced, GridReport *report, GridDistribution *distribution)
{
  GridReport mine, of_coarse;
  bool       usable;

  PetscFunctionBegin;
  const PetscErrorCode code   = FromOthers(with_reduced, &mine, &usable);
  PetscBool            failed = (PetscBool)(code != PETSC_SUCCESS);
  if (ByNccl()) PetscCall(CollectiveReduce(comm, &failed, 1, MPI_C_BOOL, MPI_LOR)); /* the last exchange may succeed on another process */
  PetscCall(code);
  PetscCheck(!failed, PETSC_COMM_SELF, PETSC_ERR_LIB, "The set-up of PCGRIDMG has failed on another process");
  if (!usable) distribution->ToRoot(GridParallelMatrix::not_usable);
  if (!usable) PetscFunctionReturn(PETSC_SUCCESS);
  if (HasSlab()) {
    if (where == Where::host) {
      for (int l = 0; l + 1 < static_cast<int>(coarse.levels.size()); l++) grid_coarsen_host(coarse, l);
      grid_factor_host(coarse, static_cast<int>(coarse.levels.size()), &of_coarse);
    }
#if PetscDefined(HAVE_CUDA)
    else
      PetscCall(executor.FactorFrom(coarse, &of_coarse));
#endif
  }
#if PetscDefined(HAVE_CUDA)
  if (where == Where::device && HasSlab()) {
    GridReport both[2];

    PetscCall(CopyToHost(both, report_of.At(where), 2));
    mine         = both[0];
    reduced_made = factored_reduced && GridReducedCg<Real>::WhyNot(both[1]).empty(); /* otherwise the reason is determined again */
  }
#endif
  PetscCall(peers->CheckNow());
  for (int fault = 0; rank == 0 && fault < grid_faults; fault++) mine.count[fault] += of_coarse.count[fault];
  *report = GridReport();
  PetscCallMPI(MPIU_Allreduce(mine.count, report->count, grid_faults, MPI_UNSIGNED_LONG_LONG, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* See Hierarchy::Factor(). On the host CG without red columns is made on demand. */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Factor(GridReport *report, GridDistribution *distribution)
{
  bool another;

  PetscFunctionBegin;
  PetscCall(Reconnect());
  PetscCall(Fill(where == Where::device && reduced_made && reduced_used, report, distribution));
  if (!distribution->Is(GridDistribution::slabs)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(scaling.Renew(comm, &another));
  if (!another) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SetScale());
  PetscCall(Fill(false, report, distribution));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
std::vector<GridLevelView> DividedHierarchy<Real>::View() const
{
  std::vector<GridLevelView> view;
  GridSystem<Real>           S;

  S.levels = grid_shape_levels<Real>(plan);
  for (std::size_t l = 0; l < S.levels.size(); l++) {
    const std::size_t D = static_cast<std::size_t>(division.levels), B = static_cast<std::size_t>(parallel.Unknowns());
    GridLevel<Real>  &L = S.levels[l];

    if (l < slab.levels.size()) L.half = slab.levels[l].half;
    else if (l - D < coarse.levels.size()) L.half = coarse.levels[l - D].half;
    const std::size_t n     = static_cast<std::size_t>(L.K) * B;
    const std::size_t reals = L.cells * (static_cast<std::size_t>(L.slots()) * B * B + (plan.changes ? 3 : 2) * B);

    view.push_back({plan.levels[l], static_cast<std::size_t>(L.K) * L.J * L.I, (reals + static_cast<std::size_t>(remainder.Lines(l)) * n * n) * sizeof(Real),
                    remainder.Entries(l), remainder.Lines(l)});
  }
  return view;
}

std::unique_ptr<GridDivided> GridDivided::Make(bool single)
{
  if (single) return std::make_unique<DividedHierarchy<float>>();
  return std::make_unique<DividedHierarchy<double>>();
}

} // namespace heptane
