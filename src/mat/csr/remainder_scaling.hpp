/*
   The remainder of a row scaled by a preconditioner, for the solver copies of every format. For host and device; no
   PETSc objects.
*/
#pragma once

#include "../../pass/fold_rows.hpp"
#include "../../pass/remainder_rows.hpp"

namespace heptane
{

/* Whether fold_remainder_row() can scale it. b: rows of a cell of the format */
inline bool remainder_scales(const RemainderRows &R, const FusedScaling &F, int b)
{
  return F.block == 1 || !R.mask || R.block == b;
}

/* Writes the scaled remainder of the row into out, ordered like R.values. F.block is 1, or the size of whole blocks,
   whose rows are consecutive in the list */
template <int B>
HEPTANE_HD void fold_remainder_row(const RemainderRows &R, const FusedScaling &F, int row, Scalar *out)
{
  const int k = remainder_of(R, row);

  if (k < 0) return;
  const FoldLeftFactor<B> left(F, row);
  const int               first = R.ptr[k], length = R.ptr[k + 1] - first, i = row % F.block;

  for (int e = 0; e < length; e++) {
    const int     s = e % F.block;
    const Scalar *v = R.values + first - i * length + e - s; /* of the block */

    out[first + e] = fold_entry<B>(F, left, F.block, v, 1, R.col[first + e] - s, i, s, length);
  }
}

/* The same without scaling */
HEPTANE_HD void copy_remainder_row(const RemainderRows &R, int row, Scalar *out)
{
  const int k = remainder_of(R, row);

  if (k < 0) return;
  for (int p = R.ptr[k]; p < R.ptr[k + 1]; p++) out[p] = R.values[p];
}

/* One of these for every row, on the host */
inline void fold_remainder_host(const RemainderRows &R, const FusedScaling &F, int rows, Scalar *out)
{
  for (int row = 0; R.mask && row < rows; row++) F.side == FusedSide::none ? copy_remainder_row(R, row, out) : fold_remainder_row<0>(R, F, row, out);
}

} // namespace heptane
