/*
   Finds the block diagonals in a compressed-row pattern, and moves values between compressed rows and the format.
   Host only; knows no PETSc objects.
*/
#include "bdiagh.hpp"
#include "../coo/coo_runs.hpp"
#include "../values/value_runs.hpp"
#include "../csr/find_block.hpp"
#include "../csr/repeated_columns.hpp"
#include "../csr/shifted_row.hpp"
#include "../../device/with_block.hpp"
#include <algorithm>
#include <climits>
#include <type_traits>

namespace heptane
{

int BdiaghLayout::main_diagonal() const
{
  const int *end = offset + ndiag, *p = std::lower_bound(offset, end, 0);

  return p != end && *p == 0 ? static_cast<int>(p - offset) : -1;
}

namespace
{

static_assert(BdiaghTuning::max_block == compiled_blocks, "larger blocks take the general path");

/* Entries on each block offset; offsets run from -(row cells - 1) to (column cells - 1). Rows that are the row before moved on are counted with it. */
template <int B>
void count_offsets(const Csr &A, int block, std::vector<PetscInt> &count)
{
  const PetscInt b = B > 0 ? B : block, rcells = A.rows / b, ccells = A.cols / b;
  const auto     add = [&](PetscInt row, PetscInt rows) {
    PetscInt *at_zero = count.data() + (rcells - 1 - row / b);
    for (PetscInt k = A.ptr[row]; k < A.ptr[row + 1]; k++) at_zero[A.col[k] / b] += rows;
  };
  PetscInt first = 0;

  count.assign(static_cast<std::size_t>(rcells + ccells), 0);
  for (PetscInt row = 1, i = b > 1; row < A.rows; row++, i = i + 1 < b ? i + 1 : 0) {
    if (is_shifted_row(A, row, i ? 0 : b)) continue;
    add(first, row - first);
    first = row;
  }
  if (A.rows) add(first, A.rows - first);
}

/* Keeps the offsets that are filled enough, the fullest max_diagonals of them, in ascending order */
PetscInt choose_diagonals(const std::vector<PetscInt> &count, PetscInt rows, int block, double min_occupancy, BdiaghLayout &L)
{
  const PetscInt   rcells = rows / block;
  const double     least  = std::max(1.0, min_occupancy * rows * block);
  std::vector<int> kept;
  PetscInt         entries = 0;

  for (std::size_t k = 0; k < count.size(); k++)
    if (static_cast<double>(count[k]) >= least) kept.push_back(static_cast<int>(k));
  if (kept.size() > BdiaghTuning::max_diagonals) {
    std::nth_element(kept.begin(), kept.begin() + BdiaghTuning::max_diagonals, kept.end(),
                     [&](int p, int q) { return count[p] != count[q] ? count[p] > count[q] : p < q; });
    kept.resize(BdiaghTuning::max_diagonals);
    std::sort(kept.begin(), kept.end());
  }
  L.ndiag = static_cast<int>(kept.size());
  for (int r = 0; r < L.ndiag; r++) {
    L.offset[r] = static_cast<int>(kept[r] - (rcells - 1));
    entries += count[kept[r]];
  }
  return entries;
}

/*
   Calls f(k, row, r, s) for every entry k of the pattern in order: it is in component s on block diagonal r, or r is -1. Stops when f returns false. Where follow is given, it is called in the place of f for
   rows whose places are seen to be those of the row before, each moved on by one.
*/
template <int B, class F, class Follow = EveryRow>
bool for_each_entry(const BdiaghLayout &L, const Csr &A, F f, Follow follow = {})
{
  const PetscInt     b    = B > 0 ? B : L.block;
  const PetscInt     omin = L.ndiag ? L.offset[0] : 0, omax = L.ndiag ? L.offset[L.ndiag - 1] : -1;
  std::vector<short> where(static_cast<std::size_t>(omax - omin + 1), -1);
  bool               plain = false; /* all entries of the row before are on diagonals */

  for (int r = 0; r < L.ndiag; r++) where[L.offset[r] - omin] = static_cast<short>(r);
  for (PetscInt row = 0; row < A.rows; row++) {
    const PetscInt cell = row / b;
    if constexpr (!std::is_same_v<Follow, EveryRow>) {
      if (plain && is_shifted_row(A, row, row == cell * b ? b : 0)) {
        if (A.ptr[row] < A.ptr[row + 1]) follow();
        continue;
      }
    }
    plain = true;
    for (PetscInt k = A.ptr[row]; k < A.ptr[row + 1]; k++) {
      const PetscInt c = A.col[k] / b, o = c - cell;
      const int      r = o >= omin && o <= omax ? where[o - omin] : -1;
      if (r < 0) plain = false;
      if (!f(k, row, r, static_cast<int>(A.col[k] - c * b))) return false;
    }
  }
  return true;
}

/* Calls f(k, slot) with the place of every entry; remainder slots follow those of the diagonals, in the order of the entries */
template <int B, class F, class Follow = EveryRow>
void for_each_slot(const BdiaghLayout &L, const Csr &A, F f, Follow follow = {})
{
  const std::size_t b   = B > 0 ? B : L.block;
  std::size_t       rem = L.diagonal_values();

  const auto entry = [&](PetscInt k, PetscInt row, int r, int s) {
    f(k, r >= 0 ? (r * b + s) * L.ld + row : rem++);
    return true;
  };
  for_each_entry<B>(L, A, entry, follow);
}

/* Compressed rows of what is not on the diagonals */
void collect_remainder(BdiaghLayout &L, const Csr &A)
{
  const std::size_t first = L.diagonal_values();
  PetscInt          row   = 0;

  L.rem_row.clear();
  L.rem_ptr.assign(1, 0);
  L.rem_col.clear();
  with_block(L.block, [&](auto B) {
    for_each_slot<B()>(L, A, [&](PetscInt k, std::size_t slot) {
      if (slot < first) return;
      while (A.ptr[row + 1] <= k) row++;
      if (L.rem_row.empty() || L.rem_row.back() != static_cast<int>(row)) {
        L.rem_row.push_back(static_cast<int>(row));
        L.rem_ptr.push_back(L.rem_ptr.back());
      }
      L.rem_col.push_back(static_cast<int>(A.col[k]));
      L.rem_ptr.back()++;
    });
  });
}

/* What a look at some of the rows finds off the diagonals that are well filled in them; 0 for matrices that are looked at as a whole. A row of each cell of runs of cells, at places without period. */
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
  std::vector<PetscInt> count;

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
  with_block(b, [&](auto B) { count_offsets<B()>(A, b, count); });
  const PetscInt on = choose_diagonals(count, A.rows, b, static_cast<double>(limits.min_occupancy), L);
  L.found_fill      = on ? 1.0 * L.columns() * L.rows / on : 1.0;
  L.found_remainder = 1.0 * (L.nnz - on) / L.nnz;
  L.fit             = L.found_remainder > static_cast<double>(limits.max_remainder) ? BdiaghFit::remainder
                      : L.found_fill > static_cast<double>(limits.max_fill)         ? BdiaghFit::fill
                                                                                    : BdiaghFit::diagonals;
  return L;
}

/* Bytes that a product would move: what decides between two block sizes */
double bytes_of(const BdiaghLayout &L)
{
  return L.fit == BdiaghFit::diagonals ? sizeof(Scalar) * 1.0 * L.columns() * L.rows + (sizeof(Scalar) + 4.0) * L.found_remainder * L.nnz
                                       : (sizeof(Scalar) + 4.0) * 2 * L.nnz;
}

} // namespace

BdiaghLayout bdiagh_find_layout(const Csr &A, PetscInt given_block, bool all_remainder, const BdiaghLimits &limits)
{
  BdiaghLayout L = bdiagh_decide_layout(A, given_block, all_remainder, limits);

  bdiagh_complete(L, A);
  return L;
}

void bdiagh_complete(BdiaghLayout &L, const Csr &A)
{
  if (!L.ndiag && L.nnz && L.rem_row.empty() && L.fit != BdiaghFit::too_large && L.fit != BdiaghFit::bad_block) collect_remainder(L, A);
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
  if (L.fit == BdiaghFit::diagonals && has_repeated_columns(A)) L.fit = BdiaghFit::repeated;
  if (L.fit != BdiaghFit::diagonals) L.ndiag = 0;
  if (L.nnz && (L.ndiag == 0 || L.found_remainder > 0)) {
    const double rem = L.ndiag == 0 ? 1.0 * L.nnz : L.found_remainder * L.nnz;
    if (rem > INT_MAX - 1) {
      L.fit = BdiaghFit::too_large;
      return L;
    }
    if (L.ndiag) collect_remainder(L, A);
  }
  if (L.rem_ptr.empty()) L.rem_ptr.assign(1, 0);
  return L;
}

template <class Index>
void bdiagh_slots(const BdiaghLayout &L, const Csr &A, Index slot[])
{
  with_block(L.block, [&](auto B) { for_each_slot<B()>(L, A, [&](PetscInt k, std::size_t s) { slot[k] = static_cast<Index>(s); }); });
}
template void bdiagh_slots<int>(const BdiaghLayout &, const Csr &, int[]);
template void bdiagh_slots<std::int64_t>(const BdiaghLayout &, const Csr &, std::int64_t[]);

void bdiagh_places(const BdiaghLayout &L, const Csr &A, ValueRunsMaker *maker)
{
  with_block(L.block, [&](auto B) {
    for_each_slot<B()>(
      L, A, [&](PetscInt, std::size_t s) { maker->Entry(static_cast<std::int64_t>(s)); }, [&] { maker->Follow(); });
  });
}

template <class Index>
bool bdiagh_entry_runs(const BdiaghLayout &L, const Csr &A, const Index entry[], std::vector<Index> &start, std::vector<Index> &tail, std::size_t *step)
{
  start.assign(L.ndiag * L.ld, -1);
  tail.assign(L.remainder_values(), -1);
  return entry_runs(L.block, entry, start, tail, step, [&](auto f) {
    return with_block(L.block, [&](auto B) {
      return for_each_entry<B()>(
        L, A, [&](PetscInt k, PetscInt row, int r, int s) { return f(k, row, r < 0 ? std::ptrdiff_t(-1) : static_cast<std::ptrdiff_t>(r * L.ld + row), s); });
    });
  });
}
template bool bdiagh_entry_runs<int>(const BdiaghLayout &, const Csr &, const int[], std::vector<int> &, std::vector<int> &, std::size_t *);
template bool bdiagh_entry_runs<std::int64_t>(const BdiaghLayout &, const Csr &, const std::int64_t[], std::vector<std::int64_t> &, std::vector<std::int64_t> &,
                                              std::size_t *);

void bdiagh_fill(const BdiaghLayout &L, const Csr &A, const Scalar a[], Scalar values[])
{
  std::fill(values, values + L.values(), Scalar(0));
  with_block(L.block, [&](auto B) { for_each_slot<B()>(L, A, [&](PetscInt k, std::size_t s) { values[s] = a[k]; }); });
}

void bdiagh_extract(const BdiaghLayout &L, const Csr &A, const Scalar values[], Scalar a[])
{
  with_block(L.block, [&](auto B) { for_each_slot<B()>(L, A, [&](PetscInt k, std::size_t s) { a[k] = values[s]; }); });
}

} // namespace heptane
