/*
   The multigrid hierarchy: see hierarchy.hpp. One class for both precisions.
*/
#include "hierarchy.hpp"
#include "../../../device/vector_array.hpp"
#include "../host/host.hpp"
#include "../reduced/reduced.hpp"
#include "dense_lines.hpp"
#include "lists.hpp"
#include "scale.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../device/device.hpp"
#endif

namespace heptane
{

namespace
{

template <class Real>
class Hierarchy final : public GridHierarchy {
public:
  PetscErrorCode Plan(const BlockDiagonals &D, bool on_device, const GridShape &shape, const GridOptions &options) override;
  PetscErrorCode Factor(const BlockDiagonals &D, GridReport *report) override;
  PetscErrorCode Apply(Vec x, Vec y) override;
  PcPasses      *Passes() override;
  PetscErrorCode Reduced(const BlockDiagonals &D, ReducedCg **reduced, std::string *why) override;

  const GridPlan            &Planned() const override { return system.plan; }
  bool                       OnDevice() const override { return device; }
  std::vector<GridLevelView> View() const override;
  double                     Flops() const override;
  int                        Launches() const override;

private:
  Where          Place() const { return device ? Where::device : Where::host; }
  PetscErrorCode Means(const BlockDiagonals &D, const GridShape &shape, GridMeans *means);
  PetscErrorCode Allocate();
  PetscErrorCode Fill(const Scalar *remainder_values, bool with_reduced, GridReport *report);
  PetscErrorCode Cycle(const Scalar *x, Scalar *y);
  std::size_t    LevelReals(std::size_t l) const;

  bool                 device = false;
  std::uint64_t        number = 0; /* changes with each Plan() */
  GridSystem<Real>     system;
  GridMatrix           matrix; /* without its values */
  GridScale            scaling;
  GridListMemory       lists;
  GridDenseLines<Real> dense_lines;
  Buffer<Real>         memory;
  GridReducedCg<Real>  reduced;
  bool                 reduced_made = false; /* from these values */
  bool                 reduced_used = false; /* with these values */
  std::string          why_not;              /* there is none */
  VectorArray          of_x, of_y;           /* in an application */

#if PetscDefined(HAVE_CUDA)
  GridDevice<Real> executor;

  struct Launched final : PcPasses {
    const Hierarchy *of = nullptr;

    cudaError_t Launch(const Scalar *r, Scalar *z, cudaStream_t stream) const override { return of->executor.Launch(of->system, r, z, stream); }
    Stamp       Signature() const override { return Stamp::Of(of->number); }
    int         Launches() const override { return of->executor.Launches(); }
    double      Flops() const override { return of->Flops(); }
  } passes;
#endif
};

/* Of a level: coefficients, x, b, the change, remainder entries */
template <class Real>
std::size_t Hierarchy<Real>::LevelReals(std::size_t l) const
{
  const GridLevel<Real>     &L = system.levels[l];
  const GridRemainder<Real> &K = system.remainder[l];
  const std::size_t          B = static_cast<std::size_t>(system.B), pad = 64;

  return (L.cells * (static_cast<std::size_t>(L.slots()) * B * B + (system.plan.changes ? 3 : 2) * B) + K.entries + K.rows + pad - 1) / pad * pad;
}

template <class Real>
PetscErrorCode Hierarchy<Real>::Means(const BlockDiagonals &D, const GridShape &shape, GridMeans *means)
{
  GridMatrix A = matrix;

  PetscFunctionBegin;
  A.values = D.values;
  A.ld     = D.ld;
  for (int r = 0; r < 7; r++) A.diagonal[r] = shape.diagonal[r];
  if (!device) *means = grid_means_host(A, D.block, shape.cells());
#if PetscDefined(HAVE_CUDA)
  else PetscCall(executor.Means(A, D.block, shape.cells(), means));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode Hierarchy<Real>::Allocate()
{
  std::size_t total = 0;
  Real       *at;

  PetscFunctionBegin;
  for (std::size_t l = 0; l < system.levels.size(); l++) total += LevelReals(l);
  memory.Free();
  memory.Resize(total);
  PetscCall(memory.Zeros(Place(), &at)); /* a number that is multiplied by zero must be finite */
  for (std::size_t l = 0; l < system.levels.size(); l++) {
    GridLevel<Real>     &L = system.levels[l];
    GridRemainder<Real> &K = system.remainder[l];
    const std::size_t    B = static_cast<std::size_t>(system.B);

    L.coef  = at;
    L.x     = L.coef + static_cast<std::size_t>(L.slots()) * B * B * L.cells;
    L.b     = L.x + B * L.cells;
    L.d     = system.plan.changes ? L.b + B * L.cells : nullptr;
    K.value = L.b + (system.plan.changes ? 2 : 1) * B * L.cells;
    K.b     = K.value + K.entries;
    at += LevelReals(l);
  }
  system.end = at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode Hierarchy<Real>::Plan(const BlockDiagonals &D, bool on_device, const GridShape &shape, const GridOptions &options)
{
  GridMeans         means;
  std::vector<bool> has_remainder;

  PetscFunctionBegin;
  device       = on_device;
  reduced_made = false;
  number       = Stamp::NewNumber();
  system.B     = D.block;
  PetscCall(Means(D, shape, &means));
  system.plan  = grid_plan_levels(shape, options, means);
  scaling      = GridScale(means.diagonal);
  system.scale = matrix.scale = scaling.Of();
  system.levels               = grid_shape_levels<Real>(system.plan);
  for (GridLevel<Real> &L : system.levels) L.unknowns = D.block;
  for (int a = 0; a < 3; a++) {
    const int axis = system.plan.axis[a];

    matrix.stride[a] = system.natural.stride[a] = shape.stride[axis];
    for (int side = 0; side < 2; side++) matrix.diagonal[1 + 2 * a + side] = shape.diagonal[1 + 2 * axis + side];
  }
  matrix.diagonal[0]                             = shape.diagonal[0];
  const std::vector<GridRemainderList> remainder = grid_remainder_levels(D.block, grid_remainder_entries(D, shape, system.plan), system.plan);
  const std::vector<int>               dense     = options.dense ? grid_dense_lines(system.plan, D.block, remainder) : std::vector<int>(remainder.size(), 0);
  lists.Take(remainder);
  PetscCall(lists.View(Place(), &system.remainder));
  for (std::size_t l = 0; l < remainder.size(); l++) has_remainder.push_back(!remainder[l].row.empty() && !dense[l]);
  grid_plan_steps(options, has_remainder, &system.plan);
  grid_choose_half(options.half, &system);
  PetscCall(Allocate());
  PetscCall(dense_lines.Place(Place(), dense, remainder, &system));
#if PetscDefined(HAVE_CUDA)
  if (device) PetscCall(executor.Prepare(system));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the device also fills the arrays of CG without red columns if they were used: the matrix is read once */
template <class Real>
PetscErrorCode Hierarchy<Real>::Fill(const Scalar *remainder_values, [[maybe_unused]] bool with_reduced, GridReport *report)
{
  PetscFunctionBegin;
  reduced_made = reduced_used = false;
  if (!device) grid_setup_host(matrix, remainder_values, system, report);
#if PetscDefined(HAVE_CUDA)
  else {
    GridReport both[2];

    PetscCall(executor.Factor(matrix, remainder_values, system, with_reduced ? &reduced.Arrays() : nullptr, both));
    *report = both[0];
    if (with_reduced) why_not = GridReducedCg<Real>::WhyNot(both[1]);
    reduced_made = with_reduced;
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Repeats the set-up if the values need another scale, which is known after it. Recorded graphs become invalid. */
template <class Real>
PetscErrorCode Hierarchy<Real>::Factor(const BlockDiagonals &D, GridReport *report)
{
  bool another;

  PetscFunctionBegin;
  matrix.values = D.values;
  matrix.ld     = D.ld;
  PetscCall(scaling.Compute(matrix, system.B, static_cast<std::size_t>(D.rows / D.block), Place()));
  PetscCall(Fill(D.remainder_values, device && reduced_made && reduced_used, report));
  PetscCall(scaling.Renew(PETSC_COMM_SELF, &another));
  if (!another) PetscFunctionReturn(PETSC_SUCCESS);
  system.scale = matrix.scale = scaling.Of();
  number                      = Stamp::NewNumber();
  PetscCall(Fill(D.remainder_values, false, report));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x and y are in the memory space of the hierarchy */
template <class Real>
PetscErrorCode Hierarchy<Real>::Cycle(const Scalar *x, Scalar *y)
{
  PetscFunctionBegin;
  if (!device) {
    grid_cycle_host(system, x, y);
    PetscCall(PetscLogFlops(Flops()));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    PetscCall(PetscLogGpuTimeBegin());
    PetscCall(executor.Cycle(system, x, y));
    PetscCall(PetscLogGpuTimeEnd());
    PetscCall(PetscLogGpuFlops(Flops()));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode Hierarchy<Real>::Apply(Vec x, Vec y)
{
  const Scalar *xx;
  Scalar       *yy = nullptr;

  PetscFunctionBegin;
  PetscCall(of_x.Read(Place(), x, &xx));
  PetscCall(of_y.Write(Place(), y, false, &yy));
  PetscCall(Cycle(xx, yy));
  PetscCall(of_y.Restore());
  PetscCall(of_x.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
std::vector<GridLevelView> Hierarchy<Real>::View() const
{
  std::vector<GridLevelView> view;

  for (std::size_t l = 0; l < system.levels.size(); l++)
    view.push_back({system.plan.levels[l], static_cast<std::size_t>(system.levels[l].K) * system.levels[l].J * system.levels[l].I,
                    (LevelReals(l) + system.Dense(l).reals()) * sizeof(Real), system.remainder[l].entries, system.Dense(l).lines});
  return view;
}

/* Two for every coefficient that a step reads */
template <class Real>
double Hierarchy<Real>::Flops() const
{
  double flops = 0;

  for (const GridStep &s : system.plan.steps) {
    const GridLevel<Real> &L     = system.levels[s.level];
    const double           cells = 0.5 * L.K * L.J * L.I * system.B * system.B;

    if (s.op == GridOp::solve) flops += 2 * cells * (s.zero ? 3 : 7);
    if (s.op == GridOp::restrict) flops += 2 * cells * 4;
    if (s.op == GridOp::balance || s.op == GridOp::restrict) flops += 2.0 * system.remainder[s.level].entries;
  }
  return flops;
}

template <class Real>
PcPasses *Hierarchy<Real>::Passes()
{
#if PetscDefined(HAVE_CUDA)
  if (device) {
    passes.of = this;
    return &passes;
  }
#endif
  return nullptr;
}

template <class Real>
PetscErrorCode Hierarchy<Real>::Reduced(const BlockDiagonals &D, ReducedCg **to, std::string *why)
{
  const GridDevice<Real> *on = nullptr;

  PetscFunctionBegin;
  *to = nullptr;
#if PetscDefined(HAVE_CUDA)
  if (device) on = &executor;
#endif
  if (!reduced_made) {
    why_not       = grid_reduced_why_not(system);
    matrix.values = D.values;
    matrix.ld     = D.ld;
    if (why_not.empty()) PetscCall(reduced.SetUp(matrix, system, on, &why_not));
    reduced.SetNumber(number);
    reduced_made = true;
  }
  *why         = why_not;
  reduced_used = why_not.empty();
  if (reduced_used) *to = &reduced;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
int Hierarchy<Real>::Launches() const
{
#if PetscDefined(HAVE_CUDA)
  if (device) return executor.Launches();
#endif
  return 0;
}

} // namespace

std::unique_ptr<GridHierarchy> GridHierarchy::Make(bool single)
{
  if (single) return std::make_unique<Hierarchy<float>>();
  return std::make_unique<Hierarchy<double>>();
}

} // namespace heptane
