/*
   Where the blocks of a layout lie by columns: the lists that products with the transpose gather by, and the diagonal blocks. Host only; knows
   no PETSc objects.
*/
#include "sellp.hpp"
#include "sellp_rows.hpp"
#include <algorithm>
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
      const int width = L.own_length ? L.length[at[cell]] : L.head[slice].width;
      for (int k = 0; k < width; k++) {
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

std::vector<std::uint16_t> sellp_diagonal_places(const SellpLayout &L)
{
  std::vector<std::uint16_t> diagonal(L.cells);

  if (L.rows != L.cols || !L.rem_row.empty()) return {};
  for (int place = 0; place < L.cells; place++) {
    const int slice = place / L.slice, lane = place % L.slice, cell = L.cell_at(place), width = std::min(L.head[slice].width, sellp_diagonal_limit);
    int       k = 0;

    if (!L.length[place]) return {};
    while (k < width && L.column(slice, k, lane) != cell) k++; /* the first of equal columns is the entry, those behind it are padding */
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
