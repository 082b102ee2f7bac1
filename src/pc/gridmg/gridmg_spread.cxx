/*
   A parallel matrix in slabs: see gridmg_spread.hpp.
*/
#include "gridmg_spread.hpp"
#include "gridmg_numbering.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

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

PetscErrorCode GridSpread::Open(Mat A, DM grid, std::string *why)
{
  const MPI_Comm  comm = PetscObjectComm((PetscObject)A);
  const PetscInt *of_others;
  PetscInt        lo, hi, first, n, count;

  PetscFunctionBegin;
  matrix        = A;
  numbering     = grid;
  between_known = false;
  PetscCall(MatGetDiagonalBlock(A, &parts[0])); /* with its block diagonals */
  PetscCall(MatMPIAIJGetSeqAIJ(A, &parts[0], &parts[1], &of_others));
  BlockDiagonals        D;
  BlockDiagonalsSource *source;
  PetscBool             there = PETSC_FALSE;
  PetscCall(PetscObjectContainerQuery((PetscObject)parts[0], block_diagonals_name, &source));
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(MatGetOwnershipRangeColumn(A, &first, NULL));
  if (source) PetscCall((*source->get)(A, &D, &there)); /* of the matrix: its block does not know where products run */
  const int has_rows = hi > lo, unknowns = has_rows && source ? D.block : 0;
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
  else if (n > std::numeric_limits<int>::max()) *why = "there are more rows than 32 bits count";
  else if (most[2] != -most[3]) *why = "products run on the host and on devices";
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  cells          = n / block;
  moved_to_first = static_cast<double>(n - (hi - lo));
  PetscCallMPI(MPI_Bcast(&moved_to_first, 1, MPI_DOUBLE, 0, comm));
  /* numbers of cells: local rows, columns of others */
  row_cell.clear();
  for (PetscInt r = lo; r < hi; r += block) row_cell.push_back(r);
  PetscCall(grid_renumber(grid, &row_cell, false));
  PetscCall(MatGetLocalSize(parts[1], NULL, &count));
  column_cell[1].assign(of_others, of_others + count);
  PetscCall(grid_renumber(grid, &column_cell[1], false));
  for (PetscInt &c : row_cell) c /= block;
  for (PetscInt &c : column_cell[1]) c /= block;
  column_cell[0].clear(); /* they are those of the rows */
  for (PetscInt r = lo; r < hi; r++) column_cell[0].push_back(row_cell[static_cast<std::size_t>((r - lo) / block)]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f(local row, column's component, distance of cells, value) for the entries of a part */
template <class F>
PetscErrorCode GridSpread::ForEachEntryOf(Mat M, bool values, const std::vector<PetscInt> &columns, F f)
{
  const PetscInt    *ptr, *col;
  const PetscScalar *a = nullptr;
  PetscInt           n;
  PetscBool          done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(M, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A part of a parallel matrix has no compressed rows");
  if (values) PetscCall(MatSeqAIJGetArrayRead(M, &a));
  for (PetscInt r = 0; r < n; r++) {
    const PetscInt cell = row_cell[static_cast<std::size_t>(r / block)];

    for (PetscInt e = ptr[r]; e < ptr[r + 1]; e++) f(r, col[e], columns[static_cast<std::size_t>(col[e])] - cell, a ? a[e] : PetscScalar(0));
  }
  if (values) PetscCall(MatSeqAIJRestoreArrayRead(M, &a));
  PetscCall(MatRestoreRowIJ(M, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class F>
PetscErrorCode GridSpread::ForEachEntry(bool values, F f)
{
  const PetscInt *of_others;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(matrix, &parts[0], &parts[1], &of_others));
  PetscCall(ForEachEntryOf(parts[0], values, column_cell[0],
                           [&](PetscInt r, PetscInt col, PetscInt distance, PetscScalar a) { f(r, static_cast<int>(col % block), distance, a); }));
  PetscCall(ForEachEntryOf(parts[1], values, column_cell[1],
                           [&](PetscInt r, PetscInt col, PetscInt distance, PetscScalar a) { f(r, static_cast<int>(of_others[col] % block), distance, a); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The distances between coupled cells, of all processes, if they are few; else none */
PetscErrorCode GridSpread::Offsets(std::vector<int> *offsets)
{
  constexpr int    most = most_offsets;
  PetscMPIInt      size;
  std::vector<int> mine, everybodys;
  bool             too_many = false;

  PetscFunctionBegin;
  PetscCall(ForEachEntry(false, [&](PetscInt, int, PetscInt distance, PetscScalar) {
    if (mine.size() <= most_offsets && std::find(mine.begin(), mine.end(), distance) == mine.end()) mine.push_back(static_cast<int>(distance));
  }));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)matrix), &size));
  everybodys.resize(static_cast<std::size_t>(size) * (most + 1));
  mine.insert(mine.begin(), static_cast<int>(mine.size()));
  mine.resize(most + 1, 0);
  PetscCallMPI(MPI_Allgather(mine.data(), most + 1, MPI_INT, everybodys.data(), most + 1, MPI_INT, PetscObjectComm((PetscObject)matrix)));
  for (PetscMPIInt p = 0; p < size; p++) {
    const int *list = &everybodys[static_cast<std::size_t>(p) * (most + 1)];

    too_many |= list[0] > most;
    for (int k = 1; k <= list[0] && k <= most; k++) offsets->push_back(list[k]);
  }
  std::sort(offsets->begin(), offsets->end());
  offsets->erase(std::unique(offsets->begin(), offsets->end()), offsets->end());
  if (too_many || offsets->size() > 7) offsets->clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

int GridSpread::Side(PetscInt offset) const
{
  for (int q = 0; q < 7; q++)
    if (shape.diagonal[q] >= 0 && offset_of[static_cast<std::size_t>(shape.diagonal[q])] == offset) return q;
  return -1;
}

PetscErrorCode GridSpread::Look(const int wanted[3], std::string *why)
{
  const MPI_Comm      comm = PetscObjectComm((PetscObject)matrix);
  BlockDiagonals      D;
  std::vector<Scalar> size(7 * row_cell.size(), 0); /* of what each cell has towards each side: first columns of blocks, which are those of the pressure */
  Scalar              sum[7] = {};
  int                 bad    = 0;

  PetscFunctionBegin;
  offset_of.clear();
  PetscCall(Offsets(&offset_of));
  has_beside = offset_of.empty() && cells;
  if (has_beside) PetscCall(FilledOffsets(&offset_of));
  D.rows   = static_cast<int>(cells * block);
  D.block  = block;
  D.ndiag  = static_cast<int>(offset_of.size());
  D.offset = offset_of.data();
  if (!grid_find_shape(D, wanted, &shape).empty()) *why = "the matrix is not that of a grid with neighbours alone";
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ForEachEntry(true, [&](PetscInt r, int s, PetscInt distance, PetscScalar a) {
    const std::size_t c = static_cast<std::size_t>(r / block);
    const int         q = Side(distance), axis = (q - 1) / 2;

    if (q > 0) {
      const PetscInt at = row_cell[c] / static_cast<PetscInt>(shape.stride[axis]) % shape.extent[axis];

      bad |= q % 2 ? at == 0 : at + 1 == shape.extent[axis];
      if (s == 0) size[7 * c + q] += std::fabs(a);
    } else if (q == 0 && s == r % block) size[7 * c] += std::fabs(a) / block;
  }));
  for (std::size_t k = 0; k < size.size(); k++) { /* as grid_means() has it */
    const int q = static_cast<int>(k % 7);

    sum[q ? (q - 1) / 2 : 6] += size[k];
    if (q) sum[3 + (q - 1) / 2] += size[k] != 0;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 7, MPIU_SCALAR, MPIU_SUM, comm));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, comm));
  if (bad) *why = "cells are coupled that are no neighbours";
  PetscCall(FindRegion());
  means = grid_means_of(sum, static_cast<std::size_t>(cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The offsets that are filled enough for block diagonals, as one process would find them */
PetscErrorCode GridSpread::FilledOffsets(std::vector<int> *offsets)
{
  constexpr std::size_t               most = 2 * most_offsets; /* of a process that may be filled on all of them: there are seven in a grid */
  const MPI_Comm                      comm = PetscObjectComm((PetscObject)matrix);
  std::vector<std::pair<int, double>> few; /* offsets and their entries, the first ones; the others */
  std::map<int, double>               others;
  std::vector<int>                    mine(most, 0), everybodys;
  std::vector<double>                 count;
  PetscMPIInt                         size;

  PetscFunctionBegin;
  PetscCall(ForEachEntry(false, [&](PetscInt, int, PetscInt distance, PetscScalar) {
    for (auto &known : few)
      if (known.first == distance) {
        known.second++;
        return;
      }
    if (few.size() < most) few.emplace_back(static_cast<int>(distance), 1.);
    else others[static_cast<int>(distance)]++;
  }));
  few.insert(few.end(), others.begin(), others.end());
  std::sort(few.begin(), few.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  for (std::size_t k = 0; k < few.size() && k < most; k++) mine[k] = few[k].first;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  everybodys.resize(static_cast<std::size_t>(size) * most);
  PetscCallMPI(MPI_Allgather(mine.data(), static_cast<PetscMPIInt>(most), MPI_INT, everybodys.data(), static_cast<PetscMPIInt>(most), MPI_INT, comm));
  std::sort(everybodys.begin(), everybodys.end());
  everybodys.erase(std::unique(everybodys.begin(), everybodys.end()), everybodys.end());
  for (int offset : everybodys) {
    const auto found = std::find_if(few.begin(), few.end(), [&](const auto &known) { return known.first == offset; });
    count.push_back(found == few.end() ? 0 : found->second);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, count.data(), static_cast<PetscMPIInt>(count.size()), MPI_DOUBLE, MPI_SUM, comm));
  for (std::size_t k = 0; k < count.size(); k++)
    if (count[k] >= std::max(1., least * static_cast<double>(cells) * block * block)) offsets->push_back(everybodys[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSpread::LookAtDiagonals(const int wanted[3], std::string *why)
{
  BlockDiagonals D;

  PetscFunctionBegin;
  offset_of.clear();
  between_known = false;
  PetscCall(FilledOffsets(&offset_of));
  D.rows   = static_cast<int>(cells * block);
  D.block  = block;
  D.ndiag  = static_cast<int>(offset_of.size());
  D.offset = offset_of.data();
  *why     = grid_find_shape(D, wanted, &shape);
  if (why->empty()) PetscCall(FindRegion());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSpread::Make(const GridBox &b)
{
  std::vector<PetscInt> remote, local, of_own;
  PetscLayout           layout;
  PetscInt              at[3], lo, hi;

  PetscFunctionBegin;
  PetscCall(Reset());
  box = b;
  for (at[2] = 0; at[2] < box.extent[2]; at[2]++)
    for (at[1] = 0; at[1] < box.extent[1]; at[1]++)
      for (at[0] = 0; at[0] < box.extent[0]; at[0]++) {
        PetscInt cell = (box.first - box.south) * static_cast<PetscInt>(shape.stride[box.axis]);

        for (int a = 0; a < 3; a++) cell += at[a] * static_cast<PetscInt>(shape.stride[a]);
        for (PetscInt p = 0; p < block; p++) {
          if (at[box.axis] >= box.south && at[box.axis] < box.south + box.own) local.push_back(static_cast<PetscInt>(remote.size()));
          remote.push_back(cell * block + p);
        }
      }
  PetscCall(grid_renumber(numbering, &remote, true));
  for (PetscInt l : local) of_own.push_back(remote[static_cast<std::size_t>(l)]);
  PetscCall(MatGetLayouts(matrix, &layout, NULL));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)matrix), &all));
  PetscCall(PetscSFSetGraphLayout(all, layout, static_cast<PetscInt>(remote.size()), NULL, PETSC_COPY_VALUES, remote.data()));
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)matrix), &own));
  PetscCall(PetscSFSetGraphLayout(own, layout, static_cast<PetscInt>(local.size()), local.data(), PETSC_COPY_VALUES, of_own.data()));
  PetscCall(PetscSFSetUp(all));
  PetscCall(PetscSFSetUp(own));
  PetscCall(PetscLayoutGetRange(layout, &lo, &hi));
  moved = static_cast<double>(std::count_if(remote.begin(), remote.end(), [&](PetscInt r) { return r < lo || r >= hi; }));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)matrix)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSpread::Values(std::vector<Scalar> *values)
{
  const int           width = 7 * block;
  const std::size_t   rows  = Rows();
  std::vector<Scalar> mine(row_cell.size() * static_cast<std::size_t>(block) * width), theirs(rows * width);
  MPI_Datatype        unit;

  PetscFunctionBegin;
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

PetscErrorCode GridSpread::ToBox(Vec x, Where where, Scalar *to) const
{
  const PetscMemType there = where == Where::device ? PETSC_MEMTYPE_DEVICE : PETSC_MEMTYPE_HOST;
  const PetscScalar *xx;
  PetscMemType       mx;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(x, &xx, &mx));
  PetscCall(PetscSFBcastWithMemTypeBegin(all, MPIU_SCALAR, mx, xx, there, to, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(all, MPIU_SCALAR, xx, to, MPI_REPLACE));
  PetscCall(VecRestoreArrayReadAndMemType(x, &xx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridSpread::FromBox(Where where, const Scalar *from, Vec y) const
{
  const PetscMemType there = where == Where::device ? PETSC_MEMTYPE_DEVICE : PETSC_MEMTYPE_HOST;
  PetscScalar       *yy;
  PetscMemType       my;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWriteAndMemType(y, &yy, &my));
  PetscCall(PetscSFReduceWithMemTypeBegin(own, MPIU_SCALAR, there, from, my, yy, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(own, MPIU_SCALAR, from, yy, MPI_REPLACE));
  PetscCall(VecRestoreArrayWriteAndMemType(y, &yy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
