/*
   Lines that are solved by an inverse: see dense_lines.hpp.
*/
#include "dense_lines.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

/* The column of a place, as GridDense::line counts them */
template <class Real>
int column_of(const GridLevel<Real> &L, std::int64_t place)
{
  return static_cast<int>(place % static_cast<std::int64_t>(L.cells) % (2 * static_cast<std::int64_t>(L.columns)));
}

/* The columns with remainder entries, red ones first; none, and *along false, if a remainder entry leads to another
   column */
template <class Real>
std::vector<int> remainder_columns(const GridLevel<Real> &L, const GridRemainderList &remainder, bool *along)
{
  std::vector<int> columns;

  *along = true;
  for (std::size_t r = 0, e = 0; r < remainder.row.size(); r++) {
    const int row_column = column_of(L, remainder.row[r]);

    if (columns.empty() || columns.back() != row_column) columns.push_back(row_column);
    for (; e < static_cast<std::size_t>(remainder.ptr[r + 1]); e++) *along = *along && column_of(L, remainder.col[e]) == row_column;
  }
  if (!*along) columns.clear();
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

} // namespace

std::vector<int> grid_dense_lines(const GridPlan &plan, int B, const std::vector<GridRemainderList> &lists)
{
  const std::vector<GridLevel<float>> levels = grid_shape_levels<float>(plan);
  const double                        n = levels.empty() ? 0 : static_cast<double>(levels[0].K) * B, block = static_cast<double>(B) * B;
  std::vector<int>                    lines(levels.size(), 0);
  double                              reals = 0, inverses = 0;
  bool                                along;

  if (n > GridTuning::dense_rows) return lines;
  for (const GridLevel<float> &L : levels) reals += static_cast<double>(L.cells) * (grid_slots * block + 2 * B);
  for (std::size_t l = std::min(levels.size(), lists.size()); l-- > 0;) {
    const std::size_t count = remainder_columns(levels[l], lists[l], &along).size();

    inverses += n * n * static_cast<double>(count);
    if (!along || inverses > std::max(GridTuning::dense_share * reals, GridTuning::dense_reals)) break;
    lines[l] = static_cast<int>(count);
  }
  return lines;
}

/* Columns, numbers of rows with remainder entries, lines of columns: see GridDense */
template <class Real>
void GridDenseLines<Real>::AddLevel(const GridLevel<Real> &L, int B, const GridRemainderList &remainder, const std::vector<int> &columns, std::vector<int> *all)
{
  const std::size_t b = static_cast<std::size_t>(B), rows = static_cast<std::size_t>(L.K) * b;
  std::vector<int>  table(2 * L.columns, -1), remainder_index(columns.size() * rows, -1);

  for (std::size_t k = 0; k < columns.size(); k++) table[static_cast<std::size_t>(columns[k])] = static_cast<int>(k);
  for (std::size_t r = 0; r < remainder.row.size(); r++) {
    const std::size_t place = static_cast<std::size_t>(remainder.row[r]), k = place % L.cells / (2 * L.columns), p = place / L.cells;
    const std::size_t line = static_cast<std::size_t>(table[static_cast<std::size_t>(column_of(L, remainder.row[r]))]);

    remainder_index[line * rows + k * b + p] = static_cast<int>(r);
  }
  all->insert(all->end(), columns.begin(), columns.end());
  all->insert(all->end(), remainder_index.begin(), remainder_index.end());
  all->insert(all->end(), table.begin(), table.end());
}

template <class Real>
PetscErrorCode GridDenseLines<Real>::Place(Where where, const std::vector<int> &of_grid, const std::vector<GridRemainderList> &lists, GridSystem<Real> *S)
{
  const std::size_t        rows = S->levels.empty() ? 0 : static_cast<std::size_t>(S->levels[0].K) * static_cast<std::size_t>(S->B);
  const std::size_t        step = static_cast<std::size_t>(GridTuning::dense_step);
  std::vector<int>         all;
  std::vector<std::size_t> at(S->levels.size());
  Real                    *inverse;
  std::size_t              lines = 0;
  bool                     along;

  PetscFunctionBegin;
  S->dense.assign(S->levels.size(), GridDense<Real>());
  for (std::size_t l = 0; l < of_grid.size(); l++) {
    const GridLevel<Real> &L = S->levels[l];
    GridDense<Real>       &D = S->dense[l];

    if (!of_grid[l]) continue;
    const std::vector<int> columns = remainder_columns(L, lists[l], &along);
    PetscCheck(along, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Entries of level %zu lead to other lines", l);
    D.lines  = static_cast<int>(columns.size());
    D.reds   = static_cast<int>(std::count_if(columns.begin(), columns.end(), [&](int c) { return c < static_cast<int>(L.columns); }));
    D.n      = static_cast<int>(rows);
    D.number = static_cast<int>(lines);
    lines += columns.size();
    at[l] = all.size();
    AddLevel(L, S->B, lists[l], columns, &all);
    if (l + 1 < S->remainder.size()) S->remainder[l + 1].right_side = GridSums(); /* such lines leave no residual */
  }
  S->dense_lines = static_cast<int>(lines);
  if (!lines) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(numbers.Assign(where, all));
  inverses.Free();
  inverses.Resize(lines * rows * rows);
  PetscCall(inverses.Zeros(where, &inverse));
  work.Free(); /* matrices and sizes of rows; on the device also the entries before and after a step, and inverses of two blocks */
  work.Resize(where == Where::device ? lines * (2 * rows * rows + rows + 2 * step * step) : lines * (rows * rows + rows));
  PetscCall(work.Zeros(where, &S->dense_work));
  for (std::size_t l = 0; l < of_grid.size(); l++) {
    GridDense<Real>  &D     = S->dense[l];
    const std::size_t count = static_cast<std::size_t>(D.lines);

    if (!count) continue;
    D.column          = numbers.At(where) + at[l];
    D.remainder_index = D.column + count;
    D.inverse         = inverse + static_cast<std::size_t>(D.number) * rows * rows;
    D.line            = D.remainder_index + count * rows;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template class GridDenseLines<float>;
template class GridDenseLines<double>;

} // namespace heptane
