/*
   A divided hierarchy: its levels, memory and set-up. See gridmg_divided.hpp.
*/
#include "gridmg_divided_class.hpp"
#include "gridmg_cost.hpp"
#include "gridmg_host.hpp"

namespace heptane
{

template <class Real>
DividedHierarchy<Real>::~DividedHierarchy()
{
#if PetscDefined(HAVE_CUDA)
  if (graph) (void)cudaGraphExecDestroy(graph); /* nobody could be told */
#endif
}

/* From the block diagonals of all processes, where they are */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Means()
{
  const Scalar  *between[6];
  BlockDiagonals D;
  GridMatrix     A;
  GridMeans      own;
  bool           usable;

  PetscFunctionBegin;
  PetscCall(spread.OwnDiagonals(&D, A.diagonal, between, true, &usable));
  A.values = D.values;
  A.ld     = D.ld;
  if (usable && D.rows) {
    const std::size_t count = static_cast<std::size_t>(D.rows / D.block);

    if (where == Where::host) own = grid_means_host(A, D.block, count);
#if PetscDefined(HAVE_CUDA)
    else PetscCall(executor.Means(A, D.block, count, &own));
#endif
  }
  PetscCall(spread.SumMeans(usable ? &own : nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As many levels as the estimate says, or as are wanted */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Choose(const GridOptions &options, int divided, std::string *why)
{
  const GridDividedCost cost   = (where == Where::device ? GridDividedTuning::reach() : GridDividedTuning::host()).Of(spread.Unknowns());
  const int             levels = static_cast<int>(plan.levels.size());
  double                least  = 0;

  PetscFunctionBegin;
  for (int n = std::max(1, divided); n < levels && n <= (divided > 0 ? divided : levels); n++) {
    GridDivision tried;

    if (n > 1 && options.cycle != GridCycle::v) break; /* others come to coarse levels often */
    const std::string not_so = grid_divide(plan, size, n, &tried);
    if (!not_so.empty()) {
      if (!division.levels) *why = not_so;
      break;
    }
    const bool   may_reduce = where == Where::device && !links.Any() && spread.Unknowns() == 1 && options.smooths == 1;
    const double takes      = grid_divided_cost(plan, tried, 0, cost) + (may_reduce ? grid_red_columns_cost(plan, tried) : 0);
    if (!division.levels || takes < least) {
      least    = takes;
      division = tried;
      *why     = "";
    }
  }
  if (!division.levels && why->empty()) *why = levels < 2 ? "there is one level" : "so many levels cannot be divided";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether it takes less than a cycle on the first process: of vectors that come from others, both ways, too */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Worth(std::string *why)
{
  const GridDividedCost messages = (where == Where::device ? GridDividedTuning::messages() : GridDividedTuning::host()).Of(spread.Unknowns());
  const GridDividedCost cost     = where == Where::device && exchange->Reaches() ? GridDividedTuning::reach().Of(spread.Unknowns()) : messages;
  const double          divided = grid_divided_cost(plan, division, spread.Moved(), cost), gathered = grid_gathered_cost(plan, spread.MovedToFirst(), messages);

  PetscFunctionBegin;
  if (divided > GridDividedTuning::gain * gathered) {
    char text[160];

    PetscCall(PetscSNPrintf(text, sizeof(text), "by an estimate it would take %.2g of the time on one process, -pc_gridmg_divide 1 divides all the same",
                            divided / gathered));
    *why = text;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where one GPU is expected to be as fast: small grids */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Remark()
{
  const double cells = static_cast<double>(spread.Shape().cells()), one = GridDividedTuning::one_gpu_cells;
  char         text[160];

  PetscFunctionBegin;
  remark = "";
  if (where == Where::host || cells * spread.Unknowns() >= one) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(text, sizeof(text), "%.0f cells on %d GPUs: below %.2g cells, with one unknown each, one GPU is expected to be as fast", cells,
                          division.processes(), one));
  remark = text;
  PetscCall(PetscInfo(NULL, "gridmg: %s\n", text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
GridBox DividedHierarchy<Real>::Box() const
{
  const GridRows rows = division.Rows(plan, 0, rank);
  GridBox        box;

  box.axis = plan.axis[1];
  for (int a = 0; a < 3; a++) box.extent[a] = spread.Shape().extent[a];
  box.extent[box.axis] = rows.all();
  box.first            = rows.first;
  box.own              = rows.own;
  box.south            = rows.south;
  box.north            = rows.north;
  return box;
}

/* What was recorded with another scale is out of date */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::SetScale()
{
  PetscFunctionBegin;
  slab.scale = behind.scale = matrix.scale = scaling.Of();
  number                                   = Stamp::NewNumber();
#if PetscDefined(HAVE_CUDA)
  if (graph) PetscCallCUDA(cudaGraphExecDestroy(graph));
  graph = nullptr;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory, and where cells of the box are */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Prepare(const GridOptions &options, PetscMPIInt tag, std::string *why)
{
  const GridBox box = Box();
  std::string   messages;

  PetscFunctionBegin;
  all.unknowns = spread.Unknowns();
  all.half     = options.half;
  all.of_row   = spread.Shape().cells() / static_cast<std::size_t>(spread.Shape().extent[box.axis]);
  all.reaches  = true;
  all.joined   = links.Joined();
  all.reduced  = !links.Any() && spread.Unknowns() == 1 && division.beside[0] >= GridDivision::wide && options.smooths == 1;
  PetscCall(grid_peers(comm, where, all, spread, &piece, &exchange, &messages));
  if (!exchange && links.Any()) {
    *why = "there are entries beside the block diagonals, and processes exchange messages: " + messages;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!exchange) {
    all.reaches = all.reduced = false;
    GridPiece<Real> nowhere;
    char           *base;

    PetscCall(PetscInfo(NULL, "Divided levels of gridmg exchange messages: %s\n", messages.c_str()));
    memory.Resize(grid_place(all, rank, nullptr, &nowhere));
    PetscCall(memory.Zeros(where, &base)); /* what is multiplied by zero must be a number */
    (void)grid_place(all, rank, base, &piece);
    exchange = grid_messages(comm, tag, where, all, piece, spread);
  }
  scaling = GridScale(spread.Means().diagonal);
  PetscCall(SetScale());
  matrix.diagonal[0] = 0;
  for (int a = 0; a < 3; a++) {
    matrix.stride[a] = slab.natural.stride[a] = box.stride(plan.axis[a]);
    for (int side = 0; side < 2; side++) matrix.diagonal[1 + 2 * a + side] = 1 + 2 * plan.axis[a] + side;
  }
  PetscCall(links.Place(where, all, rank, &slab, &behind));
#if PetscDefined(HAVE_CUDA)
  if (where == Where::device && HasSlab()) PetscCall(slab_levels.Assign(where, std::vector<GridLevel<Real>>(slab.levels.begin(), slab.levels.end() - 1)));
  if (where == Where::device && HasBehind()) PetscCall(executor.Prepare(behind));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode DividedHierarchy<Real>::Plan(MPI_Comm c, PetscMPIInt tag, const GridOptions &options, int divided, std::string *why)
{
  PetscFunctionBegin;
  comm  = c;
  where = spread.OnDevice() ? Where::device : Where::host;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  division = GridDivision();
  PetscCall(Means());
  all.plan = grid_plan_levels(spread.Shape(), options, spread.Means());
  PetscCall(links.Find(comm, &spread, plan, options.dense, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  grid_plan_steps(options, links.Linked(plan), &all.plan);
  PetscCall(Choose(options, divided, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(spread.Make(Box()));
  stages = grid_divided_stages(plan, division);
  PetscCall(Prepare(options, tag, why));
  if (why->empty() && divided < 0) PetscCall(Worth(why));
  if (why->empty()) PetscCall(Remark());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the values: the finest level, those behind it, and rows beside the slab as their owners have them, which know all of their neighbours */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::SlabLevels([[maybe_unused]] bool with_reduced, GridReport *report)
{
  const int     count = division.levels;
  GridMatrix    A     = matrix;
  const Scalar *of_links;

  PetscFunctionBegin;
  reduced_made = reduced_used = factored_reduced = false;
  PetscCall(exchange->Values(&A.values)); /* collective */
  PetscCall(links.Values(where, matrix.scale, &spread, &of_links));
  if (!HasSlab()) PetscFunctionReturn(PETSC_SUCCESS);
  A.ld = spread.Rows();
  PetscCall(scaling.Look(A, spread.Unknowns(), A.ld / static_cast<std::size_t>(spread.Unknowns()), where));
#if PetscDefined(HAVE_CUDA)
  const int    B      = spread.Unknowns();
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
    PetscCallCUDA(launch_grid_link_values(slab.links[0], of_links, A.scale, stream));
    PetscCallCUDA(launch_grid_link_row_sums(slab.levels[0], B, slab.links[0], Real(1), stream));
  }
#endif
  if (where == Where::host) grid_load_host(A, of_links, slab, report);
  for (int l = 0; l < count; l++) {
    PetscCall(exchange->Neighbours(l, GridArray::coef, division.beside[l]));
    if (where == Where::host) grid_coarsen_host(slab, l);
#if PetscDefined(HAVE_CUDA)
    else {
      const MetricsPass metrics(true, [&] { return grid_coarsen_cost(B, slab.levels[l], slab.levels[l + 1]); });
      PetscCallCUDA(launch_grid_coarsen(B, slab.levels[l], slab.levels[l + 1], stream));
      PetscCallCUDA(launch_grid_link_coarsen(slab.links[l], slab.levels[l + 1], slab.links[l + 1], stream));
    }
#endif
  }
  PetscCall(exchange->ToFirst(GridArray::coef));
  if (where == Where::host) grid_factor_host(slab, count, report);
#if PetscDefined(HAVE_CUDA)
  else {
    for (int l = 0; l < count; l++) PetscCallCUDA(launch_grid_link_row_sums(slab.levels[l], B, slab.links[l], Real(-1), stream));
    PetscCallCUDA(launch_grid_dense(slab, count, note, stream));
    const MetricsPass metrics(true, [&] { return grid_factor_cost(B, slab.levels); });
    PetscCallCUDA(launch_grid_factor(B, std::vector<GridLevel<Real>>(slab.levels.begin(), slab.levels.end() - 1), slab_levels.At(where), note, stream));
    if (with_reduced) PetscCallCUDA(launch_reduced_factor(reduced.Arrays(), note + 1, stream));
    factored_reduced = with_reduced;
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode DividedHierarchy<Real>::Fill(bool with_reduced, GridReport *report)
{
  GridReport mine, of_first;

  PetscFunctionBegin;
  PetscCall(SlabLevels(with_reduced, &mine));
  exchange->DropValues();
  if (HasBehind()) {
    if (where == Where::host) {
      for (int l = 0; l + 1 < static_cast<int>(behind.levels.size()); l++) grid_coarsen_host(behind, l);
      grid_factor_host(behind, static_cast<int>(behind.levels.size()), &of_first);
    }
#if PetscDefined(HAVE_CUDA)
    else
      PetscCall(executor.FactorFrom(behind, &of_first));
#endif
  }
#if PetscDefined(HAVE_CUDA)
  if (where == Where::device && HasSlab()) {
    GridReport both[2];

    PetscCall(CopyToHost(both, report_of.At(where), 2));
    mine         = both[0];
    reduced_made = factored_reduced && GridReducedCg<Real>::WhyNot(both[1]).empty(); /* else its reason is found again */
  }
#endif
  PetscCall(exchange->CheckNow());
  for (int fault = 0; First() && fault < grid_faults; fault++) mine.count[fault] += of_first.count[fault];
  *report = GridReport();
  PetscCallMPI(MPIU_Allreduce(mine.count, report->count, grid_faults, MPI_UNSIGNED_LONG_LONG, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* See Hierarchy::Factor(). On the host CG without red columns is made when it is wanted. */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Factor(GridReport *report)
{
  bool another;

  PetscFunctionBegin;
  PetscCall(Fill(where == Where::device && reduced_made && reduced_used, report));
  PetscCall(scaling.Renew(comm, &another));
  if (!another) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SetScale());
  PetscCall(Fill(false, report));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
std::vector<GridLevelView> DividedHierarchy<Real>::View() const
{
  std::vector<GridLevelView> view;
  GridSystem<Real>           S;

  S.levels = grid_shape_levels<Real>(plan);
  for (std::size_t l = 0; l < S.levels.size(); l++) {
    const std::size_t D = static_cast<std::size_t>(division.levels), B = static_cast<std::size_t>(spread.Unknowns());
    GridLevel<Real>  &L = S.levels[l];

    if (l < slab.levels.size()) L.half = slab.levels[l].half;
    else if (l - D < behind.levels.size()) L.half = behind.levels[l - D].half;
    const std::size_t n     = static_cast<std::size_t>(L.K) * B;
    const std::size_t reals = L.cells * (static_cast<std::size_t>(L.slots()) * B * B + (plan.changes ? 3 : 2) * B);

    view.push_back({plan.levels[l], static_cast<std::size_t>(L.K) * L.J * L.I, (reals + static_cast<std::size_t>(links.Lines(l)) * n * n) * sizeof(Real),
                    links.Entries(l), links.Lines(l)});
  }
  return view;
}

std::unique_ptr<GridDivided> GridDivided::Make(bool single)
{
  if (single) return std::make_unique<DividedHierarchy<float>>();
  return std::make_unique<DividedHierarchy<double>>();
}

} // namespace heptane
