/*
   The blocks of a layout by columns: the gather lists of products with the transpose, and the diagonal blocks. Host
   only; no PETSc objects.
*/
#include "sellp.hpp"
#include "rows.hpp"
#include <algorithm>
#include <limits>
#include <numeric>

namespace heptane
{

SellpTranspose sellp_transpose(const SellpLayout &L)
{
  SellpTranspose T;
  const auto     for_each_block = [&](auto f) {
    std::vector<int> at(L.cells);
    for (int p = 0; p < L.cells; p++) at[L.cell_at(p)] = p;
    for (int cell = 0; cell < L.cells; cell++) {
      const int slice = at[cell] / L.slice, lane = at[cell] % L.slice;
      for (int k = 0; k < L.head[slice].width; k++) {
        const int c = L.column(slice, k, lane);
        if (static_cast<unsigned>(c) < static_cast<unsigned>(L.cols / L.block))
          f(cell, c, (static_cast<std::int64_t>(L.head[slice].first) + k) * L.slice + lane);
      }
    }
  };

  T.ptr.assign(static_cast<std::size_t>(L.cols / L.block) + 2, 0);
  for_each_block([&](int, int c, std::int64_t) { T.ptr[c + 2]++; });
  std::partial_sum(T.ptr.begin(), T.ptr.end(), T.ptr.begin());
  T.block.resize(T.ptr.back());
  T.row.resize(T.ptr.back());
  for_each_block([&](int cell, int c, std::int64_t block) {
    const std::int64_t p = T.ptr[c + 1]++;
    T.block[p]           = block;
    T.row[p]             = cell;
  });
  T.ptr.pop_back();
  return T;
}

/* Entries of each scalar column */
static std::vector<std::int64_t> column_lengths(const SellpLayout &L, const SellpTranspose &T)
{
  std::vector<std::int64_t> length(L.cols);

  for (int c = 0; c < L.cols; c++) length[c] = (T.ptr[c / L.block + 1] - T.ptr[c / L.block]) * L.block;
  for (int c : L.remainder_col) length[c]++;
  return length;
}

bool sellp_columns_uneven(const SellpLayout &L, const SellpTranspose &T)
{
  const std::vector<std::int64_t> length = column_lengths(L, T);
  const std::int64_t              most   = length.empty() ? 0 : *std::max_element(length.begin(), length.end()),
                     all                 = std::accumulate(length.begin(), length.end(), std::int64_t(0));

  return most > SellpTuning::uneven_entries && most * L.cols > SellpTuning::uneven_factor * all;
}

/* 32-bit numbers lead to all values */
bool sellp_by_scalar_columns(const SellpLayout &L, const SellpTranspose &T)
{
  const std::vector<std::int64_t> length = column_lengths(L, T);
  const std::size_t               limit  = std::numeric_limits<int>::max();

  return L.values() <= limit && std::accumulate(length.begin(), length.end(), std::size_t(0)) <= limit && (L.block == 1 || sellp_columns_uneven(L, T));
}

CsrColumns sellp_scalar_columns(const SellpLayout &L, const SellpTranspose &T)
{
  const std::vector<std::int64_t> length = column_lengths(L, T);
  const int                       b      = L.block;
  CsrColumns                      C;
  std::vector<std::int64_t>       next(L.cols);
  std::int64_t                    entries = 0;
  const auto                      put     = [&](int column, int row, std::size_t value) {
    const std::int64_t p = next[column]++;
    C.col[p]             = row;
    C.perm[p]            = static_cast<int>(value);
  };

  C.cols = L.cols;
  for (int c = 0; c < L.cols; c++) {
    next[c] = entries;
    if (length[c]) {
      C.row.push_back(c);
      C.ptr.push_back(static_cast<int>(entries));
    }
    entries += length[c];
  }
  C.ptr.push_back(static_cast<int>(entries));
  C.col.resize(entries);
  C.perm.resize(entries);
  for (int cell = 0; cell < L.cols / b; cell++)
    for (std::int64_t p = T.ptr[cell]; p < T.ptr[cell + 1]; p++) {
      const std::size_t column = T.block[p] / L.slice, lane = T.block[p] % L.slice;
      for (int s = 0; s < b; s++)
        for (int i = 0; i < b; i++) put(cell * b + s, T.row[p] * b + i, ((column * b + s) * L.slice + lane) * b + i);
    }
  for (std::size_t k = 0; k < L.remainder_row.size(); k++)
    for (int p = L.remainder_ptr[k]; p < L.remainder_ptr[k + 1]; p++) put(L.remainder_col[p], L.remainder_row[k], L.format_values() + p);
  return C;
}

std::vector<std::uint16_t> sellp_diagonal_places(const SellpLayout &L)
{
  std::vector<std::uint16_t> diagonal(L.cells);

  if (L.rows != L.cols || !L.remainder_row.empty()) return {};
  for (int place = 0; place < L.cells; place++) {
    const int slice = place / L.slice, lane = place % L.slice, cell = L.cell_at(place), width = std::min(L.head[slice].width, sellp_diagonal_limit);
    int       k = 0;

    if (!L.length[place]) return {};
    while (k < width && L.column(slice, k, lane) != cell) k++; /* the first of equal columns is the entry, the next ones are padding */
    if (k == width) return {};
    diagonal[place] = static_cast<std::uint16_t>(k);
  }
  return diagonal;
}

std::vector<std::int64_t> sellp_diagonal_offsets(const SellpLayout &L)
{
  const std::vector<std::uint16_t> diagonal = sellp_diagonal_places(L);
  std::vector<std::int64_t>        offset(diagonal.size());

  for (int place = 0; place < static_cast<int>(diagonal.size()); place++) {
    const std::int64_t column = L.head[place / L.slice].first + static_cast<std::int64_t>(diagonal[place]);
    offset[L.cell_at(place)]  = column * L.block * L.slice_rows() + place % L.slice * L.block;
  }
  return offset;
}

} // namespace heptane
