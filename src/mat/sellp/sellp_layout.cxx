/*
   Chooses block size, slices, sorting and what is put aside for a compressed-row pattern, and moves values between compressed rows and the
   format. Host only; knows no PETSc objects.
*/
#include "sellp_index.hpp"
#include "../csr/find_block.hpp"
#include "../../device/with_block.hpp"
#include <algorithm>
#include <climits>
#include <numeric>

namespace heptane
{

namespace
{

/* The block columns of a cell: ascending, but for scalar rows, whose columns stay as they are */
void columns_of(const Csr &A, PetscInt b, PetscInt cell, std::vector<PetscInt> &columns)
{
  columns.assign(A.col + A.ptr[cell * b], A.col + A.ptr[(cell + 1) * b]);
  if (b > 1) {
    for (PetscInt &c : columns) c /= b;
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  }
}

/* Blocks of every cell */
std::vector<int> count_blocks(const Csr &A, int block)
{
  std::vector<int>      count(static_cast<std::size_t>(A.rows / block));
  std::vector<PetscInt> columns;

  for (std::size_t cell = 0; cell < count.size(); cell++) {
    if (block == 1) count[cell] = static_cast<int>(A.ptr[cell + 1] - A.ptr[cell]);
    else {
      columns_of(A, block, static_cast<PetscInt>(cell), columns);
      count[cell] = static_cast<int>(columns.size());
    }
  }
  return count;
}

/* Takes block size b if its blocks are full enough; count: blocks of every cell */
bool take_block(const Csr &A, int b, const SellpLimits &limits, SellpLayout &L, std::vector<int> &count)
{
  std::vector<int> found  = count_blocks(A, b);
  const double     blocks = std::accumulate(found.begin(), found.end(), 0.0), size = 1.0 * b * b;
  const double     fill    = A.nnz() ? blocks * size / A.nnz() : 1;
  const bool       cheaper = (sizeof(Scalar) * size + 4.0) * blocks <= (sizeof(Scalar) + 4.0) * A.nnz();

  if (b > 1 && (limits.max_fill > 0 ? fill > static_cast<double>(limits.max_fill) : !cheaper)) {
    L.refused_block = b;
    L.refused_fill  = fill;
    return false;
  }
  L.block = b;
  L.fill  = fill;
  count.swap(found);
  return true;
}

/* The block size: the requested one, else the given one, else one found in the pattern, else 1 */
void choose_block(const Csr &A, PetscInt given, const SellpLimits &limits, SellpLayout &L, std::vector<int> &count)
{
  if (limits.block > 0) {
    if (take_block(A, static_cast<int>(limits.block), limits, L, count)) return;
  } else {
    if (given > 1 && A.rows % given == 0 && A.cols % given == 0 && take_block(A, static_cast<int>(given), limits, L, count)) return;
    const int b = find_block(A);
    if (b > 1 && b != given && take_block(A, b, limits, L, count)) return;
  }
  take_block(A, 1, limits, L, count);
}

/* Sorts the cells first .. last - 1 of the order, which are in order, by length, longest first; by counting, unless there are many more lengths than cells */
void sort_window(const std::vector<int> &length, int first, int last, std::vector<int> &begin, std::vector<int> &order)
{
  const int longest = *std::max_element(length.begin() + first, length.begin() + last);

  if (longest / 4 > last - first) {
    std::stable_sort(order.begin() + first, order.begin() + last, [&](int p, int q) { return length[p] > length[q]; });
    return;
  }
  begin.assign(static_cast<std::size_t>(longest) + 2, 0);
  for (int p = first; p < last; p++) begin[longest - length[p] + 1]++;
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (int p = first; p < last; p++) order[first + begin[longest - length[p]]++] = p;
}

/* Cells sorted by length, longest first, inside windows; equal ones stay in order */
std::vector<int> sort_cells(const std::vector<int> &length, int window)
{
  std::vector<int> order(length.size()), begin;
  const auto       n = static_cast<int>(length.size());

  std::iota(order.begin(), order.end(), 0);
  for (int first = 0; window > 1 && first < n; first += std::min(window, n - first))
    sort_window(length, first, first + std::min(window, n - first), begin, order);
  return order;
}

/* Blocks of a slice: its longest cell, rounded up to a multiple of the threads per row */
int slice_width(const SellpLayout &L, const std::vector<int> &length, const std::vector<int> &order, std::size_t slice)
{
  const std::size_t first = slice * L.slice, last = std::min(order.size(), first + L.slice);
  int               width = 0;

  for (std::size_t p = first; p < last; p++) width = std::max(width, length[order[p]]);
  return (width + L.threads - 1) / L.threads * L.threads;
}

/* Part of the stored places that the slices of cells in this order add to those that have a block; lanes behind the last cell do not count */
double padding(const SellpLayout &L, const std::vector<int> &length, const std::vector<int> &order)
{
  double stored = 0, used = 0;

  for (std::size_t slice = 0; slice * L.slice < order.size(); slice++)
    stored += 1.0 * slice_width(L, length, order, slice) * static_cast<double>(std::min<std::size_t>(L.slice, order.size() - slice * L.slice));
  for (int n : length) used += n;
  return used > 0 ? stored / used - 1 : 0;
}

/* The window of the rule in sellp_tuning.hpp; sorted_pads: what sorting may leave */
int choose_window(const SellpLayout &L, const std::vector<int> &length, double may_pad, double sorted_pads)
{
  const double unsorted = padding(L, length, sort_cells(length, 1));
  double       best     = unsorted;
  int          window   = 1;

  if (unsorted <= may_pad) return 1;
  for (int w : SellpTuning::windows) {
    w                = std::max(w / L.slice, 1) * L.slice;
    const double pad = padding(L, length, sort_cells(length, w));
    if (pad < best) {
      best   = pad;
      window = w;
    }
    if (pad <= sorted_pads || static_cast<std::size_t>(w) >= length.size()) break;
  }
  return window;
}

/* Cells longer than the limit leave the slices: their length becomes 0 */
bool put_aside(std::vector<int> &length, double limit, std::vector<bool> &aside)
{
  bool any = false;

  for (std::size_t cell = 0; cell < length.size(); cell++) {
    if (!(length[cell] > limit)) continue;
    aside[cell] = any = true;
    length[cell]      = 0;
  }
  return any;
}

/* Whether slices of 64 single rows go without index nearly everywhere: a look at some of them */
bool without_index(const Csr &A, const SellpLimits &limits)
{
  constexpr int         C = SellpTuning::pair_slice, step = C * SellpTuning::probe;
  SellpLayout           L;
  SellpIndexer          indexer(L, 0);
  std::vector<PetscInt> columns;

  if (limits.index || limits.own_length || limits.threads > 1 || A.rows < C) return false;
  L.cols  = static_cast<int>(A.cols);
  L.slice = C;
  for (PetscInt first = 0; first + C <= A.rows; first += step) {
    int width = 0;
    indexer.Begin();
    for (PetscInt row = first; row < first + C; row++) {
      columns_of(A, 1, row, columns);
      width = std::max(width, static_cast<int>(columns.size()));
      if (width > SellpTuning::very_long) return false;
      indexer.Add(static_cast<int>(row), columns);
    }
    indexer.End(0, width);
  }
  return L.by_kind[0] >= SellpTuning::probe_none * (L.by_kind[0] + L.by_kind[1] + L.by_kind[2]);
}

/* Slice height, threads, what is put aside, window */
void choose_slices(const Csr &A, const SellpLimits &limits, SellpLayout &L, std::vector<int> &length, std::vector<bool> &aside)
{
  const int    step = SellpTuning::slice_step, all = (L.cells + step - 1) / step * step;
  const double mean = std::accumulate(length.begin(), length.end(), 0.0) / L.cells;
  const bool   grid = limits.slice == 0 && L.block == 1 && without_index(A, limits);

  L.slice   = limits.slice < 0 ? all : limits.slice > 0 ? static_cast<int>(limits.slice) : std::min(grid ? SellpTuning::pair_slice : SellpTuning::slice, all);
  L.threads = limits.threads > 0 ? static_cast<int>(limits.threads) : SellpTuning::threads;
  const auto window = [&](double sorted_pads) {
    if (limits.slice < 0 || limits.window == 1 || L.slice > SellpTuning::max_window) return 1;
    if (limits.window > 0) return std::max(static_cast<int>(limits.window) / L.slice, 1) * L.slice;
    return choose_window(L, length,
                         grid                                  ? SellpTuning::grid_pads
                         : L.block <= SellpTuning::small_block ? SellpTuning::small_pads
                                                               : SellpTuning::may_pad,
                         sorted_pads);
  };
  if (limits.long_row > 0) put_aside(length, static_cast<double>(limits.long_row), aside);
  L.window = window(limits.long_row > 0 ? SellpTuning::aside_pads : SellpTuning::sorted_pads);
  if (limits.long_row > 0) return;
  const int longest = length.empty() ? 0 : *std::max_element(length.begin(), length.end());
  if (longest > SellpTuning::very_long ||
      padding(L, length, sort_cells(length, L.window)) > (grid && L.window == 1 ? SellpTuning::grid_pads : SellpTuning::sorted_pads))
    if (put_aside(length, std::max<double>(SellpTuning::long_row, SellpTuning::long_factor * mean), aside)) L.window = window(SellpTuning::aside_pads);
}

/* Fills head, index, length and place. False if the slices are wider than 32 bits count. */
bool make_slices(const Csr &A, const SellpLimits &limits, const std::vector<int> &length, const std::vector<bool> &aside, SellpLayout &L)
{
  const std::vector<int> order = sort_cells(length, L.window);
  SellpIndexer           indexer(L, limits.index);
  std::int64_t           first = 0;
  std::vector<PetscInt>  columns;

  L.slices = (L.cells + L.slice - 1) / L.slice;
  L.length.assign(static_cast<std::size_t>(L.slices) * L.slice, 0);
  for (int p = 0; p < L.cells; p++) {
    L.length[p] = length[order[p]];
    L.blocks += L.length[p];
  }
  if (L.window > 1) {
    L.place.resize(order.size());
    for (int p = 0; p < L.cells; p++) L.place[p] = static_cast<std::uint16_t>(order[p] - p / L.window * L.window);
  }
  for (int slice = 0; slice < L.slices; slice++) {
    indexer.Begin();
    for (int p = slice * L.slice; p < std::min(L.cells, (slice + 1) * L.slice); p++) {
      columns.clear();
      if (!aside[order[p]]) columns_of(A, L.block, order[p], columns);
      indexer.Add(order[p], columns);
    }
    first += indexer.End(static_cast<int>(first), slice_width(L, length, order, slice));
    if (first > INT_MAX) return false;
  }
  return true;
}

/* Compressed rows of the cells put aside; null: of all. False if they are more than 32 bits count. */
bool collect_remainder(const Csr &A, const std::vector<bool> *aside, SellpLayout &L)
{
  for (PetscInt row = 0; row < A.rows; row++) {
    if (A.ptr[row] == A.ptr[row + 1] || (aside && !(*aside)[row / L.block])) continue;
    if (L.rem_col.size() + static_cast<std::size_t>(A.ptr[row + 1] - A.ptr[row]) > INT_MAX - 1) return false;
    L.rem_row.push_back(static_cast<int>(row));
    for (PetscInt k = A.ptr[row]; k < A.ptr[row + 1]; k++) L.rem_col.push_back(static_cast<int>(A.col[k]));
    L.rem_ptr.push_back(static_cast<int>(L.rem_col.size()));
  }
  return true;
}

} // namespace

SellpLayout sellp_find_layout(const Csr &A, PetscInt given_block, bool all_remainder, const SellpLimits &limits)
{
  SellpLayout       L;
  std::vector<int>  length;
  std::vector<bool> aside;

  L.rem_ptr.assign(1, 0);
  if (A.rows > INT_MAX - SellpTuning::max_slice || A.cols > INT_MAX) {
    L.fit = SellpFit::too_large;
    return L;
  }
  L.rows = static_cast<int>(A.rows);
  L.cols = static_cast<int>(A.cols);
  L.nnz  = A.nnz();
  if (limits.block > 0 && !all_remainder && (A.rows % limits.block || A.cols % limits.block || limits.block > INT_MAX)) {
    L.fit = SellpFit::bad_block;
    return L;
  }
  if (all_remainder) {
    L.fit = collect_remainder(A, nullptr, L) ? SellpFit::requested : SellpFit::too_large;
    return L;
  }
  if (!L.nnz) return L;
  L.fit        = SellpFit::slices;
  L.own_length = limits.own_length;
  choose_block(A, given_block, limits, L, length);
  L.cells = L.rows / L.block;
  aside.assign(length.size(), false);
  choose_slices(A, limits, L, length, aside);
  if (!make_slices(A, limits, length, aside, L) || !collect_remainder(A, &aside, L)) L.fit = SellpFit::too_large;
  return L;
}

} // namespace heptane
