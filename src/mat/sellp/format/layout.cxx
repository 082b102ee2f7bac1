/*
   Chooses block size, slices, sorting and rows to put aside for a compressed-row pattern, and moves values between
   compressed rows and the format. Host only; no PETSc objects.
*/
#include "index.hpp"
#include "../../../device/with_block.hpp"
#include "../../csr/find_block.hpp"
#include "../../csr/repeated_columns.hpp"
#include "../../csr/shifted_row.hpp"
#include "../../csr/whole_blocks.hpp"
#include <algorithm>
#include <climits>
#include <functional>
#include <numeric>

namespace heptane
{

namespace
{

/* The block columns of a cell: ascending, but for scalar rows, whose columns stay as they are */
void columns_of(const Csr &A, PetscInt b, PetscInt cell, std::vector<PetscInt> &columns)
{
  const PetscInt *first = A.col + A.ptr[cell * b], *end = A.col + A.ptr[(cell + 1) * b];
  PetscInt        step = 1;

  if (b > 1 && is_dense_cell(A, cell, b)) { /* as most are: the columns of one row say it all */
    end  = A.col + A.ptr[cell * b + 1];
    step = b;
  }
  columns.clear();
  for (; first < end; first += step) columns.push_back(b > 1 ? *first / b : *first);
  if (b == 1 || std::adjacent_find(columns.begin(), columns.end(), std::greater_equal<PetscInt>()) == columns.end()) return;
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
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

/* Accepts block size b if its blocks are full enough; count: blocks of every cell */
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

/* Sorts the cells first .. last - 1 by length, longest first; by counting, unless there are many more lengths than
   cells */
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

/* Cells sorted by length, longest first, within windows; equal ones stay in order. Empty if nothing is sorted: place p
   holds cell p. */
std::vector<int> sort_cells(const std::vector<int> &length, int window)
{
  const auto       n = static_cast<int>(length.size());
  std::vector<int> order, begin;

  if (window <= 1) return order;
  order.resize(length.size());
  std::iota(order.begin(), order.end(), 0);
  for (int first = 0; first < n; first += std::min(window, n - first)) sort_window(length, first, first + std::min(window, n - first), begin, order);
  return order;
}

/* Blocks of a slice: its longest cell */
int slice_width(const SellpLayout &L, const std::vector<int> &length, const std::vector<int> &order, std::size_t slice)
{
  const std::size_t first = slice * L.slice, last = std::min(length.size(), first + L.slice);
  int               width = 0;

  if (order.empty())
    for (std::size_t p = first; p < last; p++) width = std::max(width, length[p]);
  else
    for (std::size_t p = first; p < last; p++) width = std::max(width, length[order[p]]);
  return width;
}

/* f(length, cells) for each slice of the sorted cells first .. last - 1, which begin a window: the length of its
   longest cell. Nothing is sorted unless there are many more lengths than cells. */
template <class F>
void sorted_slices(const std::vector<int> &length, std::size_t first, std::size_t last, std::size_t slice, std::vector<int> &work, const F &f)
{
  const std::size_t n       = last - first;
  const int         longest = *std::max_element(length.begin() + static_cast<std::ptrdiff_t>(first), length.begin() + static_cast<std::ptrdiff_t>(last));

  if (longest / 4 > static_cast<int>(n)) {
    work.assign(length.begin() + static_cast<std::ptrdiff_t>(first), length.begin() + static_cast<std::ptrdiff_t>(last));
    std::sort(work.rbegin(), work.rend());
    for (std::size_t p = 0; p < n; p += slice) f(work[p], std::min(slice, n - p));
    return;
  }
  work.assign(static_cast<std::size_t>(longest) + 1, 0);
  for (std::size_t p = first; p < last; p++) work[static_cast<std::size_t>(length[p])]++;
  std::size_t before = 0, p = 0; /* cells of greater length, the first cell of the next slice */
  for (int k = longest; k >= 0 && p < n; k--) {
    before += static_cast<std::size_t>(work[static_cast<std::size_t>(k)]);
    for (; p < before; p += slice) f(k, std::min(slice, n - p));
  }
}

/* Padding that slices of cells sorted in these windows store, relative to the blocks; lanes after the last cell do not
   count */
double padding(const SellpLayout &L, const std::vector<int> &length, int window)
{
  const std::size_t slice = L.slice, n = length.size(), w = window > 1 ? static_cast<std::size_t>(window) : slice;
  double            stored = 0;
  std::int64_t      used   = 0; /* exact, and added faster */
  std::vector<int>  work;
  const auto        store = [&](int longest, std::size_t cells) { stored += 1.0 * longest * static_cast<double>(cells); };

  for (std::size_t first = 0; first < n; first += w) {
    const std::size_t last = std::min(n, first + w);
    if (window > 1) sorted_slices(length, first, last, slice, work, store);
    else store(*std::max_element(length.begin() + static_cast<std::ptrdiff_t>(first), length.begin() + static_cast<std::ptrdiff_t>(last)), last - first);
  }
  for (int k : length) used += k;
  return used > 0 ? stored / static_cast<double>(used) - 1 : 0;
}

/* The window by the rule in tuning.hpp; sorted_pads: padding allowed after sorting */
int choose_window(const SellpLayout &L, const std::vector<int> &length, double may_pad, double sorted_pads)
{
  const double unsorted = padding(L, length, 1);
  double       best     = unsorted;
  int          window   = 1;

  if (unsorted <= may_pad) return 1;
  for (int w : SellpTuning::windows) {
    w                = std::max(w / L.slice, 1) * L.slice;
    const double pad = padding(L, length, w);
    if (pad < best) {
      best   = pad;
      window = w;
    }
    if (pad <= sorted_pads || static_cast<std::size_t>(w) >= length.size()) break;
  }
  return window;
}

/* Cells longer than the limit leave the slices: their length becomes 0 */
bool move_to_remainder(std::vector<int> &length, double limit, std::vector<bool> &is_remainder)
{
  bool any = false;

  for (std::size_t cell = 0; cell < length.size(); cell++) {
    if (!(length[cell] > limit)) continue;
    is_remainder[cell] = any = true;
    length[cell]             = 0;
  }
  return any;
}

/* Whether slices of 64 single rows need no index nearly everywhere, from a sample */
bool without_index(const Csr &A, const SellpLimits &limits)
{
  constexpr int C = SellpTuning::pair_slice, step = C * SellpTuning::probe;
  SellpLayout   L;
  SellpIndexer  indexer(L, 0);

  if (limits.index || A.rows < C) return false;
  L.cols  = static_cast<int>(A.cols);
  L.slice = C;
  for (PetscInt first = 0; first + C <= A.rows; first += step) {
    int width = 0;
    indexer.Begin();
    for (PetscInt row = first; row < first + C; row++) {
      const PetscInt count = A.ptr[row + 1] - A.ptr[row];
      width                = std::max(width, static_cast<int>(count));
      if (width > SellpTuning::very_long) return false;
      indexer.Add(static_cast<int>(row), A.col + A.ptr[row], count);
    }
    if (!indexer.EndByDistances(0, &width)) indexer.EndByIndex(0, width);
  }
  return L.by_kind[0] >= SellpTuning::probe_none * (L.by_kind[0] + L.by_kind[1] + L.by_kind[2]);
}

/* Slice height, rows put aside, window */
void choose_slices(const Csr &A, const SellpLimits &limits, SellpLayout &L, std::vector<int> &length, std::vector<bool> &is_remainder)
{
  const int    step = SellpTuning::slice_step, all = (L.cells + step - 1) / step * step;
  const double mean = static_cast<double>(std::accumulate(length.begin(), length.end(), std::int64_t(0))) / L.cells;
  const bool   grid = limits.slice == 0 && L.block == 1 && without_index(A, limits);

  L.slice = limits.slice < 0 ? all : limits.slice > 0 ? static_cast<int>(limits.slice) : std::min(grid ? SellpTuning::pair_slice : SellpTuning::slice, all);
  const double may_pad = grid ? SellpTuning::grid_pads : L.block <= SellpTuning::small_block ? SellpTuning::small_pads : SellpTuning::may_pad;
  const auto   window  = [&](double sorted_pads) {
    if (limits.slice < 0 || limits.window == 1 || L.slice > SellpTuning::max_window) return 1;
    if (limits.window > 0) return std::max(static_cast<int>(limits.window) / L.slice, 1) * L.slice;
    return choose_window(L, length, may_pad, sorted_pads);
  };
  const int    longest = *std::max_element(length.begin(), length.end());
  const double limit   = limits.long_row > 0 ? static_cast<double>(limits.long_row) : std::max<double>(SellpTuning::long_row, SellpTuning::long_factor * mean);
  if (limits.long_row <= 0 && !(longest > SellpTuning::very_long && longest > limit)) { /* else rows may be put aside with any window */
    L.window = window(SellpTuning::sorted_pads);
    if (longest <= SellpTuning::very_long && padding(L, length, L.window) <= (grid && L.window == 1 ? SellpTuning::grid_pads : SellpTuning::sorted_pads))
      return;
  }
  if (move_to_remainder(length, limit, is_remainder) || limits.long_row > 0) L.window = window(SellpTuning::remainder_pads);
}

/* Passes the cells of a slice with their block columns to an indexer */
class SliceCells {
public:
  SliceCells(const Csr &pattern, const SellpLayout &layout, const std::vector<int> &sorted, const std::vector<bool> &in_remainder)
    : A(pattern), L(layout), order(sorted), is_remainder(in_remainder)
  {}

  /* All of them */
  void Give(int slice, SellpIndexer &indexer)
  {
    const int first = slice * L.slice, last = std::min(L.cells, first + L.slice);

    indexer.Begin();
    if (L.block > 1) columns.resize(static_cast<std::size_t>(L.slice));
    for (int p = first; p < last; p++) GiveCell(order.empty() ? p : order[p], p - first, indexer);
  }
  /* Passes the first of each group, if the groups of single rows are known and the cells are in order; slices ascend */
  bool GiveGroups(int slice, SellpIndexer &indexer)
  {
    const int first = slice * L.slice, last = std::min(L.cells, first + L.slice);

    if (L.block > 1 || L.group.empty() || !order.empty()) return false;
    indexer.Begin();
    while (next < L.group.size() && L.group[next] <= first) next++;
    GiveCell(first, 0, indexer);
    for (; next < L.group.size() && L.group[next] < last; next++) {
      ask_for_group(A, L.group, next);
      GiveCell(static_cast<int>(L.group[next]), 0, indexer);
    }
    return true;
  }

private:
  void GiveCell(int cell, int lane, SellpIndexer &indexer)
  {
    if (is_remainder[cell]) indexer.Add(cell, nullptr, 0);
    else if (L.block == 1) indexer.Add(cell, A.col + A.ptr[cell], A.ptr[cell + 1] - A.ptr[cell]);
    else {
      columns_of(A, L.block, cell, columns[lane]);
      indexer.Add(cell, columns[lane].data(), static_cast<PetscInt>(columns[lane].size()));
    }
  }

  const Csr                         &A;
  const SellpLayout                 &L;
  const std::vector<int>            &order;
  const std::vector<bool>           &is_remainder;
  std::vector<std::vector<PetscInt>> columns; /* of blocks, for each lane */
  std::size_t                        next = 0;
};

/* Fills head, index, length and place. False if the slices are wider than 32 bits count. */
bool make_slices(const Csr &A, const SellpLimits &limits, std::vector<int> &&length, const std::vector<bool> &is_remainder, SellpLayout &L)
{
  const std::vector<int> order = sort_cells(length, L.window);
  SellpIndexer           indexer(L, limits.index);
  SliceCells             cells(A, L, order, is_remainder);
  std::int64_t           first = 0;

  L.slices = (L.cells + L.slice - 1) / L.slice;
  L.blocks = static_cast<double>(std::accumulate(length.begin(), length.end(), std::int64_t(0)));
  L.head.reserve(static_cast<std::size_t>(L.slices));
  for (int slice = 0; slice < L.slices; slice++) {
    int  width = slice_width(L, length, order, slice);
    bool given = !cells.GiveGroups(slice, indexer);
    if (given) cells.Give(slice, indexer);
    if (!indexer.EndByDistances(static_cast<int>(first), &width)) {
      if (!given) cells.Give(slice, indexer);
      indexer.EndByIndex(static_cast<int>(first), width);
    }
    first += width;
    if (first > INT_MAX) return false;
  }
  if (order.empty()) L.length = std::move(length);
  else {
    L.length.resize(order.size());
    L.place.resize(order.size());
    for (int p = 0; p < L.cells; p++) {
      L.length[p] = length[order[p]];
      L.place[p]  = static_cast<std::uint16_t>(order[p] - p / L.window * L.window);
    }
  }
  L.length.resize(static_cast<std::size_t>(L.slices) * L.slice, 0);
  return true;
}

/* Compressed rows of the cells put aside; null: of all. False if they are more than 32 bits count. */
bool collect_remainder(const Csr &A, const std::vector<bool> *is_remainder, SellpLayout &L)
{
  for (PetscInt row = 0; row < A.rows; row++) {
    if (A.ptr[row] == A.ptr[row + 1] || (is_remainder && !(*is_remainder)[row / L.block])) continue;
    if (L.remainder_col.size() + static_cast<std::size_t>(A.ptr[row + 1] - A.ptr[row]) > INT_MAX - 1) return false;
    L.remainder_row.push_back(static_cast<int>(row));
    L.remainder_col.insert(L.remainder_col.end(), A.col + A.ptr[row], A.col + A.ptr[row + 1]);
    L.remainder_ptr.push_back(static_cast<int>(L.remainder_col.size()));
  }
  return true;
}

SellpLayout all_in_remainder(const Csr &A, bool repeated)
{
  SellpLayout L;

  L.rows     = static_cast<int>(A.rows);
  L.cols     = static_cast<int>(A.cols);
  L.nnz      = A.nnz();
  L.repeated = repeated;
  L.remainder_ptr.assign(1, 0);
  L.fit = collect_remainder(A, nullptr, L) ? SellpFit::requested : SellpFit::too_large;
  return L;
}

} // namespace

SellpLayout sellp_find_layout(const Csr &A, PetscInt given_block, bool all_remainder, const SellpLimits &limits)
{
  SellpLayout       L;
  std::vector<int>  length;
  std::vector<bool> is_remainder;

  L.remainder_ptr.assign(1, 0);
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
  if (all_remainder) return all_in_remainder(A, false);
  if (!L.nnz) return L;
  L.fit = SellpFit::slices;
  choose_block(A, given_block, limits, L, length);
  L.cells                      = L.rows / L.block;
  std::vector<PetscInt> groups = row_groups(A, L.block);
  if (has_repeated_columns(A, groups)) return all_in_remainder(A, true);
  if (few_groups(groups, A.rows)) L.group = std::move(groups);
  is_remainder.assign(length.size(), false);
  choose_slices(A, limits, L, length, is_remainder);
  const bool any_remainder = std::find(is_remainder.begin(), is_remainder.end(), true) != is_remainder.end();
  if (!make_slices(A, limits, std::move(length), is_remainder, L) || (any_remainder && !collect_remainder(A, &is_remainder, L))) L.fit = SellpFit::too_large;
  return L;
}

} // namespace heptane
