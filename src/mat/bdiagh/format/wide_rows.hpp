/*
   A row of wide blocks divided among threads: its arithmetic, written once for host and device.
   Knows no PETSc objects and no launch syntax.
*/
#pragma once

#include "../../../device/row_shares.hpp"
#include "rows.hpp"

namespace heptane
{

/* What share `share` of `shares` adds to (A x)_row, in the order of bdiagh_row(), one accumulator; the shares, added in ascending order, are the row. The size of a block is known at run time only. */
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
