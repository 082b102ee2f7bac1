/*
   The places of a pattern's entries among the values of slices, and copies between compressed rows and slices. Host
   only; no PETSc objects.
*/
#include "sellp.hpp"
#include "../../coo/format_places.hpp"
#include <algorithm>
#include <type_traits>

namespace heptane
{

namespace
{

/* Finds the blocks of a cell by their columns, which mostly ascend */
class BlockFinder {
public:
  BlockFinder(const SellpLayout &layout, int which, int of_slice, std::int64_t of_cell) : L(layout), slice(which), lane(of_slice), cell(of_cell)
  {
    const SellpSlice &S = L.head[slice];

    if (sellp_kind(S) != SellpIndex::none) count = L.length[static_cast<std::size_t>(slice) * L.slice + lane];
    else {
      list  = sellp_index(L.index.data(), S); /* the slice's list of distances, if rows leave places out */
      count = S.width;
    }
  }

  bool Listed() const { return list; }
  int  Count() const { return count; }
  int  Find(int column)
  {
    for (int near = 0; near < 4 && block + 1 < count && Column(block) < column; near++) block++;
    if (Column(block) == column) return block;
    int lo = 0, hi = count - 1;
    while (lo < hi) {
      const int mid = (lo + hi) / 2;
      if (Column(mid) < column) lo = mid + 1;
      else hi = mid;
    }
    return block = lo;
  }

private:
  /* SellpLayout::column() without wrapping around: ascending in k */
  std::int64_t Column(int k) const { return list ? cell + list[k] : L.column(slice, k, lane); }

  const SellpLayout &L;
  int                slice, lane, count, block = 0;
  std::int64_t       cell;
  const int         *list = nullptr;
};

/* The end of the rows from `row` on whose places are the previous row's, each plus one, among as many rows that begin
   at a multiple of `together`; `row` itself if there are none. With blocks these are rows of the same cell, or whole
   cells of one group, whose blocks equal the previous cell's. All of them are in slices, as the previous row is. */
PetscInt end_of_adjacent(const SellpLayout &L, const Csr &A, PetscInt row, PetscInt together, std::size_t *next)
{
  const PetscInt b = L.block;

  if (row % together == 0) return row;
  if (L.group.empty()) return (b == 1 || row % b) && is_shifted_row(A, row, b > 1 ? 0 : 1) ? row + 1 : row;
  while (*next < L.group.size() && L.group[*next] < row) ++*next;
  if (*next < L.group.size() && L.group[*next] == row) return row;
  const PetscInt first = L.group[*next - 1], end = std::min({*next < L.group.size() ? L.group[*next] : A.rows, A.rows, row - row % together + together});
  if (b == 1) return end;
  const PetscInt cell = row - row % b, whole = end - end % b; /* its first row; the end of the whole cells */
  if (row == cell) return first <= cell - b ? std::max(row, whole) : row;
  return first <= cell ? std::max(whole, std::min(end, cell + b)) : std::min(end, cell + b);
}

/* Calls f(k, row, column, r, s) for every entry k of the pattern in order: the entry is component s of row r of the
   slice in a column of blocks, or column is -1. Stops when f returns false. If `follow` is given and the places of n
   rows are seen to be the previous row's, each plus one, follow(n) is called instead of f. */
template <class F, class Follow = EveryRow>
bool for_each_entry(const SellpLayout &L, const Csr &A, F f, Follow follow = {})
{
  const PetscInt   b        = L.block;
  std::size_t      rem      = 0;
  PetscInt         reported = -1; /* the last row with entries in a slice */
  std::size_t      next     = 0;  /* group */
  std::vector<int> at(L.place.size());

  for (std::size_t p = 0; p < at.size(); p++) at[L.cell_at(static_cast<int>(p))] = static_cast<int>(p);
  for (PetscInt row = 0; row < A.rows; row++) {
    if (rem < L.remainder_row.size() && L.remainder_row[rem] == row) {
      for (PetscInt k = A.ptr[row]; k < A.ptr[row + 1]; k++)
        if (!f(k, row, std::ptrdiff_t(-1), std::size_t(0), 0)) return false;
      rem++;
      continue;
    }
    if (A.ptr[row] == A.ptr[row + 1]) continue;
    if constexpr (!std::is_same_v<Follow, EveryRow>) { /* in the same cell, or in cells with adjacent places */
      const PetscInt end = reported == row - 1 ? end_of_adjacent(L, A, row, at.empty() ? L.slice * b : b, &next) : row;

      if (end > row) {
        follow(end - row);
        reported = row = end - 1;
        continue;
      }
    }
    reported = row;
    ask_for_group(A, L.group, next);
    const int         place = at.empty() ? static_cast<int>(row / b) : at[row / b], slice = place / L.slice, lane = place % L.slice;
    const std::size_t r = static_cast<std::size_t>(lane) * b + row % b;
    BlockFinder       blocks(L, slice, lane, row / b);
    const bool        filled =
      b == 1 && (!blocks.Listed() || (A.ptr[row + 1] - A.ptr[row] == blocks.Count() && std::is_sorted(A.col + A.ptr[row], A.col + A.ptr[row + 1])));
    for (PetscInt k = A.ptr[row]; k < A.ptr[row + 1]; k++) {
      const int c     = static_cast<int>(b > 1 ? A.col[k] / b : A.col[k]);
      const int block = filled ? static_cast<int>(k - A.ptr[row]) : blocks.Find(c);
      if (!f(k, row, static_cast<std::ptrdiff_t>(L.head[slice].first) + block, r, static_cast<int>(A.col[k] - c * b))) return false;
    }
  }
  return true;
}

} // namespace

bool SellpLayout::same(const FormatLayout &other) const
{
  const auto &o        = static_cast<const SellpLayout &>(other);
  const auto  one_head = [](const SellpSlice &s, const SellpSlice &t) { return s.first == t.first && s.width == t.width && s.index == t.index; };

  return same_base(o) && slice == o.slice && window == o.window && index == o.index && length == o.length && place == o.place &&
         std::equal(head.begin(), head.end(), o.head.begin(), o.head.end(), one_head);
}

/* Slots of the remainder follow the slots of the slices, in the order of the entries */
template <class F, class Follow>
void SellpLayout::each_slot(const Csr &A, F f, Follow follow) const
{
  const std::size_t lanes = slice_rows(), b = block;
  std::size_t       rem = format_values();

  const auto entry = [&](PetscInt k, PetscInt, std::ptrdiff_t column, std::size_t r, int s) {
    f(k, column < 0 ? rem++ : (static_cast<std::size_t>(column) * b + s) * lanes + r);
    return true;
  };
  for_each_entry(*this, A, entry, follow);
}

/* In the order of the slices if single rows are sorted: otherwise values would be accessed all over a window */
template <class F>
void SellpLayout::each_slot_anyhow(const Csr &A, F f) const
{
  const SellpLayout &L   = *this;
  std::size_t        rem = format_values();

  if (block > 1 || place.empty()) {
    each_slot(A, f, EveryRow());
    return;
  }
  for (int p = 0; p < cells; p++) {
    const int         which = p / slice, lane = p % slice, row = cell_at(p), count = length[p];
    const std::size_t first = static_cast<std::size_t>(head[which].first) * slice + lane, step = slice;
    const PetscInt    entry = A.ptr[row];

    if (sellp_kind(head[which]) != SellpIndex::none) {
      for (int k = 0; k < count; k++) f(entry + k, first + k * step);
      continue;
    }
    BlockFinder blocks(L, which, lane, row);
    for (int k = 0; k < count; k++) f(entry + k, first + blocks.Find(static_cast<int>(A.col[entry + k])) * step);
  }
  for (int row : remainder_row)
    for (PetscInt k = A.ptr[row]; k < A.ptr[row + 1]; k++) f(k, rem++);
}

template <class F>
bool SellpLayout::each_of_groups(const Csr &A, F f) const
{
  const auto lanes = static_cast<std::ptrdiff_t>(slice_rows());

  return for_each_entry(*this, A, [&](PetscInt k, PetscInt row, std::ptrdiff_t column, std::size_t r, int s) {
    return f(k, row, column < 0 ? column : column * lanes + static_cast<std::ptrdiff_t>(r), s);
  });
}

template class FormatLayoutOf<SellpLayout>;

} // namespace heptane
