/*
   The grid behind the matrix of a preconditioner that works on lines: see lines_grid.hpp.
*/
#include "lines_grid.hpp"
#include "../../metrics/metrics.hpp"
#include "../../sys/number_options.hpp"
#include "../gridmg/gridmg_host.hpp"
#include "../../device/buffer.hpp"
#include <heptane.h>
#include <petsc/private/matimpl.h>
#include <petscdmda.h>
#include <climits>
#include <cmath>
#if PetscDefined(HAVE_CUDA)
  #include "../gridmg/gridmg_device.hpp"
#endif

namespace heptane
{

namespace
{

/* The block diagonals of the matrix */
PetscErrorCode Diagonals(PC pc, const LinesName &name, BlockDiagonals *D, PetscBool *device)
{
  Mat                   A    = pc->pmat;
  MPI_Comm              comm = PetscObjectComm((PetscObject)pc);
  PetscInt              n, m;
  PetscMPIInt           size;
  BlockDiagonalsSource *source;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCheck(size == 1, comm, PETSC_ERR_SUP,
             "%s works on one process: use -pc_type gridmg, or -pc_type bjacobi -sub_pc_type %s, which has the rows of each process, whole planes, for itself",
             name.type, ((PetscObject)pc)->type_name);
  PetscCall(MatGetSize(A, &n, &m));
  PetscCheck(n == m, comm, PETSC_ERR_ARG_SIZ, "%s needs a square matrix, this one has %" PetscInt_FMT " rows and %" PetscInt_FMT " columns", name.type, n, m);
  PetscCall(PetscObjectContainerQuery((PetscObject)A, block_diagonals_name, &source));
  *D      = BlockDiagonals();
  *device = PETSC_TRUE;
  if (source) PetscCall((*source->get)(A, D, device));
  PetscCheck(
    source && (D->values || !n), comm, PETSC_ERR_ARG_WRONG,
    "%s works on the block diagonals of matrices of type bdiagh, this one is of type %s: use -mat_type bdiagh (-dm_mat_type bdiagh), or -pc_type bjacobi",
    name.type, ((PetscObject)A)->type_name);
  PetscCheck(
    D->ndiag || !D->rem_row->size(), comm, PETSC_ERR_ARG_WRONG,
    "The matrix is not made of block diagonals (see -info, -mat_bdiagh_max_fill and -mat_bdiagh_max_remainder): number the cells of the grid line by line, or use -pc_type bjacobi");
  PetscCheck(D->block <= GridTuning::most_unknowns, comm, PETSC_ERR_SUP,
             "%s is compiled for up to %d unknowns of a cell, the matrix has %d: use -pc_type pbjacobi", name.type, GridTuning::most_unknowns, D->block);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The extents that the options give, or the DMDA of the matrix or of the preconditioner; 0: nobody does */
PetscErrorCode Wanted(PC pc, const LinesGridOptions &options, const BlockDiagonals &D, int wanted[3])
{
  DM        dm;
  PetscInt  n[3]       = {1, 1, 1};
  PetscBool structured = PETSC_FALSE;

  PetscFunctionBegin;
  std::copy(options.grid, options.grid + 3, wanted);
  if (wanted[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetDM(pc->pmat, &dm));
  if (!dm) dm = pc->dm; /* PCGetDM() would make one */
  if (dm) PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMDA, &structured));
  if (!structured) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDAGetInfo(dm, NULL, n, n + 1, n + 2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  if (n[0] * n[1] * n[2] == D.rows / D.block) std::copy(n, n + 3, wanted);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Means(const GridMatrix &A, int B, std::size_t cells, PetscBool device, GridMeans *means)
{
  PetscFunctionBegin;
  if (!device) *means = grid_means_host(A, B, cells);
#if PetscDefined(HAVE_CUDA)
  else {
    Buffer<Scalar>   sums(7), partial(7 * GridTuning::means_blocks);
    Buffer<unsigned> count(1);
    cudaStream_t     stream;
    Scalar          *of_blocks, *at, sum[7];
    unsigned        *zero;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(partial.Memory(Where::device, &of_blocks));
    PetscCall(count.Zeros(Where::device, &zero));
    PetscCall(sums.Memory(Where::device, &at));
    const MetricsPass metrics(true, [&] { return DeclaredPass{"means of the couplings", 7. * sizeof(Scalar) * cells}; });
    PetscCallCUDA(launch_grid_means(A, B, cells, at, of_blocks, zero, stream));
    PetscCall(CopyToHost(sum, at, 7));
    *means = grid_means_of(sum, cells);
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Messages about grids name the option of multigrid */
std::string for_option(std::string text, const char option[])
{
  const std::string other = "-pc_gridmg_grid";

  for (std::size_t at = text.find(other); at != std::string::npos; at = text.find(other, at + 1)) text.replace(at, other.size(), option);
  return text;
}

} // namespace

RemainingColumns LinesGrid::Extents() const
{
  RemainingColumns of;

  of.K = shape.extent[plan.axis[0]];
  of.J = shape.extent[plan.axis[1]];
  of.I = shape.extent[plan.axis[2]];
  return of;
}

GridNatural LinesGrid::Natural() const
{
  GridNatural natural;

  for (int a = 0; a < 3; a++) natural.stride[a] = shape.stride[plan.axis[a]];
  return natural;
}

PetscErrorCode LinesGrid::Get(PC pc, const LinesName &name, const LinesGridOptions &options, bool *changed)
{
  int         wanted[3], exponent = 0;
  GridOptions of_plan;
  GridMeans   means;

  PetscFunctionBegin;
  PetscCall(Diagonals(pc, name, &D, &device));
  PetscCall(Wanted(pc, options, D, wanted));
  const Stamp now = Stamp::Of(D.layout, D.rows, device, wanted[0], wanted[1], wanted[2], options.line_axis);
  matrix.values   = D.values;
  matrix.ld       = D.ld;
  *changed        = planned_for != now;
  if (!*changed || !D.rows) PetscFunctionReturn(PETSC_SUCCESS);
  planned_for.Clear();
  const std::string why = grid_find_shape(D, wanted, &shape);
  PetscCheck(why.empty(), PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_WRONG, "%s", for_option(why, name.grid).c_str());
  for (int r = 0; r < 7; r++) matrix.diagonal[r] = shape.diagonal[r]; /* in the order of the axes of the grid */
  PetscCall(Means(matrix, D.block, shape.cells(), device, &means));
  of_plan.line_axis = options.line_axis;
  of_plan.levels    = 1;
  plan              = grid_plan_levels(shape, of_plan, means);
  if (means.diagonal > 0 && std::isfinite(means.diagonal)) (void)std::frexp(means.diagonal, &exponent);
  scale = static_cast<Scalar>(std::ldexp(1.0, -exponent));
  for (int a = 0; a < 3; a++) {
    matrix.stride[a] = shape.stride[plan.axis[a]];
    for (int side = 0; side < 2; side++) matrix.diagonal[1 + 2 * a + side] = shape.diagonal[1 + 2 * plan.axis[a] + side];
  }
  planned_for = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LinesGridSetFromOptions(PC, PetscOptionItems PetscOptionsObject, const LinesName &name, LinesGridOptions *options, bool *changed)
{
  const char *const axes[] = {"auto", "x", "y", "z"};
  PetscInt          line = options->line_axis + 1, count = 3, grid[3] = {options->grid[0], options->grid[1], options->grid[2]};
  PetscBool         given;

  PetscFunctionBegin;
  PetscCall(OptionIntArray(PetscOptionsObject, name.grid, "Cells along the axes, that of the numbering first; where the offsets do not show them", name.type, 1,
                           INT_MAX, grid, &count, &given));
  if (given) std::fill(grid + count, grid + 3, 1);
  PetscCall(PetscOptionsEList(name.line_axis, "The axis whose lines are solved", name.type, axes, 4, axes[line], &line, NULL));
  *changed           = options->line_axis != (int)line - 1 || !std::equal(grid, grid + 3, options->grid);
  options->line_axis = (int)line - 1;
  std::copy(grid, grid + 3, options->grid);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LinesFailure(PC pc, const LinesName &name, const GridReport &report, bool exact, const char precision[], const char remedy[])
{
  const MPI_Comm           comm  = PetscObjectComm((PetscObject)pc);
  const unsigned long long zeros = report.count[grid_zero_row], singular = report.count[grid_singular];

  PetscFunctionBegin;
  PetscCheck(
    !report.count[grid_not_neighbours], comm, PETSC_ERR_ARG_WRONG,
    "%llu cells, the first is cell %llu, are coupled with cells that are no neighbours in the grid (periodic, or of other extents): give the extents with %s nx,ny,nz",
    report.count[grid_not_neighbours], report.first[grid_not_neighbours], name.grid);
  pc->failedreason          = PC_NOERROR;
  pc->pmat->factorerrortype = MAT_FACTOR_NOERROR;
  if (report.count[grid_not_finite]) {
    PetscCheck(!pc->erroriffailure, comm, PETSC_ERR_FP, "%llu cells have values that are not finite in %s precision%s", report.count[grid_not_finite],
               precision, remedy);
    PetscCall(PetscInfo(pc, "%llu cells have values that are not finite in %s precision\n", report.count[grid_not_finite], precision));
    pc->failedreason          = PC_FACTOR_OTHER;
    pc->pmat->factorerrortype = MAT_FACTOR_OTHER;
  } else if (zeros || (exact && singular)) {
    const unsigned long long first = zeros ? report.first[grid_zero_row] : report.first[grid_singular];

    PetscCheck(!pc->erroriffailure, comm, PETSC_ERR_MAT_LU_ZRPVT, "%llu cells, the first is cell %llu, have %s", zeros ? zeros : singular, first,
               zeros ? "rows of zeros: put ones on their diagonal (MatZeroRowsColumns())"
                     : "no pivot in the lines that are eliminated: use -pc_type lines, or another line axis");
    PetscCall(PetscInfo(pc, "%llu cells, the first is cell %llu, have %s\n", zeros ? zeros : singular, first,
                        zeros ? "rows of zeros" : "no pivot in the lines that are eliminated"));
    pc->failedreason                      = PC_FACTOR_NUMERIC_ZEROPIVOT;
    pc->pmat->factorerrortype             = MAT_FACTOR_NUMERIC_ZEROPIVOT;
    pc->pmat->factorerror_zeropivot_value = 0;
    pc->pmat->factorerror_zeropivot_row   = (PetscInt)first * pc->pmat->rmap->bs;
  } else if (singular) PetscCall(PetscInfo(pc, "%llu cells have no pivot in their lines: they stay as they are\n", singular));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
