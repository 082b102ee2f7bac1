/*
   Scaling by rows and columns in the block-diagonal format: the arithmetic of one row, for host and device, and its
   executors.
*/
#pragma once

#include "../../values/change.hpp"
#include "rows.hpp"

namespace heptane
{

/* values(row, j) *= l(row) r(j) for all stored places of a row whose column is in the matrix; values: writable pointer
   to A's values */
template <int B>
HEPTANE_HD void bdiagh_scale_row(const BdiaghDiagonals &A, Scalar *values, const Scalar *l, const Scalar *r, int row)
{
  const int    b = block_of<B>(A), cell = row / b, cells = A.cols / b;
  const Scalar left = factor(l, static_cast<std::size_t>(row));

  for (int d = 0; d < A.ndiag; d++) {
    const int c = cell + A.offset[d];
    if (static_cast<unsigned>(c) >= static_cast<unsigned>(cells)) continue;
    HEPTANE_UNROLL
    for (int s = 0; s < (B > 0 ? B : b); s++) {
      Scalar *v = values + (static_cast<std::size_t>(d) * b + s) * A.ld + row;
      *v        = scaled(*v, left, factor(r, static_cast<std::size_t>(c) * b + s));
    }
  }
}

void bdiagh_scale_host(const BdiaghDiagonals &A, Scalar *values, const Scalar *l, const Scalar *r);

#if defined(PETSC_HAVE_CUDA)
cudaError_t launch_bdiagh_scale(const BdiaghDiagonals &A, Scalar *values, const Scalar *l, const Scalar *r, cudaStream_t stream);
#endif

} // namespace heptane
