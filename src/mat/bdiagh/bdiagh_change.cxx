/*
   Scaling by rows and columns on the host: a value column at a time, over tiles of rows whose l and r stay in the first cache.
*/
#include "bdiagh_change.hpp"
#include "../../device/host_clones.hpp"
#include "../aij/with_block.hpp"
#include <algorithm>

namespace heptane
{

namespace kernels
{

/* Cells [first, last) of block diagonal d, inside the matrix; the order of each product is that of bdiagh_scale_row() */
template <int B>
HEPTANE_HOST_INLINE void scale_cells(const BdiaghDiagonals &A, Scalar *values, const Scalar *l, const Scalar *r, int d, int first, int last)
{
  const int b = block_of<B>(A);

  for (int s = 0; s < b; s++) {
    Scalar       *v    = values + (static_cast<std::size_t>(d) * b + s) * A.ld + static_cast<std::size_t>(first) * b;
    const Scalar *left = l ? l + static_cast<std::size_t>(first) * b : nullptr;
    for (int c = first; c < last; c++, v += b) {
      const Scalar right = factor(r, (static_cast<std::size_t>(c) + A.offset[d]) * b + s);
      for (int i = 0; i < b; i++) v[i] = scaled(v[i], left ? left[(c - first) * b + i] : Scalar(1), right);
    }
  }
}

template <int B>
HEPTANE_HOST_CLONES void scale(const BdiaghDiagonals &A, Scalar *values, const Scalar *l, const Scalar *r)
{
  constexpr int tile = 1024; /* rows; guess: l and r of all diagonals' cells in 32 KiB */
  const int     b = block_of<B>(A), cells = A.rows / b, step = std::max(tile / b, 1);

  for (int t = 0; t < cells; t += step) {
    const int end = std::min(cells, t + step);
    for (int d = 0; d < A.ndiag; d++) scale_cells<B>(A, values, l, r, d, std::max(t, -A.offset[d]), std::min(end, A.cols / b - A.offset[d]));
  }
}

} // namespace kernels

void bdiagh_scale_host(const BdiaghDiagonals &A, Scalar *values, const Scalar *l, const Scalar *r)
{
  with_block(A.block, [&](auto B) { kernels::scale<B()>(A, values, l, r); });
}

} // namespace heptane
