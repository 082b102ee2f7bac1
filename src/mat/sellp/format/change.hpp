/*
   Scaling by rows and columns in the sliced ELLPACK format: the arithmetic of one row, for host and device, and its
   executors.
*/
#pragma once

#include "../../values/change.hpp"
#include "rows.hpp"

namespace heptane
{

/* values(i, j) *= l(i) r(j) for the blocks of row r of a slice, counted within the slice; values: writable pointer to
   A's values */
template <int B>
HEPTANE_HD void sellp_scale_row(const SellpSlices &A, Scalar *values, const Scalar *l, const Scalar *right, int slice, int r)
{
  const int         b = block_of<B>(A), lane = r / b, place = slice * A.slice + lane, cell = sellp_cell(A, place), cells = A.cols / b;
  const SellpSlice  S     = sellp_head(A, slice);
  const std::size_t next  = static_cast<std::size_t>(A.slice) * b;
  const Scalar      left  = factor(l, static_cast<std::size_t>(cell) * b + r % b);
  const int         width = S.width;
  Scalar           *v     = values + (sellp_values<B>(A, S, r) - A.values);

  for (int k = 0; k < width; k++) {
    const int c = sellp_column(A.index, S, A.slice, k, lane, cell);
    if (static_cast<unsigned>(c) >= static_cast<unsigned>(cells)) continue; /* padding without index */
    HEPTANE_UNROLL
    for (int s = 0; s < (B > 0 ? B : b); s++) {
      Scalar *at = v + (static_cast<std::size_t>(k) * b + s) * next;
      *at        = scaled(*at, left, factor(right, static_cast<std::size_t>(c) * b + s));
    }
  }
}

void sellp_scale_host(const SellpSlices &A, Scalar *values, const Scalar *l, const Scalar *r);

#if defined(PETSC_HAVE_CUDA)
cudaError_t launch_sellp_scale(const SellpSlices &A, Scalar *values, const Scalar *l, const Scalar *r, cudaStream_t stream);
#endif

} // namespace heptane
