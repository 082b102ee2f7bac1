/*
   The set-up of PCGRIDMG: diagonals of the matrix, place of the grid, failures. A new pattern makes a new hierarchy,
   new values refill it.
*/
#include "context.hpp"
#include "grid/numbering.hpp"
#include "grid/tuning.hpp"
#include "../../private/mat.hpp"
#include <heptane.h>
#include <petscdmda.h>

namespace heptane
{

void grid_mg_forget(GridMG *c)
{
  c->hierarchy.reset();
  c->planned_for.Clear();
  c->divided.reset();
  c->distribution_for.Clear();
}

namespace
{

const char unsupported_type[] =
  "PCGRIDMG works on the block diagonals of matrices of type bdiagh, this one is of type %s: use -mat_type bdiagh (-dm_mat_type bdiagh), or -pc_type gamg";

/* The result of a set-up on the process that has the grid, for all processes: an error, or a reason */
struct Outcome {
  PetscErrorCode     code = PETSC_SUCCESS;
  char               text[800]; /* of the error */
  PCFailedReason     failed   = PC_NOERROR;
  MatFactorError     factor   = MAT_FACTOR_NOERROR;
  unsigned long long zero_row = 0;              /* the first one of the cell, in the numbering of the grid */
  bool               fixed    = false;          /* rows of fixed values may exist */
  bool               runs[2]  = {false, false}; /* see GridMG::root_runs */

  bool Good() const { return code == PETSC_SUCCESS; }
};

/* Raises an error on all processes if a condition does not hold */
#define OutcomeCheck(good, outcome, error, ...) \
  do { \
    if (!(good)) { \
      (outcome)->code = (error); \
      PetscCall(PetscSNPrintf((outcome)->text, sizeof((outcome)->text), __VA_ARGS__)); \
      PetscFunctionReturn(PETSC_SUCCESS); \
    } \
  } while (0)

/* The DMDA whose points number the cells, or NULL */
PetscErrorCode Structured(PC pc, DM *grid, PetscInt n[3], PetscInt *unknowns)
{
  PetscBool structured = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(MatGetDM(pc->pmat, grid));
  if (!*grid) *grid = pc->dm; /* PCGetDM() would create one */
  if (*grid) PetscCall(PetscObjectTypeCompare((PetscObject)*grid, DMDA, &structured));
  if (!structured) *grid = NULL;
  if (*grid) PetscCall(DMDAGetInfo(*grid, NULL, n, n + 1, n + 2, NULL, NULL, NULL, unknowns, NULL, NULL, NULL, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The DMDA that numbers the rows of a matrix of several processes, or NULL if they have the numbers of the grid */
PetscErrorCode Numbering(PC pc, DM *grid)
{
  PetscInt  n[3] = {1, 1, 1}, unknowns = 1, rows;
  PetscBool ours;
  bool      natural = false;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc->pmat, MATMPIAIJBDIAGH, &ours));
  PetscCheck(ours, PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONG, unsupported_type, ((PetscObject)pc->pmat)->type_name);
  PetscCall(MatGetSize(pc->pmat, &rows, NULL));
  PetscCall(Structured(pc, grid, n, &unknowns));
  if (n[0] * n[1] * n[2] * unknowns != rows) *grid = NULL;
  if (*grid) PetscCall(grid_numbers_are_natural(*grid, &natural));
  if (natural) *grid = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The block diagonals of the matrix */
PetscErrorCode Diagonals(Mat A, BlockDiagonals *D, PetscBool *device, Outcome *outcome)
{
  PetscInt              n;
  BlockDiagonalsSource *source;

  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)A, block_diagonals_name, &source));
  PetscCall(MatGetSize(A, &n, NULL));
  *D = BlockDiagonals();
  if (source) PetscCall((*source->get)(A, D, device));
  else *device = PETSC_FALSE;
  OutcomeCheck(source && (D->values || !n), outcome, PETSC_ERR_ARG_WRONG, unsupported_type, ((PetscObject)A)->type_name);
  OutcomeCheck(
    D->ndiag || !D->remainder_row->size(), outcome, PETSC_ERR_ARG_WRONG,
    "The matrix is not made of block diagonals (see -info, -mat_bdiagh_max_fill and -mat_bdiagh_max_remainder): number the cells of the grid line by line, or use -pc_type gamg");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The extents from the options, or from the DMDA of the matrix or of the preconditioner; 0: unknown */
PetscErrorCode Extents(PC pc, PetscInt cells, int wanted[3])
{
  DM       dm;
  PetscInt n[3] = {1, 1, 1}, unknowns;

  PetscFunctionBegin;
  std::copy(grid_mg(pc)->grid, grid_mg(pc)->grid + 3, wanted);
  PetscCall(Structured(pc, &dm, n, &unknowns));
  if (wanted[0] || !dm) PetscFunctionReturn(PETSC_SUCCESS);
  if (n[0] * n[1] * n[2] == cells) std::copy(n, n + 3, wanted);
  else
    PetscCall(PetscInfo(pc,
                        "The DMDA has %" PetscInt_FMT " x %" PetscInt_FMT " x %" PetscInt_FMT " points and the matrix %" PetscInt_FMT
                        " cells: the grid is that of the offsets\n",
                        n[0], n[1], n[2], cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Plan(PC pc, const BlockDiagonals &D, PetscBool device, Outcome *outcome)
{
  GridMG   *c = grid_mg(pc);
  GridShape shape;
  int       wanted[3];

  PetscFunctionBegin;
  PetscCall(Extents(pc, D.rows / D.block, wanted));
  const Stamp now = Stamp::Of(D.layout, D.rows, device, wanted[0], wanted[1], wanted[2]);
  if (c->hierarchy && c->planned_for == now) PetscFunctionReturn(PETSC_SUCCESS);
  const std::string why = grid_find_shape(D, wanted, &shape);
  OutcomeCheck(why.empty(), outcome, PETSC_ERR_ARG_WRONG, "%s", why.c_str());
  c->planned_for.Clear();
  c->shape     = shape;
  c->hierarchy = GridHierarchy::Make(c->single);
  PetscCall(c->hierarchy->Plan(D, device, c->shape, c->options));
  c->planned_for = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reports defects of the matrix as other preconditioners do: an error if the options are wrong or if PETSc requests
   errors, otherwise a reason */
PetscErrorCode Failure(PC pc, int block, Outcome *outcome)
{
  const GridMG     *c      = grid_mg(pc);
  const GridReport &report = c->report;
  const int        *n      = c->shape.extent;

  PetscFunctionBegin;
  OutcomeCheck(
    !report.count[grid_not_neighbours], outcome, PETSC_ERR_ARG_WRONG,
    "%llu cells, the first is cell %llu, are coupled with cells that are no neighbours in a grid of %d x %d x %d (periodic, or of other extents): give the extents with "
    "-pc_gridmg_grid nx,ny,nz, or use -pc_type gamg",
    report.count[grid_not_neighbours], report.first[grid_not_neighbours], n[0], n[1], n[2]);
  if (report.count[grid_singular])
    PetscCall(PetscInfo(pc, "%llu lines of all levels are singular: one cell of each stays as it is\n", report.count[grid_singular]));
  if (report.count[grid_not_finite]) {
    OutcomeCheck(!pc->erroriffailure, outcome, PETSC_ERR_FP, "%llu cells, the first is cell %llu, have values that are not finite in %s precision%s",
                 report.count[grid_not_finite], report.first[grid_not_finite], grid_precisions[!c->single],
                 c->single ? ": try -pc_gridmg_precision double" : "");
    PetscCall(PetscInfo(pc, "%llu cells, the first is cell %llu, have values that are not finite in %s precision\n", report.count[grid_not_finite],
                        report.first[grid_not_finite], grid_precisions[!c->single]));
    outcome->failed = PC_FACTOR_OTHER;
    outcome->factor = MAT_FACTOR_OTHER;
  } else if (report.count[grid_zero_row]) {
    OutcomeCheck(!pc->erroriffailure, outcome, PETSC_ERR_MAT_LU_ZRPVT,
                 "%llu cells, the first is cell %llu, have rows of zeros: put ones on their diagonal (MatZeroRowsColumns())", report.count[grid_zero_row],
                 report.first[grid_zero_row]);
    PetscCall(PetscInfo(pc, "%llu cells, the first is cell %llu, have rows of zeros\n", report.count[grid_zero_row], report.first[grid_zero_row]));
    outcome->failed   = PC_FACTOR_NUMERIC_ZEROPIVOT;
    outcome->factor   = MAT_FACTOR_NUMERIC_ZEROPIVOT;
    outcome->zero_row = report.first[grid_zero_row] * static_cast<unsigned long long>(block);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Decides the place of the grid of several processes, for a new matrix. Plans c->divided if it is in slabs.
   Collective */
PetscErrorCode DecideDistribution(PC pc, DM grid)
{
  GridMG *c = grid_mg(pc);
  int     wanted[3];

  PetscFunctionBegin;
  c->distribution = GridDistribution(GridDistribution::slabs);
  c->divided      = GridDivided::Make(c->single);
  PetscCall(GridDivided::ExchangeOptions(&c->distribution_with));
  if (!c->divide) c->distribution.ToRoot("-pc_gridmg_divide 0");
  else PetscCall(c->divided->parallel.Open(pc->pmat, grid, c->on_host, &c->distribution));
  if (c->distribution.Is(GridDistribution::slabs)) {
    PetscCall(Extents(pc, c->divided->parallel.Cells(), wanted));
    PetscCall(c->divided->parallel.FindGrid(wanted, &c->distribution));
  }
  if (c->distribution.Is(GridDistribution::slabs)) PetscCall(c->divided->Plan(PetscObjectComm((PetscObject)pc), c->options, (int)c->divide, &c->distribution));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fills the slabs. If that fails, the grid moves to the first process, which also reports defects of the matrix. */
PetscErrorCode SetUpSlabs(PC pc, DM grid)
{
  GridMG   *c = grid_mg(pc);
  PetscBool again;
  Stamp     now;
  bool      changed;

  PetscFunctionBegin;
  PetscCall(grid_mg_exchange_changed(c, &changed));
  if (changed) c->distribution_for.Clear();
  PetscCall(grid_pattern(pc->pmat, grid, c->distribution_for, &now, &again));
  if (!again) c->distribution_for.Clear();
  if (!again) PetscCall(DecideDistribution(pc, grid));
  c->distribution_for = now;
  if (c->distribution.Is(GridDistribution::slabs)) {
    PetscCall(c->divided->Factor(&c->report, &c->distribution));
    const auto &count = c->report.count;
    if (c->distribution.Is(GridDistribution::slabs) && (count[grid_zero_row] || count[grid_not_finite] || count[grid_not_neighbours]))
      c->distribution.ToRoot("the matrix has rows that a set-up refuses");
    if (!c->distribution.Is(GridDistribution::slabs)) c->distribution_for.Clear(); /* other values may be accepted */
  }
  if (c->distribution.Is(GridDistribution::slabs)) {
    c->hierarchy.reset(); /* of a pattern before */
    c->planned_for.Clear();
    PetscCall(c->root_grid.Reset());
    if (c->report.count[grid_singular])
      PetscCall(PetscInfo(pc, "%llu lines of all levels are singular: one cell of each stays as it is\n", c->report.count[grid_singular]));
  } else if (c->divided) {
    c->divided.reset();
    PetscCall(PetscInfo(pc, "Grid of all processes on the first process: %s\n", c->distribution.Why().c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The hierarchy on the process that has the grid */
PetscErrorCode SetUp(PC pc, const BlockDiagonals &D, PetscBool device, Outcome *outcome)
{
  GridMG *c = grid_mg(pc);

  PetscFunctionBegin;
  if (!D.rows) c->hierarchy.reset();
  if (!D.rows || !outcome->Good()) PetscFunctionReturn(PETSC_SUCCESS);
  OutcomeCheck(D.block <= GridTuning::most_unknowns, outcome, PETSC_ERR_SUP,
               "PCGRIDMG supports up to %d unknowns per cell, the matrix has %d: use -pc_type pbjacobi or -pc_type gamg", GridTuning::most_unknowns, D.block);
  PetscCall(Plan(pc, D, device, outcome));
  if (!outcome->Good()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(c->hierarchy->Factor(D, &c->report));
  outcome->fixed   = c->report.count[grid_fixed_rows] > 0;
  outcome->runs[0] = !c->hierarchy->OnDevice();
  outcome->runs[1] = c->hierarchy->Passes() != nullptr;
  PetscCall(Failure(pc, D.block, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode grid_mg_exchange_changed(const GridMG *c, bool *changed)
{
  Stamp now;

  PetscFunctionBegin;
  PetscCall(GridDivided::ExchangeOptions(&now));
  *changed = c->divide && !c->distribution.Is(GridDistribution::local) && c->distribution_with != now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode grid_mg_set_up_again(PC pc, KSP ksp)
{
  PCFailedReason failed;

  PetscFunctionBegin;
  grid_mg_forget(grid_mg(pc));
  pc->setupcalled = PETSC_FALSE;
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, &failed));
  if (ksp) ksp->reason = failed ? KSP_DIVERGED_PC_FAILED : KSP_CONVERGED_ITERATING; /* as after KSPSetUp() */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode grid_mg_grid_of_rows(PC pc, PetscInt extents[3], std::string *why)
{
  DM       grid;
  PetscInt n[3] = {1, 1, 1}, unknowns = 1, block, rows;
  bool     natural = true;

  PetscFunctionBegin;
  std::copy(grid_mg(pc)->grid, grid_mg(pc)->grid + 3, extents);
  PetscCall(Structured(pc, &grid, n, &unknowns));
  PetscCall(MatGetBlockSize(pc->pmat, &block));
  PetscCall(MatGetSize(pc->pmat, &rows, NULL));
  if (!grid || n[0] * n[1] * n[2] * unknowns != rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(grid_numbers_are_natural(grid, &natural));
  if (!natural) *why = "the DMDA is divided into boxes: with -da_processors_x 1 -da_processors_y 1 its rows are those of slabs";
  else if (unknowns != block) *why = "the DMDA has another number of unknowns than a block of the matrix";
  else if (!extents[0]) std::copy(n, n + 3, extents);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetUp_GridMG(PC pc)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)pc);
  GridMG        *c    = grid_mg(pc);
  Mat            A    = pc->pmat;
  DM             grid = NULL;
  BlockDiagonals D;
  PetscBool      device = (PetscBool)!c->on_host;
  PetscInt       n, m;
  PetscMPIInt    size;
  Outcome        outcome;

  PetscFunctionBegin;
  c->root_grid.Unlink(); /* it launches the hierarchy as it was */
  PetscCall(MatGetSize(A, &n, &m));
  PetscCheck(n == m, comm, PETSC_ERR_ARG_SIZ, "PCGRIDMG needs a square matrix, this one has %" PetscInt_FMT " rows and %" PetscInt_FMT " columns", n, m);
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size > 1) {
    PetscCall(Numbering(pc, &grid));
    PetscCall(SetUpSlabs(pc, grid));
  } else c->distribution = GridDistribution();
  if (c->distribution.Is(GridDistribution::slabs)) outcome.fixed = c->report.count[grid_fixed_rows] > 0;
  else {
    if (size > 1) PetscCall(c->root_grid.Gather(pc->pmat, grid, MATSEQAIJBDIAGH, &A));
    PetscCall(Diagonals(A, &D, &device, &outcome));
    PetscCall(SetUp(pc, D, device, &outcome));
    if (size > 1) PetscCallMPI(MPI_Bcast(&outcome, sizeof(outcome), MPI_BYTE, 0, comm));
  }
  PetscCheck(outcome.Good(), comm, outcome.code, "%s", outcome.text);
  c->fixed.Expect(outcome.fixed);
  std::copy(outcome.runs, outcome.runs + 2, c->root_runs);
  pc->failedreason          = outcome.failed;
  pc->pmat->factorerrortype = outcome.factor;
  if (outcome.factor == MAT_FACTOR_NUMERIC_ZEROPIVOT) {
    std::vector<PetscInt> row(1, (PetscInt)outcome.zero_row);

    PetscCall(grid_renumber(grid, &row, true));
    pc->pmat->factorerror_zeropivot_value = 0;
    pc->pmat->factorerror_zeropivot_row   = row[0];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode grid_mg_reduced(PC pc, PetscBool device, ReducedCg **reduced, std::string *why)
{
  GridMG        *c = grid_mg(pc);
  BlockDiagonals D;
  Outcome        outcome;
  PetscBool      there = device; /* memory space of the hierarchy */
  int            grid[3];

  PetscFunctionBegin;
  *reduced = nullptr;
  if (!c->reduced) *why = "-pc_gridmg_reduced no";
  else if (!c->fixed.Solved()) *why = "the residual is not zero in rows of fixed values";
  else if (c->divided && c->divided->OnDevice() == (bool)device && !pc->failedreason) {
    PetscCall(c->divided->Reduced(reduced, why));
    PetscFunctionReturn(PETSC_SUCCESS);
  } else if (!c->distribution.Is(GridDistribution::local)) *why = "the grid of several processes is on the first one";
  else if (!c->hierarchy || pc->failedreason) *why = "the preconditioner is not set up";
  else if (c->hierarchy->OnDevice() != (bool)device) *why = "vectors and matrix are not in one place";
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Diagonals(pc->pmat, &D, &there, &outcome));
  PetscCheck(outcome.Good(), PETSC_COMM_SELF, outcome.code, "%s", outcome.text);
  PetscCall(Extents(pc, D.rows / D.block, grid));
  if (c->planned_for == Stamp::Of(D.layout, D.rows, there, grid[0], grid[1], grid[2])) PetscCall(c->hierarchy->Reduced(D, reduced, why));
  else *why = "the matrix has another layout by now";
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
