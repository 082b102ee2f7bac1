/*
   Scaling by rows and columns on the host: by value columns, over tiles of rows whose l and r stay in the first-level
   cache.
*/
#include "change.hpp"
#include "../../../device/host_clones.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

namespace kernels
{

/* n values of a value column; the order of each product is that of bdiagh_scale_row() */
HEPTANE_HOST_INLINE void scale_column(Scalar *v, int n, const Scalar *l, const Scalar *r)
{
  if (l && r) {
    for (int i = 0; i < n; i++) v[i] = scaled(v[i], l[i], r[i]);
  } else if (l) {
    for (int i = 0; i < n; i++) v[i] = scaled(v[i], l[i], Scalar(1));
  } else if (r) {
    for (int i = 0; i < n; i++) v[i] = scaled(v[i], Scalar(1), r[i]);
  }
}

/* r: that of value column s for each row of a cell, at the rows of the block column */
HEPTANE_HOST_CLONES void scale(const BdiaghDiagonals &A, Scalar *values, int s, const Scalar *l, const Scalar *r)
{
  constexpr int tile = 1024; /* rows; guess: l and r of all diagonals' cells in 32 KiB */
  const int     b = A.block, cells = A.rows / b, step = std::max(tile / b, 1);

  for (int t = 0; t < cells; t += step) {
    for (int d = 0; d < A.ndiag; d++) {
      const int         first = std::max(t, -A.offset[d]), last = std::min({cells, t + step, A.cols / b - A.offset[d]});
      const std::size_t row = static_cast<std::size_t>(first) * b;
      if (first >= last) continue;
      scale_column(values + (static_cast<std::size_t>(d) * b + s) * A.ld + row, (last - first) * b, l ? l + row : nullptr,
                   r ? r + (static_cast<std::ptrdiff_t>(first) + A.offset[d]) * b : nullptr);
    }
  }
}

} // namespace kernels

void bdiagh_scale_host(const BdiaghDiagonals &A, Scalar *values, const Scalar *l, const Scalar *r)
{
  std::vector<Scalar> wide(r && A.block > 1 ? static_cast<std::size_t>(A.cols) : 0); /* so that the factors for the values of a cell's rows are adjacent */

  for (int s = 0; s < A.block; s++) {
    for (std::size_t j = 0; j < wide.size(); j += static_cast<std::size_t>(A.block)) std::fill_n(wide.data() + j, A.block, r[j + s]);
    kernels::scale(A, values, s, l, wide.empty() ? r : wide.data());
  }
}

} // namespace heptane
