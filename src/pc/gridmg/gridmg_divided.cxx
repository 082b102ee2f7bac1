/*
   A divided hierarchy: see gridmg_divided.hpp. One class for both precisions.
*/
#include "gridmg_divided.hpp"
#include "gridmg_cost.hpp"
#include "gridmg_exchange.hpp"
#include "gridmg_host.hpp"
#include "gridmg_reduced.hpp"
#include <cmath>
#if PetscDefined(HAVE_CUDA)
  #include "gridmg_device.hpp"
#endif

namespace heptane
{

namespace
{

template <class Real>
class DividedHierarchy final : public GridDivided {
public:
  ~DividedHierarchy() override;
  PetscErrorCode Plan(MPI_Comm c, PetscMPIInt tag, const GridOptions &options, int divided, std::string *why) override;
  PetscErrorCode Factor(GridReport *report) override;
  PetscErrorCode Apply(Vec x, Vec y) override;
  PcPasses      *Passes() override;
  PetscErrorCode Reduced(ReducedCg **reduced, std::string *why) override;
  PetscErrorCode Check() override { return exchange->Check(); }

  const GridPlan            &Planned() const override { return plan; }
  const GridDivision        &Divided() const override { return division; }
  const std::string         &Remarks() const override { return remark; }
  const char                *Ways() const override { return exchange->Name(); }
  bool                       OnDevice() const override { return where == Where::device; }
  bool                       Everywhere() const override { return all.reaches; }
  std::vector<GridLevelView> View() const override;
  int                        Launches() const override { return launches; }

private:
  PetscErrorCode Choose(const GridOptions &options, int divided, std::string *why);
  PetscErrorCode Worth(std::string *why);
  GridBox        Box() const;
  PetscErrorCode Prepare(const GridOptions &options, PetscMPIInt tag);
  PetscErrorCode SlabLevels(GridReport *report);
  PetscErrorCode Behind();
  PetscErrorCode Steps(int from, int to);
  PetscErrorCode Remark();
  double         Flops(const GridSystem<Real> &S, std::size_t from, std::size_t to) const;
  bool           First() const { return rank == 0; }
  bool           HasSlab() const { return rank < division.processes(); }
  bool           HasBehind() const { return HasSlab() && (all.reaches || First()); }
#if PetscDefined(HAVE_CUDA)
  /* The application as launches */
  struct OfCycle final : public PcPasses {
    DividedHierarchy *of = nullptr;
    cudaError_t       Launch(const Scalar *r, Scalar *z, cudaStream_t stream) const override;
    Stamp             Signature() const override { return Stamp::Of(of->number, of->piece.in); }
    int               Launches() const override { return of->launches; }
    double Flops() const override { return of->Flops(of->slab, 0, of->slab.plan.steps.size()) + of->Flops(of->behind, 0, of->behind.plan.steps.size()); }
  };

  PetscErrorCode LaunchBetween(cudaStream_t stream);
  PetscErrorCode ApplyAlone(Vec x, Vec y);
  PetscErrorCode Record();
#endif

  MPI_Comm                            comm = MPI_COMM_NULL;
  PetscMPIInt                         rank = 0, size = 1;
  Where                               where = Where::host;
  GridPieces                          all;
  const GridPlan                     &plan     = all.plan; /* of the whole grid */
  GridDivision                       &division = all.division;
  std::vector<GridStage>              stages;
  GridMatrix                          matrix; /* of the box, but for its values */
  GridPiece<Real>                     piece;
  GridSystem<Real>                   &slab = piece.slab, &behind = piece.behind;
  Buffer<char>                        memory; /* of the piece, where others do not reach it */
  std::unique_ptr<GridExchange<Real>> exchange;
  std::uint64_t                       number   = 0; /* of the plan, among all */
  int                                 launches = 0;
  GridReducedCg<Real>                 reduced;
  bool                                reduced_made = false, reduced_used = false, factored_reduced = false; /* from these values; with them; by the set-up */
  std::string                         why_not, remark;
#if PetscDefined(HAVE_CUDA)
  OfCycle                 passes;
  cudaGraphExec_t         graph = nullptr; /* what is between the vectors of the solver */
  bool                    begun = false;   /* it has run once as launches */
  GridDevice<Real>        executor;        /* of the levels behind */
  Buffer<GridLevel<Real>> slab_levels;
  Buffer<GridReport>      report_of{2};
#endif
};

template <class Real>
DividedHierarchy<Real>::~DividedHierarchy()
{
#if PetscDefined(HAVE_CUDA)
  if (graph) (void)cudaGraphExecDestroy(graph); /* nobody could be told */
#endif
}

/* As many levels as the estimate says, or as are wanted */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Choose(const GridOptions &options, int divided, std::string *why)
{
  const GridDividedCost cost   = where == Where::device ? GridDividedTuning::reach() : GridDividedTuning::host();
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
    const bool   may_reduce = where == Where::device && spread.Unknowns() == 1 && options.smooths == 1;
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
  const GridDividedCost messages = where == Where::device ? GridDividedTuning::messages() : GridDividedTuning::host();
  const GridDividedCost cost     = where == Where::device && exchange->Reaches() ? GridDividedTuning::reach() : messages;
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
  PetscCall(PetscSNPrintf(text, sizeof(text), "%.0f cells on %d GPUs: below %.2g cells, with one unknown each, one GPU is expected to be as fast", cells, division.processes(), one));
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

/* Memory, and where cells of the box are */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Prepare(const GridOptions &options, PetscMPIInt tag)
{
  const GridBox box      = Box();
  int           exponent = 0;
  std::string   why;

  PetscFunctionBegin;
  all.unknowns = spread.Unknowns();
  all.half     = options.half;
  all.of_row   = spread.Shape().cells() / static_cast<std::size_t>(spread.Shape().extent[box.axis]);
  all.reaches  = true;
  all.reduced  = spread.Unknowns() == 1 && division.levels == 1 && division.beside[0] >= GridDivision::wide && options.smooths == 1;
  PetscCall(grid_peers(comm, where, all, spread, &piece, &exchange, &why));
  if (!exchange) {
    all.reaches = all.reduced = false;
    GridPiece<Real> nowhere;
    char           *base;

    PetscCall(PetscInfo(NULL, "Divided levels of gridmg exchange messages: %s\n", why.c_str()));
    memory.Resize(grid_place(all, rank, nullptr, &nowhere));
    PetscCall(memory.Zeros(where, &base)); /* what is multiplied by zero must be a number */
    (void)grid_place(all, rank, base, &piece);
    exchange = grid_messages(comm, tag, where, all, piece, spread);
  }
  const double diagonal = spread.Means().diagonal;
  if (diagonal > 0 && std::isfinite(diagonal)) (void)std::frexp(diagonal, &exponent);
  slab.scale = behind.scale = matrix.scale = static_cast<Scalar>(std::ldexp(1.0, -exponent));
  matrix.unknowns                          = spread.Unknowns();
  matrix.diagonal[0]                       = 0;
  for (int a = 0; a < 3; a++) {
    matrix.stride[a] = slab.natural.stride[a] = box.stride(plan.axis[a]);
    for (int side = 0; side < 2; side++) matrix.diagonal[1 + 2 * a + side] = 1 + 2 * plan.axis[a] + side;
  }
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
  division                   = GridDivision();
  static std::uint64_t plans = 0;
  number                     = ++plans;
  all.plan                   = grid_plan_levels(spread.Shape(), options, spread.Means());
  grid_plan_steps(options, std::vector<bool>(plan.levels.size(), false), &all.plan);
  PetscCall(Choose(options, divided, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(spread.Make(Box()));
  stages = grid_divided_stages(plan, division);
  PetscCall(Prepare(options, tag));
  if (divided < 0) PetscCall(Worth(why));
  if (why->empty()) PetscCall(Remark());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the values: the finest level, those behind it, and rows beside the slab as their owners have them, which know all of their neighbours */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::SlabLevels(GridReport *report)
{
  const bool with_reduced = where == Where::device && reduced_made && reduced_used; /* on the host it is made when it is wanted */
  const int  count        = division.levels;
  GridMatrix A            = matrix;

  PetscFunctionBegin;
  (void)with_reduced;
  reduced_made = reduced_used = factored_reduced = false;
  PetscCall(exchange->Values(&A.values)); /* collective */
  if (!HasSlab()) PetscFunctionReturn(PETSC_SUCCESS);
  A.ld = spread.Rows();
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
    if (with_reduced) PetscCallCUDA(launch_reduced_load_both(A, reduced.Arrays(), note, note + 1, stream));
    else PetscCallCUDA(launch_grid_load(A, B, slab.levels[0], note, stream));
  }
#endif
  if (where == Where::host) grid_load_host(A, nullptr, slab, report);
  for (int l = 0; l < count; l++) {
    PetscCall(exchange->Neighbours(l, GridArray::coef, division.beside[l]));
    if (where == Where::host) grid_coarsen_host(slab, l);
#if PetscDefined(HAVE_CUDA)
    else {
      const MetricsPass metrics(true, [&] { return grid_coarsen_cost(B, slab.levels[l], slab.levels[l + 1]); });
      PetscCallCUDA(launch_grid_coarsen(B, slab.levels[l], slab.levels[l + 1], stream));
    }
#endif
  }
  PetscCall(exchange->ToFirst(GridArray::coef));
  if (where == Where::host) grid_factor_host(slab, count, report);
#if PetscDefined(HAVE_CUDA)
  else {
    const MetricsPass metrics(true, [&] { return grid_factor_cost(B, slab.levels); });
    PetscCallCUDA(launch_grid_factor(B, std::vector<GridLevel<Real>>(slab.levels.begin(), slab.levels.end() - 1), slab_levels.At(where), note, stream));
    if (with_reduced) PetscCallCUDA(launch_reduced_factor(reduced.Arrays(), note + 1, stream));
    factored_reduced = with_reduced;
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode DividedHierarchy<Real>::Factor(GridReport *report)
{
  GridReport mine, of_first;

  PetscFunctionBegin;
  PetscCall(SlabLevels(&mine));
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

static GridArray array_of(const GridStage &s)
{
  return s.array == GridStage::b ? GridArray::b : s.array == GridStage::d ? GridArray::d : GridArray::x;
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
      else PetscCall(exchange->Neighbours(s.level, array_of(s), GridDivision::sent));
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
  GridSlabs<Real> *const others = exchange->Slabs();

  PetscFunctionBegin;
  launches = 5; /* to and from the solver */
  {
    const MetricsPass metrics(true, [&] { return grid_edge_cost(slab, "right-hand side taken"); });
    PetscCallCUDA(launch_grid_take(slab.B, slab.levels[0], slab.natural, piece.in, stream));
  }
  for (const GridStage &s : stages) {
    for (int k = s.from; s.kind == GridStage::steps && k < s.to; k++) {
      const MetricsPass metrics(true, [&] { return grid_step_cost(slab, slab.plan.steps[k]); });
      PetscCallCUDA(launch_grid_step(slab, slab.plan.steps[k], &launches, stream));
    }
    if (s.kind == GridStage::exchange) PetscCall(others->Beside(s.level, array_of(s), GridDivision::sent, stream));
    if (s.kind == GridStage::behind) {
      PetscCall(others->Down(stream));
      PetscCallCUDA(executor.LaunchSteps(behind, &launches, stream));
      PetscCall(others->Up(stream));
    }
    launches += s.kind == GridStage::steps ? 0 : 2;
  }
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
  return code ? cudaErrorUnknown : cudaSuccess; /* PETSc has told the error */
}

/* As GridDevice::Record() does it: kernels have been loaded before */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::Record()
{
  cudaStream_t   capture;
  cudaGraph_t    made = nullptr;
  PetscErrorCode code = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCallCUDA(cudaStreamCreateWithFlags(&capture, cudaStreamNonBlocking));
  cudaError_t err = cudaStreamBeginCapture(capture, cudaStreamCaptureModeThreadLocal);
  if (err == cudaSuccess) {
    code = LaunchBetween(capture);
    err  = cudaStreamEndCapture(capture, &made);
  }
  if (err == cudaSuccess && !code) err = cudaGraphInstantiate(&graph, made, 0);
  if (made) (void)cudaGraphDestroy(made);
  (void)cudaStreamDestroy(capture);
  if (err != cudaSuccess) (void)cudaGetLastError(); /* that of the recording */
  PetscCall(code);
  PetscCallCUDA(err);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By launches the first time, then by a graph */
template <class Real>
PetscErrorCode DividedHierarchy<Real>::ApplyAlone(Vec x, Vec y)
{
  GridSlabs<Real> *const others = exchange->Slabs();
  const PetscScalar     *xx;
  PetscScalar           *yy;
  GridStream             stream;

  PetscFunctionBegin;
  PetscCall(others->Stream(&stream));
  PetscCall(VecGetArrayReadAndMemType(x, &xx, NULL));
  PetscCall(VecGetArrayWriteAndMemType(y, &yy, NULL));
  if (begun && !graph) PetscCall(Record());
  PetscCall(others->In(xx, false, stream));
  if (graph) PetscCallCUDA(cudaGraphLaunch(graph, stream));
  else PetscCall(LaunchBetween(stream));
  PetscCall(others->Out(yy, stream));
  begun = true;
  PetscCall(VecRestoreArrayWriteAndMemType(y, &yy));
  PetscCall(VecRestoreArrayReadAndMemType(x, &xx));
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

    why_not  = !all.reaches          ? "the processes exchange messages"
               : !exchange->Slabs()  ? "some processes have no slab or no rows"
               : division.levels > 1 ? "several levels are divided"
               : !all.reduced        ? "slabs are too narrow, or there are several sweeps or several unknowns per cell"
                                     : grid_reduced_why_not(slab);
    A.values = piece.values;
    A.ld     = spread.Rows();
    reduced.SetSlab({exchange->Slabs(), &piece, division.Rows(plan, 0, rank)});
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
    view.push_back({plan.levels[l], static_cast<std::size_t>(L.K) * L.J * L.I,
                    L.cells * (static_cast<std::size_t>(L.slots()) * B * B + (plan.changes ? 3 : 2) * B) * sizeof(Real), 0});
  }
  return view;
}

} // namespace

std::unique_ptr<GridDivided> GridDivided::Make(bool single)
{
  if (single) return std::make_unique<DividedHierarchy<float>>();
  return std::make_unique<DividedHierarchy<double>>();
}

} // namespace heptane
