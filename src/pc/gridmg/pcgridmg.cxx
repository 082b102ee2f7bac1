/*
   PCGRIDMG as a PETSc type: options, application, view.
*/
#include "pcgridmg.hpp"
#include "../../pass/offers/pc_carry.hpp"
#include "../../pass/offers/placement.hpp"
#include "../../sys/number_options.hpp"
#include "../../sys/petsc_compat.hpp"
#include "context.hpp"
#include "../../private/pc.hpp"
#include <heptane.h>
#include <climits>

namespace heptane
{

namespace
{

const char *const cycles[]     = {"v", "w", "f"};
const char *const axes[]       = {"auto", "x", "y", "z"};
const char *const asked[]      = {"auto", "single", "double"};
constexpr int     most_smooths = 1000;

PetscErrorCode PCApply_GridMG(PC pc, Vec x, Vec y)
{
  GridMG *c = grid_mg(pc);

  PetscFunctionBegin;
  PetscCall(grid_mg_choose(pc, NULL, NULL));
  if (pc->failedreason) { /* as MatSolve() does for failed factors: a solver must not use this as a correction */
    PetscCall(VecFlag(y, 1));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (c->distribution.Is(GridDistribution::slabs)) PetscCall(c->divided->Apply(x, y));
  else if (c->distribution.Is(GridDistribution::root)) PetscCall(c->root_grid.Apply(c->hierarchy.get(), x, y));
  else if (c->hierarchy) PetscCall(c->hierarchy->Apply(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCPreSolve_GridMG(PC pc, KSP ksp, Vec b, Vec x)
{
  PetscErrorCode (*staged)(KSP, Vec *, Vec *);
  PetscBool keeps_guess;
  bool      changed;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPBCGS, &keeps_guess));
  if (keeps_guess && ksp->guess_zero) PetscCall((*ksp->ops->reset)(ksp)); /* it adds the guess of an earlier solve too, as fixed values are */
  PetscCall(PetscObjectQueryFunction((PetscObject)ksp, staged_name, &staged));
  if (staged) PetscCall((*staged)(ksp, &b, &x));
  grid_mg(pc)->root_grid.Unlink(); /* NCCL is for solves that ask for it */
  PetscCall(grid_mg_exchange_changed(grid_mg(pc), &changed));
  if (changed) PetscCall(grid_mg_set_up_again(pc, ksp));
  if (grid_mg(pc)->divided) PetscCall(grid_mg(pc)->divided->Reconnect());
  PetscCall(SetUpIfChanged(pc, ksp));
  PetscCall(grid_mg_choose(pc, ksp, x)); /* first, because it reads the initial guess of the program */
  PetscCall(grid_mg(pc)->fixed.PreSolve(pc, ksp, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* after a timeout the result is NaN */
PetscErrorCode PCPostSolve_GridMG(PC pc, KSP ksp, Vec, Vec)
{
  PetscFunctionBegin;
  PetscCall(grid_mg(pc)->fixed.PostSolve(pc, ksp));
  if (grid_mg(pc)->divided) PetscCall(grid_mg(pc)->divided->Check());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Composed as pc_passes_name */
PetscErrorCode GetPasses(PC pc, PcPasses **passes)
{
  GridMG *c = grid_mg(pc);

  PetscFunctionBegin;
  *passes = nullptr;
  if (pc->failedreason) PetscFunctionReturn(PETSC_SUCCESS); /* PCApply() reports it */
  if (c->distribution.Is(GridDistribution::slabs)) *passes = c->divided->Passes();
  else if (c->distribution.Is(GridDistribution::root)) *passes = c->root_grid.Passes();
  else if (c->hierarchy) *passes = c->hierarchy->Passes();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Composed as pc_by_nccl_name */
PetscErrorCode ByNccl(PC pc, PetscBool device, PetscBool *by_nccl)
{
  GridMG *c = grid_mg(pc);

  PetscFunctionBegin;
  *by_nccl = PETSC_FALSE;
  if (pc->failedreason) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->distribution.Is(GridDistribution::slabs)) *by_nccl = (PetscBool)(c->divided->ByNccl() && c->divided->OnDevice() == (bool)device);
  if (!c->distribution.Is(GridDistribution::root)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(c->root_grid.LinkNccl(pc->pmat, c->hierarchy.get(), device ? Where::device : Where::host, c->root_runs[device], by_nccl));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* V and W cycles are symmetric if the matrix is */
PetscErrorCode PCApplyTranspose_GridMG(PC pc, Vec x, Vec y)
{
  PetscBool known, symmetric;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(pc->pmat, &known, &symmetric));
  PetscCheck(known && symmetric, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "PCGRIDMG has no transpose for a matrix that is not known to be symmetric: call MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE)");
  PetscCheck(grid_mg(pc)->options.cycle != GridCycle::f, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "An F cycle has no transpose: use -pc_gridmg_cycle v or w");
  PetscCall(PCApply_GridMG(pc, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCReset_GridMG(PC pc)
{
  PetscFunctionBegin;
  grid_mg_forget_precision(grid_mg(pc));
  grid_mg_forget(grid_mg(pc));
  PetscCall(grid_mg(pc)->root_grid.Reset());
  PetscCall(grid_mg(pc)->fixed.Reset());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCDestroy_GridMG(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCReset_GridMG(pc));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, pc_passes_name, NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, pc_by_nccl_name, NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, reduced_cg_name, NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, pc_carry_name, NULL));
  delete grid_mg(pc);
  pc->data = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool same(const GridOptions &a, const GridOptions &b)
{
  return a.cycle == b.cycle && a.line_axis == b.line_axis && a.threshold == b.threshold && a.levels == b.levels && a.smooths == b.smooths && a.half == b.half &&
         a.dense == b.dense;
}

/* Other settings than it has: the next set-up begins anew */
PetscErrorCode SetSettings(PC pc, const GridOptions &o, const PetscInt grid[3], PetscInt divide, GridPrecision precision)
{
  GridMG *c = grid_mg(pc);

  PetscFunctionBegin;
  if (same(o, c->options) && c->divide == divide && c->precision == precision && std::equal(grid, grid + 3, c->grid)) PetscFunctionReturn(PETSC_SUCCESS);
  c->options   = o;
  c->divide    = divide;
  c->precision = precision;
  std::copy(grid, grid + 3, c->grid);
  pc->setupcalled = PETSC_FALSE;
  PetscCall(PCReset_GridMG(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Composed as pc_carry_name: the grid as the other one's DMDA or options give it */
PetscErrorCode CarrySettings(PC from, PC to, std::string *why)
{
  const GridMG *c = grid_mg(from);
  PetscInt      grid[3];

  PetscFunctionBegin;
  PetscCall(grid_mg_grid_of_rows(from, grid, why));
  if (!to || !why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  grid_mg(to)->reduced = c->reduced;
  PetscCall(SetSettings(to, c->options, grid, c->divide, c->precision));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetFromOptions_GridMG(PC pc, PetscOptionItems PetscOptionsObject)
{
  GridMG     *c     = grid_mg(pc);
  GridOptions o     = c->options;
  PetscInt    cycle = (PetscInt)o.cycle, line = o.line_axis + 1, precision = (PetscInt)c->precision, levels = o.levels, smooths = o.smooths, count = 3;
  PetscInt    grid[3] = {c->grid[0], c->grid[1], c->grid[2]}, divide = c->divide;
  PetscReal   threshold = (PetscReal)o.threshold;
  PetscBool   given, half = (PetscBool)o.half, dense = (PetscBool)o.dense;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Structured multigrid");
  PetscCall(PetscOptionsEList("-pc_gridmg_cycle", "The cycle", "PCGRIDMG", cycles, 3, cycles[cycle], &cycle, NULL));
  PetscCall(PetscOptionsEList("-pc_gridmg_precision", "Precision of the cycle", "PCGRIDMG", asked, 3, asked[precision], &precision, NULL));
  PetscCall(OptionIntArray(PetscOptionsObject, "-pc_gridmg_grid",
                           "Cells along each axis, the axis of the numbering first; by default from a DMDA or the offsets", "PCGRIDMG", 1, INT_MAX, grid,
                           &count, &given));
  if (given) std::fill(grid + count, grid + 3, 1);
  PetscCall(PetscOptionsEList("-pc_gridmg_line_axis", "Axis of the lines that are solved exactly", "PCGRIDMG", axes, 4, axes[line], &line, NULL));
  PetscCall(OptionReal(PetscOptionsObject, "-pc_gridmg_threshold",
                       "An axis is coarsened if its mean coupling times this reaches the strongest coupling across lines", "PCGRIDMG", 1, no_bound,
                       &threshold));
  PetscCall(OptionInt(PetscOptionsObject, "-pc_gridmg_levels", "Largest number of levels; 0: until one line is left", "PCGRIDMG", 0, INT_MAX, &levels));
  PetscCall(
    OptionInt(PetscOptionsObject, "-pc_gridmg_smooths", "Sweeps on each level before and after the coarse correction", "PCGRIDMG", 1, most_smooths, &smooths));
  PetscCall(OptionInt(PetscOptionsObject, "-pc_gridmg_divide",
                      "Finest levels that are divided among the processes; 0: none, the grid is on the first process; -1: by an estimate", "PCGRIDMG", -1,
                      INT_MAX, &divide));
  PetscCall(PetscOptionsBool("-pc_gridmg_reduced", "fusedcg may leave out the columns that a cycle ends with", "PCGRIDMG", c->reduced, &c->reduced, NULL));
  PetscCall(PetscOptionsBool("-pc_gridmg_half", "Couplings across lines in 16 bits if the cycle is in single precision", "PCGRIDMG", half, &half, NULL));
  PetscCall(PetscOptionsBool("-pc_gridmg_dense", "Lines with remainder entries (wells) that couple cells of one line are solved exactly, by an inverse",
                             "PCGRIDMG", dense, &dense, NULL));
  PetscOptionsHeadEnd();
  o.cycle     = static_cast<GridCycle>(cycle);
  o.line_axis = (int)line - 1;
  o.threshold = (double)threshold;
  o.levels    = (int)levels;
  o.smooths   = (int)smooths;
  o.half      = (bool)half;
  o.dense     = (bool)dense;
  PetscCall(SetSettings(pc, o, grid, divide, static_cast<GridPrecision>(precision)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line per level. divided: number of the levels that are in slabs of several processes */
template <class Hierarchy>
PetscErrorCode ViewLevels(const Hierarchy &h, int divided, PetscViewer viewer)
{
  const GridPlan &p      = h.Planned();
  int             number = 0;

  PetscFunctionBegin;
  for (const GridLevelView &l : h.View()) {
    const char *const paired        = l.extent.pair_j && l.extent.pair_i ? "both axes"
                                      : l.extent.pair_j                  ? axes[1 + p.axis[1]]
                                      : l.extent.pair_i                  ? axes[1 + p.axis[2]]
                                                                         : "none";
    char              remainder[96] = "";

    if (l.remainder) PetscCall(PetscSNPrintf(remainder, sizeof(remainder), ", remainder: %d entries, %d lines solved with them", l.remainder, l.dense));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  level %d: %d x %d lines (%s, %s) of %d cells, coarsened along: %s, %.3g MB%s%s\n", number, l.extent.J,
                                     l.extent.I, axes[1 + p.axis[1]], axes[1 + p.axis[2]], l.extent.K, paired, 1e-6 * (double)l.bytes, remainder,
                                     number < divided ? ", divided" : ""));
    number++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A hierarchy: cycle, precision and levels in three lines; ascii_info_detail adds one per level */
template <class Hierarchy>
PetscErrorCode ViewHierarchy(PC pc, const Hierarchy &h, int divided, PetscViewer viewer)
{
  const GridMG     *c      = grid_mg(pc);
  const GridPlan   &p      = h.Planned();
  double            finest = 0, all = 0, bytes = 0;
  char              kernels[64] = "";
  int               levels      = 0;
  PetscViewerFormat format;

  PetscFunctionBegin;
  PetscCall(PetscViewerGetFormat(viewer, &format));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  cycle: %s, on the %s, lines along %s, %d sweep%s before and after the coarse correction\n",
                                   cycles[(int)c->options.cycle], h.OnDevice() ? "device" : "host", axes[1 + p.axis[0]], c->options.smooths,
                                   c->options.smooths == 1 ? "" : "s"));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  precision: %s%s%s\n", grid_precisions[!c->single],
                                   c->precision != GridPrecision::automatic ? " (-pc_gridmg_precision)"
                                   : c->why_precision.empty()               ? " until a solve needs the other one"
                                                                            : ", because ",
                                   c->precision == GridPrecision::automatic ? c->why_precision.c_str() : ""));
  for (const GridLevelView &l : h.View()) {
    if (finest == 0) finest = (double)l.cells;
    all += (double)l.cells;
    bytes += (double)l.bytes;
    levels++;
  }
  if (h.Launches()) PetscCall(PetscSNPrintf(kernels, sizeof(kernels), ", %d kernels per application", h.Launches()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  levels: %d, %.3g MB, operator complexity %.2f%s\n", levels, 1e-6 * bytes, all / finest, kernels));
  if (format == PETSC_VIEWER_ASCII_INFO_DETAIL) PetscCall(ViewLevels(h, divided, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_GridMG(PC pc, PetscViewer viewer)
{
  const GridMG *c = grid_mg(pc);
  PetscBool     ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  if (c->divided) {
    const GridDivision &d = c->divided->Divided();

    PetscCall(PetscViewerASCIIPrintf(viewer, "  processes: %d, finest %d levels divided in slabs along %s (%s), coarser levels on every process\n",
                                     d.processes(), d.levels, axes[1 + c->divided->Planned().axis[1]], c->divided->ByNccl() ? nccl_text : "memory to memory"));
    if (!c->divided->Remarks().empty()) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s\n", c->divided->Remarks().c_str()));
    PetscCall(ViewHierarchy(pc, *c->divided, d.levels, viewer));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!c->hierarchy) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  not yet set up\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (c->distribution.Is(GridDistribution::root))
    PetscCall(PetscViewerASCIIPrintf(viewer, "  processes: grid on the first process, vectors by %s: %s\n", c->root_grid.ByNccl() ? nccl_text : "messages",
                                     c->distribution.Why().c_str()));
  PetscCall(ViewHierarchy(pc, *c->hierarchy, 0, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCCreate_GridMG(PC pc)
{
  PetscFunctionBegin;
  pc->data                = new GridMG;
  pc->ops->setup          = PCSetUp_GridMG;
  pc->ops->apply          = PCApply_GridMG;
  pc->ops->applytranspose = PCApplyTranspose_GridMG;
  pc->ops->presolve       = PCPreSolve_GridMG;
  pc->ops->postsolve      = PCPostSolve_GridMG;
  pc->ops->reset          = PCReset_GridMG;
  pc->ops->destroy        = PCDestroy_GridMG;
  pc->ops->setfromoptions = PCSetFromOptions_GridMG;
  pc->ops->view           = PCView_GridMG;
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, pc_passes_name, GetPasses));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, pc_by_nccl_name, ByNccl));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, reduced_cg_name, grid_mg_reduced));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, pc_carry_name, CarrySettings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCGridMGRegister()
{
  PetscFunctionBegin;
  PetscCall(PCRegister(PCGRIDMG, PCCreate_GridMG));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
