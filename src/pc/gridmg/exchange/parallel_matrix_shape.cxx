/*
   The grid of a parallel matrix, and its mean couplings: see parallel_matrix.hpp.
*/
#include "parallel_matrix.hpp"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace heptane
{

/* f(local row, local column, distance of cells, value) for the entries of a part; cell_of(column) */
template <class CellOf, class F>
PetscErrorCode GridParallelMatrix::ForEachEntryOf(Mat M, bool values, CellOf cell_of, F f)
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

    for (PetscInt e = ptr[r]; e < ptr[r + 1]; e++) f(r, col[e], cell_of(col[e]) - cell, a ? a[e] : PetscScalar(0));
  }
  if (values) PetscCall(MatSeqAIJRestoreArrayRead(M, &a));
  PetscCall(MatRestoreRowIJ(M, 0, PETSC_FALSE, PETSC_FALSE, &n, &ptr, &col, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f(local row, column's component, distance of cells, value): entries in columns of other processes */
template <class F>
PetscErrorCode GridParallelMatrix::ForEachInterface(bool values, F f)
{
  const PetscInt *of_others;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(matrix, NULL, &parts[1], &of_others));
  PetscCall(ForEachEntryOf(
    parts[1], values, [&](PetscInt col) { return column_cell[static_cast<std::size_t>(col)]; },
    [&](PetscInt r, PetscInt col, PetscInt distance, PetscScalar a) { f(r, static_cast<int>(of_others[col] % block), distance, a); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for all entries, without values */
template <class F>
PetscErrorCode GridParallelMatrix::ForEachEntry(F f)
{
  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(matrix, &parts[0], NULL, NULL));
  PetscCall(ForEachEntryOf(
    parts[0], false, [&](PetscInt col) { return row_cell[static_cast<std::size_t>(col / block)]; },
    [&](PetscInt r, PetscInt col, PetscInt distance, PetscScalar a) { f(r, static_cast<int>(col % block), distance, a); }));
  PetscCall(ForEachInterface(false, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Number of entries by distance of the coupled cells; most entries have one of few distances */
class OffsetCounts {
public:
  void Add(int offset, double entries)
  {
    for (auto &known : few)
      if (known.first == offset) {
        known.second += entries;
        return;
      }
    if (few.size() < most) few.emplace_back(offset, entries);
    else others[offset] += entries;
  }
  std::vector<std::pair<int, double>> All() const
  {
    std::vector<std::pair<int, double>> all(few);

    all.insert(all.end(), others.begin(), others.end());
    return all;
  }

private:
  static constexpr std::size_t        most = 16;
  std::vector<std::pair<int, double>> few;
  std::map<int, double>               others;
};

/*
   The distances between coupled cells of this process and the number of entries for each. If rows have the numbers of
   the grid, the block diagonals, counted as full, and the remainder have all distances: reading all entries would cost
   several products.
*/
PetscErrorCode GridParallelMatrix::LocalOffsets(std::vector<std::pair<int, double>> *local)
{
  BlockDiagonals D;
  PetscBool      there;
  bool           ours;
  OffsetCounts   counts;
  const auto     add = [&](PetscInt, int, PetscInt distance, PetscScalar) { counts.Add(static_cast<int>(distance), 1); };

  PetscFunctionBegin;
  if (numbering) PetscCall(ForEachEntry(add));
  else {
    PetscCall(LocalBlock(&D, &there, &ours));
    for (int d = 0; d < D.ndiag; d++) counts.Add(D.offset[d], static_cast<double>(D.rows / block - std::abs(D.offset[d])) * block * block);
    for (std::size_t r = 0; D.remainder_row && r < D.remainder_row->size(); r++)
      for (int e = (*D.remainder_ptr)[r]; e < (*D.remainder_ptr)[r + 1]; e++) counts.Add((*D.remainder_col)[e] / block - (*D.remainder_row)[r] / block, 1);
    PetscCall(ForEachInterface(false, add));
  }
  *local = counts.All();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The distances of all processes, if they are few; else none */
PetscErrorCode GridParallelMatrix::Offsets(const std::vector<std::pair<int, double>> &local, std::vector<int> *offsets)
{
  constexpr int    most = most_offsets;
  PetscMPIInt      size;
  std::vector<int> mine(1, static_cast<int>(std::min<std::size_t>(local.size(), most + 1))), gathered;
  bool             too_many = false;

  PetscFunctionBegin;
  for (std::size_t k = 0; k < local.size() && k < most; k++) mine.push_back(local[k].first);
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)matrix), &size));
  gathered.resize(static_cast<std::size_t>(size) * (most + 1));
  mine.resize(most + 1, 0);
  PetscCallMPI(MPI_Allgather(mine.data(), most + 1, MPI_INT, gathered.data(), most + 1, MPI_INT, PetscObjectComm((PetscObject)matrix)));
  for (PetscMPIInt p = 0; p < size; p++) {
    const int *list = &gathered[static_cast<std::size_t>(p) * (most + 1)];

    too_many |= list[0] > most;
    for (int k = 1; k <= list[0] && k <= most; k++) offsets->push_back(list[k]);
  }
  std::sort(offsets->begin(), offsets->end());
  offsets->erase(std::unique(offsets->begin(), offsets->end()), offsets->end());
  if (too_many || offsets->size() > 7) offsets->clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridParallelMatrix::FindGrid(const int wanted[3], GridDistribution *distribution)
{
  std::vector<std::pair<int, double>> offsets;
  BlockDiagonals                      D;

  PetscFunctionBegin;
  offset_of.clear();
  interface_known = false;
  PetscCall(LocalOffsets(&offsets));
  PetscCall(Offsets(offsets, &offset_of));
  has_remainder = offset_of.empty() && cells;
  if (has_remainder) PetscCall(FilledOffsets(offsets, &offset_of));
  D.rows   = static_cast<int>(cells * block);
  D.block  = block;
  D.ndiag  = static_cast<int>(offset_of.size());
  D.offset = offset_of.data();
  if (grid_find_shape(D, wanted, &shape).empty()) PetscCall(FindRegion(distribution));
  else distribution->ToRoot("the matrix couples cells that are not neighbours in a grid");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The couplings of a cell towards each side, summed as in grid_means() */
class CellMeans {
public:
  explicit CellMeans(int unknowns) : block(unknowns) {}

  void Add(PetscInt row, int component, int side, PetscScalar a)
  {
    if (row / block != cell) Close();
    cell = row / block;
    if (side > 0 && component == 0) size[side] += std::fabs(a); /* first columns of blocks, which are the columns of the pressure */
    if (side == 0 && component == row % block) size[0] += std::fabs(a) / block;
  }
  /* The sums over the cells so far */
  const Scalar *Close()
  {
    for (int q = 0; q < 7; q++) {
      sum[q ? (q - 1) / 2 : 6] += size[q];
      if (q) sum[3 + (q - 1) / 2] += size[q] != 0;
      size[q] = 0;
    }
    return sum;
  }

private:
  int      block;
  PetscInt cell    = 0;
  Scalar   size[7] = {}, sum[7] = {};
};

PetscErrorCode GridParallelMatrix::SumMeans(const GridMeans &local)
{
  CellMeans of_cells(block);
  Scalar    sum[7];

  PetscFunctionBegin;
  PetscCall(ForEachInterface(true, [&](PetscInt r, int s, PetscInt distance, PetscScalar a) { of_cells.Add(r, s, Side(distance), a); }));
  std::copy_n(of_cells.Close(), 7, sum);
  for (int a = 0; a < 3; a++) {
    sum[a] += static_cast<Scalar>(local.sum[a]);
    sum[3 + a] += static_cast<Scalar>(local.count[a]);
  }
  sum[6] += static_cast<Scalar>(local.diagonal * static_cast<double>(row_cell.size()));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 7, MPIU_SCALAR, MPIU_SUM, PetscObjectComm((PetscObject)matrix)));
  means = grid_means_of(sum, static_cast<std::size_t>(cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The offsets that are filled enough for block diagonals, as on one process */
PetscErrorCode GridParallelMatrix::FilledOffsets(const std::vector<std::pair<int, double>> &local, std::vector<int> *offsets)
{
  constexpr std::size_t               most = 2 * most_offsets; /* offsets of a process that may be filled on all processes: a grid has seven */
  const MPI_Comm                      comm = PetscObjectComm((PetscObject)matrix);
  std::vector<std::pair<int, double>> few(local);
  std::vector<int>                    mine(most, 0), gathered;
  std::vector<double>                 count;
  PetscMPIInt                         size;

  PetscFunctionBegin;
  std::sort(few.begin(), few.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
  for (std::size_t k = 0; k < few.size() && k < most; k++) mine[k] = few[k].first;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  gathered.resize(static_cast<std::size_t>(size) * most);
  PetscCallMPI(MPI_Allgather(mine.data(), static_cast<PetscMPIInt>(most), MPI_INT, gathered.data(), static_cast<PetscMPIInt>(most), MPI_INT, comm));
  std::sort(gathered.begin(), gathered.end());
  gathered.erase(std::unique(gathered.begin(), gathered.end()), gathered.end());
  for (int offset : gathered) {
    const auto found = std::find_if(few.begin(), few.end(), [&](const auto &known) { return known.first == offset; });
    count.push_back(found == few.end() ? 0 : found->second);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, count.data(), static_cast<PetscMPIInt>(count.size()), MPI_DOUBLE, MPI_SUM, comm));
  for (std::size_t k = 0; k < count.size(); k++)
    if (count[k] >= std::max(1., least * static_cast<double>(cells) * block * block)) offsets->push_back(gathered[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
