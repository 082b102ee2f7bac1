/*
   The remainder of a row scaled by a preconditioner, for the solver copies of every format. For host and device; knows no PETSc objects.
*/
#pragma once

#include "../../pass/fold_rows.hpp"
#include "../../pass/remainder_rows.hpp"

namespace heptane
{

/* The row's part of the remainder scaled into out, which lies as R.values does; F.block is 1 */
HEPTANE_HD void fold_remainder_row(const RemainderRows &R, const FusedScaling &F, int row, Scalar *out)
{
  const int               k = remainder_of(R, row);
  const FoldLeftFactor<1> left(F, row);

  if (k < 0) return;
  for (int p = R.ptr[k]; p < R.ptr[k + 1]; p++) out[p] = fold_entry<1>(F, left, 1, R.values + p, 0, R.col[p], 0, 0);
}

/* The same where nothing is scaled */
HEPTANE_HD void copy_remainder_row(const RemainderRows &R, int row, Scalar *out)
{
  const int k = remainder_of(R, row);

  if (k < 0) return;
  for (int p = R.ptr[k]; p < R.ptr[k + 1]; p++) out[p] = R.values[p];
}

} // namespace heptane
