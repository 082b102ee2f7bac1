/*
   Where the entries of a pattern are among the values of slices, and values between compressed rows and slices. Host only; knows no PETSc objects.
*/
#include "sellp.hpp"
#include "../coo/coo_runs.hpp"
#include "../csr/shifted_row.hpp"
#include "../values/value_runs.hpp"
#include <algorithm>
#include <type_traits>

namespace heptane
{

namespace
{

/* SellpLayout::column() without wrapping around: ascending in k */
std::int64_t whole_column(const SellpLayout &L, int slice, int k, int lane)
{
  const SellpSlice &S = L.head[slice];

  if (sellp_kind(S) == SellpIndex::none) return static_cast<std::int64_t>(L.cell_at(slice * L.slice + lane)) + sellp_index(L.index.data(), S)[k];
  return L.column(slice, k, lane);
}

/*
   Calls f(k, row, group, s) for every entry k of the pattern in order: it is component s of a group (see LocalPart::Groups), or group is -1. Stops when f returns false. Where follow is given, it is
   called in the place of f for rows whose places are seen to be those of the row before, each moved on by one.
*/
template <class F, class Follow = EveryRow>
bool for_each_entry(const SellpLayout &L, const Csr &A, F f, Follow follow = {})
{
  const PetscInt    b    = L.block;
  const std::size_t rows = L.slice_rows();
  std::size_t       rem  = 0;
  PetscInt          told = -1; /* the last row with entries in a slice */
  std::vector<int>  at(L.place.size());

  for (std::size_t p = 0; p < at.size(); p++) at[L.cell_at(static_cast<int>(p))] = static_cast<int>(p);
  for (PetscInt row = 0; row < A.rows; row++) {
    if (rem < L.rem_row.size() && L.rem_row[rem] == row) {
      for (PetscInt k = A.ptr[row]; k < A.ptr[row + 1]; k++)
        if (!f(k, row, std::ptrdiff_t(-1), 0)) return false;
      rem++;
      continue;
    }
    if (A.ptr[row] == A.ptr[row + 1]) continue;
    if constexpr (!std::is_same_v<Follow, EveryRow>) { /* in the same cell, or of cells with neighbouring places */
      const bool beside = told == row - 1 && (b > 1 ? row % b != 0 : at.empty() && row % L.slice != 0);

      if (beside && is_shifted_row(A, row, b > 1 ? 0 : 1)) {
        follow();
        told = row;
        continue;
      }
    }
    told                    = row;
    const int         place = at.empty() ? static_cast<int>(row / b) : at[row / b], slice = place / L.slice, lane = place % L.slice;
    const bool        listed = sellp_kind(L.head[slice]) == SellpIndex::none; /* in the slice's list of distances, where rows leave places out */
    const int         n      = listed ? L.head[slice].width : L.length[place];
    const std::size_t r      = static_cast<std::size_t>(lane) * b + row % b;
    const bool        filled = b == 1 && (!listed || (A.ptr[row + 1] - A.ptr[row] == n && std::is_sorted(A.col + A.ptr[row], A.col + A.ptr[row + 1])));
    int               block  = 0;
    for (PetscInt k = A.ptr[row]; k < A.ptr[row + 1]; k++) {
      const int c = static_cast<int>(A.col[k] / b);
      if (filled) block = static_cast<int>(k - A.ptr[row]);
      else if (L.column(slice, block, lane) != c) { /* ascending: the next one, or wherever it is */
        if (block + 1 < n && L.column(slice, block + 1, lane) == c) block++;
        else {
          int lo = 0, hi = n - 1;
          while (lo < hi) {
            const int mid = (lo + hi) / 2;
            if (whole_column(L, slice, mid, lane) < c) lo = mid + 1;
            else hi = mid;
          }
          block = lo;
        }
      }
      if (!f(k, row, static_cast<std::ptrdiff_t>((static_cast<std::size_t>(L.head[slice].first) + block) * rows + r), static_cast<int>(A.col[k] - c * b)))
        return false;
    }
  }
  return true;
}

/* Calls f(k, slot) with the place of every entry; remainder slots follow those of the slices, in the order of the entries */
template <class F, class Follow = EveryRow>
void for_each_slot(const SellpLayout &L, const Csr &A, F f, Follow follow = {})
{
  const std::size_t rows = L.slice_rows(), b = L.block;
  std::size_t       rem = L.slice_values();

  const auto entry = [&](PetscInt k, PetscInt, std::ptrdiff_t group, int s) {
    const std::size_t g = static_cast<std::size_t>(group);
    f(k, group < 0 ? rem++ : (g / rows * b + s) * rows + g % rows);
    return true;
  };
  for_each_entry(L, A, entry, follow);
}

} // namespace

template <class Index>
void sellp_slots(const SellpLayout &L, const Csr &A, Index slot[])
{
  for_each_slot(L, A, [&](PetscInt k, std::size_t s) { slot[k] = static_cast<Index>(s); });
}
template void sellp_slots<int>(const SellpLayout &, const Csr &, int[]);
template void sellp_slots<std::int64_t>(const SellpLayout &, const Csr &, std::int64_t[]);

void sellp_places(const SellpLayout &L, const Csr &A, ValueRunsMaker *maker)
{
  for_each_slot(
    L, A, [&](PetscInt, std::size_t s) { maker->Entry(static_cast<std::int64_t>(s)); }, [&] { maker->Follow(); });
}

template <class Index>
bool sellp_entry_runs(const SellpLayout &L, const Csr &A, const Index entry[], std::vector<Index> &start, std::vector<Index> &tail, std::size_t *step)
{
  start.assign(L.block_columns() * L.slice_rows(), -1);
  tail.assign(L.remainder_values(), -1);
  return entry_runs(L.block, entry, start, tail, step, [&](auto f) { return for_each_entry(L, A, f); });
}
template bool sellp_entry_runs<int>(const SellpLayout &, const Csr &, const int[], std::vector<int> &, std::vector<int> &, std::size_t *);
template bool sellp_entry_runs<std::int64_t>(const SellpLayout &, const Csr &, const std::int64_t[], std::vector<std::int64_t> &, std::vector<std::int64_t> &,
                                             std::size_t *);

void sellp_fill(const SellpLayout &L, const Csr &A, const Scalar a[], Scalar values[])
{
  std::fill(values, values + L.values(), Scalar(0));
  for_each_slot(L, A, [&](PetscInt k, std::size_t s) { values[s] = a[k]; });
}

void sellp_extract(const SellpLayout &L, const Csr &A, const Scalar values[], Scalar a[])
{
  for_each_slot(L, A, [&](PetscInt k, std::size_t s) { a[k] = values[s]; });
}

} // namespace heptane
