/*
   PCGRIDMG as PETSc sees it: options, what the matrix offers, failures, view. The hierarchy is made when the pattern is new, and filled again when values are.
*/
#include "pcgridmg.hpp"
#include "../../pass/stamp.hpp"
#include "gridmg_hierarchy.hpp"
#include "gridmg_tuning.hpp"
#include <heptane.h>
#include <petsc/private/matimpl.h>
#include <petsc/private/pcimpl.h>
#include <petscdmda.h>

namespace heptane
{

namespace
{

struct GridMG {
  GridOptions                    options;
  PetscInt                       grid[3] = {0, 0, 0};  /* 0: from the offsets */
  PetscBool                      single  = PETSC_TRUE; /* precision of the cycle */
  PetscBool                      reduced = PETSC_TRUE; /* CG may leave red columns out */
  std::unique_ptr<GridHierarchy> hierarchy;
  GridShape                      shape;
  Stamp                          planned_for;
  GridReport                     report;
};

const char *const cycles[]     = {"v", "w", "f"};
const char *const axes[]       = {"auto", "x", "y", "z"};
const char *const precisions[] = {"single", "double"};

GridMG *context(PC pc)
{
  return static_cast<GridMG *>(pc->data);
}

/* The block diagonals of the matrix, or an error */
PetscErrorCode Diagonals(PC pc, BlockDiagonals *D, PetscBool *device)
{
  PetscMPIInt           size;
  PetscInt              n, m;
  BlockDiagonalsSource *source;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)pc), &size));
  PetscCheck(size == 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_SUP,
             "PCGRIDMG works on the grid of one process: use -pc_type bjacobi -sub_pc_type gridmg, which has one grid for each process");
  PetscCall(PetscObjectContainerQuery((PetscObject)pc->pmat, block_diagonals_name, &source));
  PetscCall(MatGetSize(pc->pmat, &n, &m));
  PetscCheck(n == m, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "PCGRIDMG needs a square matrix, this one has %" PetscInt_FMT " rows and %" PetscInt_FMT " columns", n,
             m);
  *D = BlockDiagonals();
  if (source) PetscCall((*source->get)(pc->pmat, D, device));
  PetscCheck(
    source && (D->values || !n), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
    "PCGRIDMG works on the block diagonals of matrices of type bdiagh, this one is of type %s: use -mat_type bdiagh (-dm_mat_type bdiagh), or -pc_type gamg",
    ((PetscObject)pc->pmat)->type_name);
  PetscCheck(
    D->ndiag || !D->rem_row->size(), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
    "The matrix is not made of block diagonals (see -info, -mat_bdiagh_max_fill and -mat_bdiagh_max_remainder): number the cells of the grid line by line, or use -pc_type gamg");
  PetscCheck(D->block <= GridTuning::most_unknowns, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "PCGRIDMG is compiled for up to %d unknowns of a cell, the matrix has %d: use -pc_type pbjacobi or -pc_type gamg", GridTuning::most_unknowns,
             D->block);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The extents that the options give, or the DMDA of the matrix, or of the preconditioner; 0: nobody does */
PetscErrorCode Extents(PC pc, const BlockDiagonals &D, int wanted[3])
{
  DM        dm;
  PetscInt  n[3]       = {1, 1, 1};
  PetscBool structured = PETSC_FALSE;

  PetscFunctionBegin;
  std::copy(context(pc)->grid, context(pc)->grid + 3, wanted);
  PetscCall(MatGetDM(pc->pmat, &dm));
  if (!dm) dm = pc->dm; /* PCGetDM() would make one */
  if (dm) PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMDA, &structured));
  if (wanted[0] || !structured) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDAGetInfo(dm, NULL, n, n + 1, n + 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  if (n[0] * n[1] * n[2] == D.rows / D.block) std::copy(n, n + 3, wanted);
  else
    PetscCall(
      PetscInfo(pc, "The DMDA has %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " points and the matrix %d cells: the grid is that of the offsets\n",
                n[0], n[1], n[2], D.rows / D.block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Plan(PC pc, const BlockDiagonals &D, PetscBool device)
{
  GridMG *c = context(pc);
  int     wanted[3];

  PetscFunctionBegin;
  PetscCall(Extents(pc, D, wanted));
  const Stamp now = Stamp::Of(D.layout, D.rows, device, wanted[0], wanted[1], wanted[2]);
  if (c->hierarchy && c->planned_for == now) PetscFunctionReturn(PETSC_SUCCESS);
  const std::string why = grid_find_shape(D, wanted, &c->shape);
  PetscCheck(why.empty(), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "%s", why.c_str());
  c->planned_for.Clear();
  c->hierarchy = GridHierarchy::Make(c->single);
  PetscCall(c->hierarchy->Plan(D, device, c->shape, c->options));
  c->planned_for = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is wrong with the matrix, as other preconditioners tell it: an error where the options are wrong or PETSc asks for one, otherwise a reason */
PetscErrorCode Failure(PC pc)
{
  const GridMG     *c      = context(pc);
  const GridReport &report = c->report;
  const int        *n      = c->shape.extent;

  PetscFunctionBegin;
  pc->failedreason          = PC_NOERROR;
  pc->pmat->factorerrortype = MAT_FACTOR_NOERROR;
  PetscCheck(
    !report.count[grid_not_neighbours], PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
    "%llu cells, the first is cell %llu, are coupled with cells that are no neighbours in a grid of %d x %d x %d (periodic, or of other extents): give the extents with "
    "-pc_gridmg_grid nx,ny,nz, or use -pc_type gamg",
    report.count[grid_not_neighbours], report.first[grid_not_neighbours], n[0], n[1], n[2]);
  if (report.count[grid_singular])
    PetscCall(PetscInfo(pc, "%llu lines of all levels are singular: one cell of each stays as it is\n", report.count[grid_singular]));
  if (report.count[grid_not_finite]) {
    PetscCheck(!pc->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_FP, "%llu cells, the first is cell %llu, have values that are not finite in %s precision%s",
               report.count[grid_not_finite], report.first[grid_not_finite], precisions[!c->single], c->single ? ": try -pc_gridmg_precision double" : "");
    PetscCall(PetscInfo(pc, "%llu cells, the first is cell %llu, have values that are not finite in %s precision\n", report.count[grid_not_finite],
                        report.first[grid_not_finite], precisions[!c->single]));
    pc->failedreason          = PC_FACTOR_OTHER;
    pc->pmat->factorerrortype = MAT_FACTOR_OTHER;
  } else if (report.count[grid_zero_row]) {
    PetscCheck(!pc->erroriffailure, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
               "%llu cells, the first is cell %llu, have rows of zeros: put ones on their diagonal (MatZeroRowsColumns())", report.count[grid_zero_row],
               report.first[grid_zero_row]);
    PetscCall(PetscInfo(pc, "%llu cells, the first is cell %llu, have rows of zeros\n", report.count[grid_zero_row], report.first[grid_zero_row]));
    pc->failedreason                      = PC_FACTOR_NUMERIC_ZEROPIVOT;
    pc->pmat->factorerrortype             = MAT_FACTOR_NUMERIC_ZEROPIVOT;
    pc->pmat->factorerror_zeropivot_value = 0;
    pc->pmat->factorerror_zeropivot_row   = (PetscInt)report.first[grid_zero_row] * pc->pmat->rmap->bs;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetUp_GridMG(PC pc)
{
  GridMG        *c = context(pc);
  BlockDiagonals D;
  PetscBool      device = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(Diagonals(pc, &D, &device));
  if (!D.rows) {
    c->hierarchy.reset();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Plan(pc, D, device));
  PetscCall(c->hierarchy->Factor(D, &c->report));
  PetscCall(Failure(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApply_GridMG(PC pc, Vec x, Vec y)
{
  PetscFunctionBegin;
  if (context(pc)->hierarchy) PetscCall(context(pc)->hierarchy->Apply(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Composed as pc_passes_name */
PetscErrorCode GetPasses(PC pc, PcPasses **passes)
{
  PetscFunctionBegin;
  *passes = context(pc)->hierarchy ? context(pc)->hierarchy->Passes() : nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Composed as reduced_cg_name */
PetscErrorCode GetReduced(PC pc, PetscBool device, ReducedCg **reduced, std::string *why)
{
  GridMG        *c = context(pc);
  BlockDiagonals D;
  PetscBool      there = PETSC_FALSE;
  int            grid[3];

  PetscFunctionBegin;
  *reduced = nullptr;
  if (!c->reduced) *why = "-pc_gridmg_reduced no";
  else if (!c->hierarchy || pc->failedreason) *why = "the preconditioner is not set up";
  else if (c->hierarchy->OnDevice() != (bool)device) *why = "vectors and matrix are not in one place";
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Diagonals(pc, &D, &there));
  PetscCall(Extents(pc, D, grid));
  if (c->planned_for == Stamp::Of(D.layout, D.rows, there, grid[0], grid[1], grid[2])) PetscCall(c->hierarchy->Reduced(D, reduced, why));
  else *why = "the matrix has another layout by now";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* V and W cycles are symmetric where the matrix is */
PetscErrorCode PCApplyTranspose_GridMG(PC pc, Vec x, Vec y)
{
  PetscBool known, symmetric;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(pc->pmat, &known, &symmetric));
  PetscCheck(known && symmetric, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "PCGRIDMG has no transpose but for matrices that are known to be symmetric: MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE) tells so");
  PetscCheck(context(pc)->options.cycle != GridCycle::f, PETSC_COMM_SELF, PETSC_ERR_SUP, "An F cycle has no transpose: use -pc_gridmg_cycle v or w");
  PetscCall(PCApply_GridMG(pc, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCReset_GridMG(PC pc)
{
  PetscFunctionBegin;
  context(pc)->hierarchy.reset();
  context(pc)->planned_for.Clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCDestroy_GridMG(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCReset_GridMG(pc));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, pc_passes_name, NULL));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, reduced_cg_name, NULL));
  delete context(pc);
  pc->data = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetFromOptions_GridMG(PC pc, PetscOptionItems PetscOptionsObject)
{
  GridMG     *c     = context(pc);
  GridOptions o     = c->options;
  PetscInt    cycle = (PetscInt)o.cycle, line = o.line_axis + 1, precision = !c->single, levels = o.levels, smooths = o.smooths, count = 3;
  PetscInt    grid[3]   = {c->grid[0], c->grid[1], c->grid[2]};
  PetscReal   threshold = (PetscReal)o.threshold;
  PetscBool   given, log = (PetscBool)o.log;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Structured multigrid");
  PetscCall(PetscOptionsEList("-pc_gridmg_cycle", "The cycle", "PCGRIDMG", cycles, 3, cycles[cycle], &cycle, NULL));
  PetscCall(PetscOptionsEList("-pc_gridmg_precision", "Precision of the cycle", "PCGRIDMG", precisions, 2, precisions[precision], &precision, NULL));
  PetscCall(PetscOptionsIntArray("-pc_gridmg_grid", "Cells along the axes, that of the numbering first; where the offsets do not show them", "PCGRIDMG", grid,
                                 &count, &given));
  PetscCall(PetscOptionsEList("-pc_gridmg_line_axis", "The axis whose lines are solved", "PCGRIDMG", axes, 4, axes[line], &line, NULL));
  PetscCall(PetscOptionsReal("-pc_gridmg_threshold", "An axis is coarsened if its mean coupling times this reaches that of the strongest one across lines",
                             "PCGRIDMG", threshold, &threshold, NULL));
  PetscCall(PetscOptionsBoundedInt("-pc_gridmg_levels", "Most levels, 0 for as many as it takes to one line", "PCGRIDMG", levels, &levels, NULL, 0));
  PetscCall(PetscOptionsBoundedInt("-pc_gridmg_smooths", "Sweeps on each level before and after the correction", "PCGRIDMG", smooths, &smooths, NULL, 1));
  PetscCall(PetscOptionsBool("-pc_gridmg_reduced", "CG of type fusedcg leaves out the columns that a cycle ends with, where it can", "PCGRIDMG", c->reduced,
                             &c->reduced, NULL));
  PetscCall(PetscOptionsBool("-pc_gridmg_log", "Log events of every level: a cycle runs step by step", "PCGRIDMG", log, &log, NULL));
  PetscOptionsHeadEnd();
  PetscCheck(threshold >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "-pc_gridmg_threshold %g must be at least 1: the strongest axis is coarsened", (double)threshold);
  for (int a = 0; a < 3; a++) {
    if (given && a >= count) grid[a] = 1;
    PetscCheck(!given || grid[a] >= 1, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
               "-pc_gridmg_grid: %" PetscInt_FMT " cells along an axis must be at least 1", grid[a]);
  }
  o.cycle     = static_cast<GridCycle>(cycle);
  o.line_axis = (int)line - 1;
  o.threshold = (double)threshold;
  o.levels    = (int)levels;
  o.smooths   = (int)smooths;
  o.log       = (bool)log;
  if (o.cycle == c->options.cycle && o.line_axis == c->options.line_axis && o.threshold == c->options.threshold && o.levels == c->options.levels &&
      o.smooths == c->options.smooths && o.log == c->options.log && c->single == !precision && std::equal(grid, grid + 3, c->grid))
    PetscFunctionReturn(PETSC_SUCCESS);
  c->options = o;
  c->single  = (PetscBool)!precision;
  std::copy(grid, grid + 3, c->grid);
  pc->setupcalled = PETSC_FALSE;
  PetscCall(PCReset_GridMG(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_GridMG(PC pc, PetscViewer viewer)
{
  const GridMG *c = context(pc);
  PetscBool     ascii;
  double        finest = 0, all = 0;
  char          kernels[64] = "";

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  if (!c->hierarchy) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  not yet set up\n"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const GridHierarchy &h = *c->hierarchy;
  const GridPlan      &p = h.Planned();
  PetscCall(PetscViewerASCIIPrintf(viewer, "  %s cycle in %s precision on the %s, %d sweeps before and after, lines along %s\n", cycles[(int)c->options.cycle],
                                   precisions[!c->single], h.OnDevice() ? "device" : "host", c->options.smooths, axes[1 + p.axis[0]]));
  for (const GridLevelView &l : h.View()) {
    char links[64] = "";

    if (l.links) PetscCall(PetscSNPrintf(links, sizeof(links), ", %d entries beside the diagonals", l.links));
    PetscCall(PetscViewerASCIIPrintf(viewer, "  level: lines of %d cells, %d x %d of them (%s, %s)%s%s, %.3g MB%s\n", l.extent.K, l.extent.J, l.extent.I,
                                     axes[1 + p.axis[1]], axes[1 + p.axis[2]], l.extent.pair_j ? ", paired along the first" : "",
                                     l.extent.pair_i ? ", paired along the last" : "", 1e-6 * (double)l.bytes, links));
    if (finest == 0) finest = (double)l.cells;
    all += (double)l.cells;
  }
  if (h.Launches()) PetscCall(PetscSNPrintf(kernels, sizeof(kernels), ", %d kernels per application", h.Launches()));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  operator complexity %.2f%s\n", all / finest, kernels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCCreate_GridMG(PC pc)
{
  PetscFunctionBegin;
  pc->data                = new GridMG;
  pc->ops->setup          = PCSetUp_GridMG;
  pc->ops->apply          = PCApply_GridMG;
  pc->ops->applytranspose = PCApplyTranspose_GridMG;
  pc->ops->reset          = PCReset_GridMG;
  pc->ops->destroy        = PCDestroy_GridMG;
  pc->ops->setfromoptions = PCSetFromOptions_GridMG;
  pc->ops->view           = PCView_GridMG;
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, pc_passes_name, GetPasses));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, reduced_cg_name, GetReduced));
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
