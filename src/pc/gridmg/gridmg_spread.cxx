/*
   A parallel matrix in slabs: see gridmg_spread.hpp.
*/
#include "gridmg_spread.hpp"
#include "gridmg_numbering.hpp"
#include "gridmg_spread_entries.hpp"
#include "gridmg_tuning.hpp"
#include <algorithm>
#include <limits>

namespace heptane
{

GridSpread::~GridSpread()
{
  PetscCallAbort(PETSC_COMM_SELF, Reset());
}

PetscErrorCode GridSpread::Reset()
{
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&all));
  PetscCall(PetscSFDestroy(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSpread::Open(Mat A, DM grid, bool on_host, std::string *why)
{
  const MPI_Comm  comm = PetscObjectComm((PetscObject)A);
  const PetscInt *of_others;
  PetscInt        lo, hi, first, n, count;

  PetscFunctionBegin;
  matrix        = A;
  host_only     = on_host;
  numbering     = grid;
  between_known = false;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &parts[0], &parts[1], &of_others));
  BlockDiagonals D;
  PetscBool      there;
  bool           ours;
  PetscCall(OwnBlock(&D, &there, &ours));
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatGetOwnershipRangeColumn(A, &first, NULL));
  const int has_rows = hi > lo, unknowns = has_rows && ours ? D.block : 0;
  int       most[5] = {unknowns, has_rows ? -unknowns : -std::numeric_limits<int>::max(), has_rows && there, has_rows ? -(int)there : -1, 0};
  most[4]           = has_rows && (!unknowns || lo % unknowns || hi % unknowns);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 5, MPI_INT, MPI_MAX, comm));
  least = has_rows ? D.least : 0;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MAX, comm));
  block  = most[0];
  device = most[2] > 0;
  PetscCall(MatGetSize(A, &n, NULL));
  if (most[0] != -most[1] || most[0] < 1 || n % most[0]) *why = "processes find other numbers of unknowns per cell";
  else if (most[4]) *why = "processes divide a cell";
  else if (most[0] > GridTuning::most_unknowns) *why = "there are more unknowns per cell than PCGRIDMG takes";
  else if (n > std::numeric_limits<int>::max()) *why = "there are more rows than 32 bits count";
  else if (most[2] != -most[3]) *why = "products run on the host and on devices";
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  cells          = n / block;
  moved_to_first = static_cast<double>(n - (hi - lo));
  PetscCallMPI(MPI_Bcast(&moved_to_first, 1, MPI_DOUBLE, 0, comm));
  /* numbers of cells: local rows, columns of others */
  row_cell.clear();
  row_cell.reserve(static_cast<std::size_t>((hi - lo) / block));
  for (PetscInt r = lo; r < hi; r += block) row_cell.push_back(r);
  PetscCall(grid_renumber(grid, &row_cell, false));
  PetscCall(MatGetLocalSize(parts[1], NULL, &count));
  column_cell.assign(of_others, of_others + count);
  PetscCall(grid_renumber(grid, &column_cell, false));
  for (PetscInt &c : row_cell) c /= block;
  for (PetscInt &c : column_cell) c /= block;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int GridSpread::Side(PetscInt offset) const
{
  for (int q = 0; q < 7; q++)
    if (shape.diagonal[q] >= 0 && offset_of[static_cast<std::size_t>(shape.diagonal[q])] == offset) return q;
  return -1;
}

/* f(number of a cell, whether the box owns it) for the cells of the box, in its order */
template <class F>
void GridSpread::ForEachOfBox(F f) const
{
  const PetscInt first = (box.first - box.south) * static_cast<PetscInt>(shape.stride[box.axis]);
  PetscInt       at[3];

  for (at[2] = 0; at[2] < box.extent[2]; at[2]++)
    for (at[1] = 0; at[1] < box.extent[1]; at[1]++)
      for (at[0] = 0; at[0] < box.extent[0]; at[0]++) {
        PetscInt cell = first;

        for (int a = 0; a < 3; a++) cell += at[a] * static_cast<PetscInt>(shape.stride[a]);
        f(cell, at[box.axis] >= box.south && at[box.axis] < box.south + box.own);
      }
}

PetscErrorCode GridSpread::Make(const GridBox &b)
{
  std::vector<PetscInt> number;
  PetscInt              lo, hi;

  PetscFunctionBegin;
  PetscCall(Reset());
  box = b;
  ForEachOfBox([&](PetscInt cell, bool) { number.push_back(cell * block); });
  PetscCall(grid_renumber(numbering, &number, true));
  PetscCall(MatGetOwnershipRange(matrix, &lo, &hi));
  moved = block * static_cast<double>(std::count_if(number.begin(), number.end(), [&](PetscInt r) { return r < lo || r >= hi; }));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)matrix)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What messages need, when the first one does */
PetscErrorCode GridSpread::Scatters()
{
  std::vector<PetscInt> remote, local, of_own;
  PetscLayout           layout;

  PetscFunctionBegin;
  if (all) PetscFunctionReturn(PETSC_SUCCESS);
  ForEachOfBox([&](PetscInt cell, bool owned) {
    for (PetscInt p = 0; p < block; p++) {
      if (owned) local.push_back(static_cast<PetscInt>(remote.size()));
      remote.push_back(cell * block + p);
    }
  });
  PetscCall(grid_renumber(numbering, &remote, true));
  for (PetscInt l : local) of_own.push_back(remote[static_cast<std::size_t>(l)]);
  PetscCall(MatGetLayouts(matrix, &layout, NULL));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)matrix), &all));
  PetscCall(PetscSFSetGraphLayout(all, layout, static_cast<PetscInt>(remote.size()), NULL, PETSC_COPY_VALUES, remote.data()));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)matrix), &own));
  PetscCall(PetscSFSetGraphLayout(own, layout, static_cast<PetscInt>(local.size()), local.data(), PETSC_COPY_VALUES, of_own.data()));
  PetscCall(PetscSFSetUp(all));
  PetscCall(PetscSFSetUp(own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSpread::Values(std::vector<Scalar> *values)
{
  const int           width = 7 * block;
  const std::size_t   rows  = Rows();
  std::vector<Scalar> mine(row_cell.size() * static_cast<std::size_t>(block) * width), theirs(rows * width);
  MPI_Datatype        unit;

  PetscFunctionBegin;
  PetscCall(Scatters());
  PetscCall(ForEachEntry(true, [&](PetscInt r, int s, PetscInt distance, PetscScalar a) {
    const int q = Side(distance);

    if (q >= 0) mine[static_cast<std::size_t>(r) * width + q * block + s] += a;
  }));
  PetscCallMPI(MPI_Type_contiguous(width, MPIU_SCALAR, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCall(PetscSFBcastWithMemTypeBegin(all, unit, PETSC_MEMTYPE_HOST, mine.data(), PETSC_MEMTYPE_HOST, theirs.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(all, unit, mine.data(), theirs.data(), MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&unit));
  values->resize(rows * width);
  for (std::size_t r = 0; r < rows; r++) {
    const int  at = static_cast<int>(r / block / box.stride(box.axis) % box.extent[box.axis]), below = 1 + 2 * box.axis;
    const bool cut[] = {at == 0 && box.south > 0, at + 1 == box.extent[box.axis] && box.first + box.own + box.north < shape.extent[box.axis]};

    for (int k = 0; k < width; k++)
      (*values)[k * rows + r] = (k / block == below && cut[0]) || (k / block == below + 1 && cut[1]) ? Scalar(0) : theirs[r * width + k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSpread::ToBox(Vec x, Where where, Scalar *to)
{
  const PetscMemType there = where == Where::device ? PETSC_MEMTYPE_DEVICE : PETSC_MEMTYPE_HOST;
  const PetscScalar *xx;
  PetscMemType       mx;

  PetscFunctionBegin;
  PetscCall(Scatters());
  PetscCall(VecGetArrayReadAndMemType(x, &xx, &mx));
  PetscCall(PetscSFBcastWithMemTypeBegin(all, MPIU_SCALAR, mx, xx, there, to, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(all, MPIU_SCALAR, xx, to, MPI_REPLACE));
  PetscCall(VecRestoreArrayReadAndMemType(x, &xx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSpread::FromBox(Where where, const Scalar *from, Vec y)
{
  const PetscMemType there = where == Where::device ? PETSC_MEMTYPE_DEVICE : PETSC_MEMTYPE_HOST;
  PetscScalar       *yy;
  PetscMemType       my;

  PetscFunctionBegin;
  PetscCall(Scatters());
  PetscCall(VecGetArrayWriteAndMemType(y, &yy, &my));
  PetscCall(PetscSFReduceWithMemTypeBegin(own, MPIU_SCALAR, there, from, my, yy, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(own, MPIU_SCALAR, from, yy, MPI_REPLACE));
  PetscCall(VecRestoreArrayWriteAndMemType(y, &yy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
