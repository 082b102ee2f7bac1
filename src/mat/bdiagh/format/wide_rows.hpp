/*
   A row of wide blocks divided among threads: its arithmetic, written once for host and device. No PETSc objects, no
   launch syntax.
*/
#pragma once

#include "../../../device/row_shares.hpp"
#include "rows.hpp"

namespace heptane
{

/* The part of (A x)_row of share `share` of `shares`, in the order of bdiagh_row(), one accumulator; the row is the sum
   of the shares in ascending order. The block size is a run-time value. */
template <class T, class X>
HEPTANE_HD Scalar bdiagh_row_share(const BdiaghDiagonalsOf<T> &A, const X &x, int row, int share, int shares)
{
  const int b = A.block, cell = row / b, cells = A.cols / b;
  Scalar    sum = 0;

  each_group_of_share(A.ndiag, b, share, shares, [&](int r, int s) {
    const int c = cell + A.offset[r];
    if (static_cast<unsigned>(c) < static_cast<unsigned>(cells))
      sum = add_group_of_share(sum, A.values + row + static_cast<std::size_t>(r) * b * A.ld, A.ld, x, static_cast<std::size_t>(c) * b, s, b);
  });
  return sum;
}

} // namespace heptane
