/*
   The host executor of the sliced ELLPACK products: loops around the arithmetic of rows.hpp.
*/
#include "host.hpp"
#include "../../../device/host_clones.hpp"
#include "../../../device/with_block.hpp"
#include "tile_transpose.hpp"
#include <algorithm>

namespace heptane
{

namespace kernels
{

/* Rows of `count` cells from the sums of a tile; cell(l): that of lane l */
template <int B, class Cell>
HEPTANE_HOST_INLINE void put(const Cell &cell, int count, const Scalar sum[], const Scalar *y, Scalar *z)
{
  for (int l = 0; l < count; l++) {
    const std::size_t row = static_cast<std::size_t>(cell(l)) * B;
    for (int i = 0; i < B; i++) {
      const Scalar total = sum[l * SellpSums<B>::size + SellpSums<B>::at(i)];
      z[row + i]         = y ? y[row + i] + total : total;
    }
  }
}

/* The lanes of a slice, a tile at a time: tile(first lane, lanes, their cells if they were sorted) */
template <class Tile>
HEPTANE_HOST_INLINE void each_tile(const SellpShape &A, int slice, int lanes, const Tile &tile)
{
  int cell[SellpTuning::host_tile];

  for (int l = 0; l < lanes; l += SellpTuning::host_tile) {
    const int count = std::min<int>(SellpTuning::host_tile, lanes - l), place = slice * A.slice + l;
    if (A.place) {
      const int window = place - place % A.window; /* a slice is in one window */
      for (int c = 0; c < count; c++) cell[c] = window + A.place[place + c];
    }
    tile(l, count, cell);
  }
}

/* The rows of a slice */
template <int B, class T, class X>
HEPTANE_HOST_INLINE void mult_slice(const SellpSlicesOf<T> &A, const X *x, const Scalar *y, int slice, int lanes, Scalar *z)
{
  Scalar sum[SellpTuning::host_tile * SellpSums<B>::size];

  each_tile(A, slice, lanes, [&](int l, int count, const int cell[]) HEPTANE_HOST_LAMBDA {
    sellp_tile<B>(A, x, slice, l, count, cell, sum);
    if (A.place) put<B>([&](int c) { return cell[c]; }, count, sum, y, z);
    else put<B>([&](int c) { return slice * A.slice + l + c; }, count, sum, y, z);
  });
}

/* Blocks whose size is known at run time only: row by row */
template <class T, class X>
HEPTANE_HOST_CLONES void mult_rows(const SellpSlicesOf<T> &A, const X *x, const Scalar *y, int first, int last, Scalar *z)
{
  const int b = A.block;

  for (int slice = first; slice < last; slice++) {
    const int lanes = std::min(A.slice, A.cells - slice * A.slice);

    for (int l = 0; l < lanes; l++) {
      const std::size_t row = static_cast<std::size_t>(sellp_cell(A, slice * A.slice + l)) * b;
      for (int i = 0; i < b; i++) {
        const Scalar total =
          A.dropped ? sellp_row_without_dropped<0, 1, 1>(A, x, A.head[slice], slice, l * b + i) : sellp_row<0, 1, 1, 1>(A, x, A.head[slice], slice, l * b + i);
        z[row + i] = y ? y[row + i] + total : total;
      }
    }
  }
}

template <int B, class T, class X>
HEPTANE_HOST_CLONES void mult_slices(const SellpSlicesOf<T> &A, const X *x, const Scalar *y, int first, int last, Scalar *z)
{
  for (int slice = first; slice < last; slice++) mult_slice<B>(A, x, y, slice, std::min(A.slice, A.cells - slice * A.slice), z);
}

template <int B, class T, class X>
void mult(const SellpSlicesOf<T> &A, const X *x, const Scalar *y, int first, int last, Scalar *z)
{
  if constexpr (B > 0) mult_slices<B>(A, x, y, first, last, z);
  else mult_rows(A, x, y, first, last, z);
}

template <int B>
HEPTANE_HOST_CLONES void mult_transpose_add(const SellpSlices &A, const Scalar *x, Scalar *z)
{
  for (int slice = 0; slice < A.slices; slice++) {
    const int lanes = std::min(A.slice, A.cells - slice * A.slice);

    if constexpr (B > 0)
      each_tile(A, slice, lanes, [&](int l, int count, const int cell[]) HEPTANE_HOST_LAMBDA { sellp_tile_transpose_add<B>(A, x, slice, l, count, cell, z); });
    else
      for (int l = 0; l < lanes; l++) sellp_cell_transpose_add(A, slice, l, x, z);
  }
}

} // namespace kernels

void sellp_mult_host(const SellpSlices &A, const Scalar *x, const Scalar *y, Scalar *z)
{
  with_block(A.block, [&](auto B) { kernels::mult<B()>(A, x, y, 0, A.slices, z); });
}

void sellp_mult_slices_host(const SellpSlices &A, const Scalar *x, int first, int last, Scalar *z)
{
  with_block(A.block, [&](auto B) { kernels::mult<B()>(A, x, nullptr, first, last, z); });
}

void sellp_mult_slices_host(const SellpSlicesOf<Single> &A, const Single *x, int first, int last, Scalar *z)
{
  with_block_of(SellpTuning::SingleSizes(), A.block, [&](auto B) { kernels::mult<B()>(A, x, nullptr, first, last, z); });
}

void sellp_mult_slices_host(const SellpSlicesOf<Single> &A, const Scalar *x, int first, int last, Scalar *z)
{
  with_block_of(SellpTuning::SingleSizes(), A.block, [&](auto B) { kernels::mult<B()>(A, x, nullptr, first, last, z); });
}

void sellp_mult_transpose_add_host(const SellpSlices &A, const Scalar *x, Scalar *z)
{
  with_block(A.block, [&](auto B) { kernels::mult_transpose_add<B()>(A, x, z); });
}

void sellp_gather_blocks_host(const SellpSlices &A, int b, std::size_t ld, Scalar *d)
{
  for (int place = 0; place < A.cells; place++)
    for (int i = 0; i < A.block; i++) sellp_gather_row(A, place / A.slice, place % A.slice * A.block + i, b, ld, d);
}

void sellp_diagonal_host(const SellpSlices &A, Scalar *d)
{
  for (int place = 0; place < A.cells; place++) {
    const int cell = sellp_cell(A, place);
    for (int i = 0; i < A.block; i++) d[static_cast<std::size_t>(cell) * A.block + i] = sellp_diagonal(A, place / A.slice, place % A.slice * A.block + i, cell);
  }
}

} // namespace heptane
