/*
   Finds the block diagonals in a compressed-row pattern, and moves values between compressed rows and the format. Host
   only; no PETSc objects.
*/
#include "bdiagh.hpp"
#include "../../../device/with_block.hpp"
#include "../../coo/format_places.hpp"
#include "../../csr/find_block.hpp"
#include "../../csr/repeated_columns.hpp"
#include "../../csr/shifted_row.hpp"
#include <algorithm>
#include <climits>
#include <type_traits>

namespace heptane
{

bool BdiaghLayout::same(const FormatLayout &other) const
{
  const auto &o = static_cast<const BdiaghLayout &>(other);

  return same_base(o) && ndiag == o.ndiag && ld == o.ld && std::equal(offset, offset + ndiag, o.offset);
}

int BdiaghLayout::main_diagonal() const
{
  const int *end = offset + ndiag, *p = std::lower_bound(offset, end, 0);

  return p != end && *p == 0 ? static_cast<int>(p - offset) : -1;
}

namespace
{

static_assert(BdiaghTuning::max_block == compiled_blocks, "larger blocks take the general path");

/* Entries on each block offset: in a table while there are few offsets, as on a grid of any size; then in an array of
   all offsets, from -(row cells - 1) to (column cells - 1) */
class OffsetCounts {
public:
  OffsetCounts(PetscInt row_cells, PetscInt column_cells) : rcells(row_cells), ccells(column_cells), key(size, 0), few(size, 0) {}

  void Add(PetscInt offset, PetscInt entries)
  {
    if (!all.empty()) {
      all[static_cast<std::size_t>(offset + rcells - 1)] += entries;
      return;
    }
    std::size_t k = static_cast<std::uint32_t>(offset) * 2654435761u >> (32 - bits);
    while (few[k] && key[k] != offset) k = (k + 1) % size;
    if (!few[k]) used++;
    key[k] = offset;
    few[k] += entries;
    if (used > size / 2) Spread();
  }
  /* f(offset, entries) for each offset that has entries, in no order */
  template <class F>
  void ForEach(const F &f) const
  {
    for (std::size_t k = 0; k < few.size(); k++)
      if (few[k]) f(key[k], few[k]);
    for (std::size_t k = 0; k < all.size(); k++)
      if (all[k]) f(static_cast<PetscInt>(k) - (rcells - 1), all[k]);
  }

private:
  void Spread()
  {
    all.assign(static_cast<std::size_t>(rcells + ccells), 0);
    for (std::size_t k = 0; k < size; k++)
      if (few[k]) all[static_cast<std::size_t>(key[k] + rcells - 1)] = few[k];
    few.clear();
  }

  static constexpr int         bits = 10;
  static constexpr std::size_t size = std::size_t(1) << bits; /* in the first-level cache; half of it is used */
  PetscInt                     rcells, ccells;
  std::size_t                  used = 0;
  std::vector<PetscInt>        key, few, all;
};

/* Rows of a group are counted together */
template <int B>
void count_offsets(const Csr &A, int block, const std::vector<PetscInt> &groups, OffsetCounts &count)
{
  const PetscInt b = B > 0 ? B : block;

  for (std::size_t g = 0; g < groups.size(); g++) {
    const PetscInt row = groups[g], rows = (g + 1 < groups.size() ? groups[g + 1] : A.rows) - row;
    ask_for_group(A, groups, g);
    for (PetscInt k = A.ptr[row]; k < A.ptr[row + 1]; k++) count.Add(A.col[k] / b - row / b, rows);
  }
}

/* Keeps the offsets that are filled enough, the fullest max_diagonals of them, in ascending order */
PetscInt choose_diagonals(const OffsetCounts &count, PetscInt rows, int block, double min_occupancy, BdiaghLayout &L)
{
  struct Diagonal {
    PetscInt offset, entries;
  };
  const double          least = std::max(1.0, min_occupancy * rows * block);
  std::vector<Diagonal> kept;
  PetscInt              on = 0;

  count.ForEach([&](PetscInt offset, PetscInt entries) {
    if (static_cast<double>(entries) >= least) kept.push_back({offset, entries});
  });
  if (kept.size() > BdiaghTuning::max_diagonals) {
    std::nth_element(kept.begin(), kept.begin() + BdiaghTuning::max_diagonals, kept.end(),
                     [](const Diagonal &p, const Diagonal &q) { return p.entries != q.entries ? p.entries > q.entries : p.offset < q.offset; });
    kept.resize(BdiaghTuning::max_diagonals);
  }
  std::sort(kept.begin(), kept.end(), [](const Diagonal &p, const Diagonal &q) { return p.offset < q.offset; });
  L.ndiag = static_cast<int>(kept.size());
  for (int r = 0; r < L.ndiag; r++) {
    L.offset[r] = static_cast<int>(kept[r].offset);
    on += kept[r].entries;
  }
  return on;
}

/* Calls f(k, row, r, s) for every entry k of the pattern in order: the entry is in component s on block diagonal r, or
   r is -1. Stops when f returns false. If `follow` is given and the places of n rows are seen to be the previous row's,
   each plus one, follow(n) is called instead of f. */
template <int B, class F, class Follow = EveryRow>
bool for_each_entry(const BdiaghLayout &L, const Csr &A, F f, Follow follow = {})
{
  const PetscInt     b    = B > 0 ? B : L.block;
  const PetscInt     omin = L.ndiag ? L.offset[0] : 0, omax = L.ndiag ? L.offset[L.ndiag - 1] : -1;
  std::vector<short> where(static_cast<std::size_t>(omax - omin + 1), -1);
  bool               plain = false; /* all entries of the previous row are on diagonals */
  std::size_t        next  = 0;     /* group */

  for (int r = 0; r < L.ndiag; r++) where[L.offset[r] - omin] = static_cast<short>(r);
  for (PetscInt row = 0; row < A.rows; row++) {
    const PetscInt cell = row / b;
    if constexpr (!std::is_same_v<Follow, EveryRow>) {
      if (next < L.group.size() && L.group[next] == row) next++;
      else if (plain && (!L.group.empty() || is_shifted_row(A, row, row == cell * b ? b : 0))) {
        const PetscInt end = L.group.empty() ? row + 1 : std::min(next < L.group.size() ? L.group[next] : A.rows, A.rows);
        if (A.ptr[row] < A.ptr[row + 1]) follow(end - row);
        row = end - 1;
        continue;
      }
    }
    plain = true;
    ask_for_group(A, L.group, next);
    for (PetscInt k = A.ptr[row]; k < A.ptr[row + 1]; k++) {
      const PetscInt c = A.col[k] / b, o = c - cell;
      const int      r = o >= omin && o <= omax ? where[o - omin] : -1;
      if (r < 0) plain = false;
      if (!f(k, row, r, static_cast<int>(A.col[k] - c * b))) return false;
    }
  }
  return true;
}

/* Calls f(k, slot) with the place of every entry; remainder slots follow the slots of the diagonals, in the order of
   the entries */
template <int B, class F, class Follow = EveryRow>
void for_each_slot(const BdiaghLayout &L, const Csr &A, F f, Follow follow = {})
{
  const std::size_t b   = B > 0 ? B : L.block;
  std::size_t       rem = L.format_values();

  const auto entry = [&](PetscInt k, PetscInt row, int r, int s) {
    f(k, r >= 0 ? (r * b + s) * L.ld + row : rem++);
    return true;
  };
  for_each_entry<B>(L, A, entry, follow);
}

/* Compressed rows of all */
void collect_all(BdiaghLayout &L, const Csr &A)
{
  std::size_t rows = 0;

  for (PetscInt row = 0; row < A.rows; row++) rows += A.ptr[row] < A.ptr[row + 1];
  L.remainder_row.reserve(rows);
  L.remainder_ptr.reserve(rows + 1);
  L.remainder_ptr.assign(1, 0);
  L.remainder_col.assign(A.col, A.col + A.nnz());
  for (PetscInt row = 0; row < A.rows; row++) {
    if (A.ptr[row] == A.ptr[row + 1]) continue;
    L.remainder_row.push_back(static_cast<int>(row));
    L.remainder_ptr.push_back(static_cast<int>(A.ptr[row + 1]));
  }
}

/* Compressed rows of the entries that are not on the diagonals */
void collect_remainder(BdiaghLayout &L, const Csr &A)
{
  const std::size_t first = L.format_values();
  PetscInt          row   = 0;

  L.remainder_row.clear();
  L.remainder_ptr.assign(1, 0);
  L.remainder_col.clear();
  with_block(L.block, [&](auto B) {
    for_each_slot<B()>(L, A, [&](PetscInt k, std::size_t slot) {
      if (slot < first) return;
      while (A.ptr[row + 1] <= k) row++;
      if (L.remainder_row.empty() || L.remainder_row.back() != static_cast<int>(row)) {
        L.remainder_row.push_back(static_cast<int>(row));
        L.remainder_ptr.push_back(L.remainder_ptr.back());
      }
      L.remainder_col.push_back(static_cast<int>(A.col[k]));
      L.remainder_ptr.back()++;
    });
  });
}

/* Samples some rows: their entries off well-filled diagonals; 0 for matrices that are analysed completely. Samples are
   a row of each cell in runs of cells, at places without period. */
double sampled_remainder(const Csr &A, int b, const BdiaghLimits &limits)
{
  constexpr int         runs   = BdiaghTuning::sample_runs;
  constexpr double      golden = 0.6180339887498949;
  const PetscInt        rcells = A.rows / b, cells = std::max(BdiaghTuning::sample_cells / b, 1);
  std::vector<PetscInt> offsets, count;
  double                place = 0, on = 0;

  if (rcells < BdiaghTuning::sample_from) return 0;
  for (int run = 0; run < runs; run++, place += golden - (place + golden >= 1)) {
    const PetscInt first = static_cast<PetscInt>(place * (rcells - cells));
    for (PetscInt cell = first; cell < first + cells; cell++) {
      const PetscInt row = cell * b + cell % b;
      for (PetscInt k = A.ptr[row]; k < A.ptr[row + 1]; k++) offsets.push_back(A.col[k] / b - cell);
    }
  }
  if (offsets.empty()) return 0;
  std::sort(offsets.begin(), offsets.end());
  const double least = 0.5 * static_cast<double>(limits.min_occupancy) * runs * static_cast<double>(cells) * b;
  for (std::size_t k = 0, end; k < offsets.size(); k = end) {
    for (end = k; end < offsets.size() && offsets[end] == offsets[k]; end++) continue;
    if (static_cast<double>(end - k) >= least) count.push_back(static_cast<PetscInt>(end - k));
  }
  std::sort(count.rbegin(), count.rend());
  for (std::size_t k = 0; k < count.size() && k < BdiaghTuning::max_diagonals; k++) on += static_cast<double>(count[k]);
  return 1 - on / static_cast<double>(offsets.size());
}

/* The layout with block size b: diagonals, and how many entries they hold */
BdiaghLayout layout_with_block(const Csr &A, int b, const BdiaghLimits &limits)
{
  constexpr std::size_t pad = BdiaghTuning::column_bytes / sizeof(Scalar);
  BdiaghLayout          L;

  L.rows  = static_cast<int>(A.rows);
  L.cols  = static_cast<int>(A.cols);
  L.block = b;
  L.ld    = (static_cast<std::size_t>(L.rows) + pad - 1) / pad * pad;
  if (L.ld * sizeof(Scalar) % BdiaghTuning::page_bytes == 0) L.ld += pad;
  L.nnz = A.nnz();
  if (!L.nnz) return L;
  L.found_remainder = sampled_remainder(A, b, limits);
  if (L.found_remainder > BdiaghTuning::sample_margin * static_cast<double>(limits.max_remainder)) {
    L.fit = BdiaghFit::remainder;
    return L;
  }
  std::vector<PetscInt> groups = row_groups(A, b);
  OffsetCounts          count(A.rows / b, A.cols / b);
  with_block(b, [&](auto B) { count_offsets<B()>(A, b, groups, count); });
  const PetscInt on = choose_diagonals(count, A.rows, b, static_cast<double>(limits.min_occupancy), L);
  L.found_fill      = on ? 1.0 * L.columns() * L.rows / on : 1.0;
  L.found_remainder = 1.0 * (L.nnz - on) / L.nnz;
  L.fit             = L.found_remainder > static_cast<double>(limits.max_remainder) ? BdiaghFit::remainder
                      : L.found_fill > static_cast<double>(limits.max_fill)         ? BdiaghFit::fill
                                                                                    : BdiaghFit::diagonals;
  if (L.fit == BdiaghFit::diagonals && has_repeated_columns(A, groups)) L.fit = BdiaghFit::repeated;
  if (few_groups(groups, A.rows)) L.group = std::move(groups);
  return L;
}

/* Bytes that a product would move: the criterion between two block sizes */
double bytes_of(const BdiaghLayout &L)
{
  return L.fit == BdiaghFit::diagonals ? sizeof(Scalar) * 1.0 * L.columns() * L.rows + (sizeof(Scalar) + 4.0) * L.found_remainder * L.nnz
                                       : (sizeof(Scalar) + 4.0) * 2 * L.nnz;
}

} // namespace

void bdiagh_complete(BdiaghLayout &L, const Csr &A)
{
  if (!L.ndiag && L.nnz && L.remainder_row.empty() && L.fit != BdiaghFit::too_large && L.fit != BdiaghFit::bad_block) collect_all(L, A);
}

BdiaghLayout bdiagh_decide_layout(const Csr &A, PetscInt given_block, bool all_remainder, const BdiaghLimits &limits)
{
  BdiaghLayout L;

  if (A.rows > INT_MAX || A.cols > INT_MAX) {
    L.fit = BdiaghFit::too_large;
    return L;
  }
  if (all_remainder) {
    L     = layout_with_block(A, 1, limits);
    L.fit = BdiaghFit::requested;
  } else if (limits.block > 0) {
    if (A.rows % limits.block || A.cols % limits.block || limits.block > INT_MAX) {
      L.fit = BdiaghFit::bad_block;
      return L;
    }
    L = layout_with_block(A, static_cast<int>(limits.block), limits);
  } else {
    const bool     given = given_block > 1 && A.rows % given_block == 0 && A.cols % given_block == 0;
    const PetscInt b     = given ? given_block : find_block(A);
    L                    = layout_with_block(A, static_cast<int>(b), limits);
    if (b > 1 && (L.fit != BdiaghFit::diagonals || L.found_fill > 1.25)) { /* blocks that are not dense: scalar diagonals may take less */
      BdiaghLayout scalar = layout_with_block(A, 1, limits);
      if (bytes_of(scalar) < bytes_of(L)) L = scalar;
    }
  }
  if (L.fit != BdiaghFit::diagonals) L.ndiag = 0;
  if (L.nnz && (L.ndiag == 0 || L.found_remainder > 0)) {
    const double rem = L.ndiag == 0 ? 1.0 * L.nnz : L.found_remainder * L.nnz;
    if (rem > INT_MAX - 1) {
      L.fit = BdiaghFit::too_large;
      return L;
    }
    if (L.ndiag) collect_remainder(L, A);
  }
  if (L.remainder_ptr.empty()) L.remainder_ptr.assign(1, 0);
  return L;
}

template <class F, class Follow>
void BdiaghLayout::each_slot(const Csr &A, F f, Follow follow) const
{
  with_block(block, [&](auto B) { for_each_slot<B()>(*this, A, f, follow); });
}

template <class F>
void BdiaghLayout::each_slot_anyhow(const Csr &A, F f) const
{
  each_slot(A, f, EveryRow());
}

template <class F>
bool BdiaghLayout::each_of_groups(const Csr &A, F f) const
{
  return with_block(block, [&](auto B) {
    return for_each_entry<B()>(
      *this, A, [&](PetscInt k, PetscInt row, int r, int s) { return f(k, row, r < 0 ? std::ptrdiff_t(-1) : static_cast<std::ptrdiff_t>(r * ld + row), s); });
  });
}

template class FormatLayoutOf<BdiaghLayout>;

} // namespace heptane
