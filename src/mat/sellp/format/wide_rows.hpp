/*
   A row of wide blocks divided among threads: its arithmetic, written once for host and device. No PETSc objects, no
   launch syntax.
*/
#pragma once

#include "../../../device/row_shares.hpp"
#include "rows.hpp"

namespace heptane
{

/* As sellp_run() for share `share` of `shares`: its part of the row. The block size is a run-time value. */
template <class T, class X, class Column>
HEPTANE_HD Scalar sellp_run_share(const SellpSlicesOf<T> &A, const X &x, const T *v, int width, int share, int shares, const Column &column)
{
  const int         b     = A.block;
  const unsigned    cells = static_cast<unsigned>(A.cols / b);
  const std::size_t next  = static_cast<std::size_t>(A.slice) * b;
  Scalar            sum   = 0;
  int               block = -1;
  unsigned          c     = 0;

  each_group_of_share(width, b, share, shares, [&](int k, int s) {
    if (k != block) {
      block = k;
      c     = static_cast<unsigned>(column(k));
    }
    if (c < cells) sum = add_group_of_share(sum, v + static_cast<std::size_t>(k) * b * next, next, x, static_cast<std::size_t>(c) * b, s, b);
  });
  return sum;
}

/* The part of (A x)_row of share `share` of `shares`, for row r of a slice whose head is S; the row is the sum of the
   shares in ascending order */
template <class T, class X>
HEPTANE_HD Scalar sellp_row_share(const SellpSlicesOf<T> &A, const X &x, const SellpSlice &S, int slice, int r, int share, int shares)
{
  const int  l = r / A.block, place = slice * A.slice + l, width = S.width;
  const int *index = sellp_index(A.index, S);
  const T   *v     = sellp_values<0>(A, S, r);

  switch (sellp_kind(S)) {
  case SellpIndex::none:
    return sellp_run_share(A, x, v, width, share, shares, SellpColumnNone{index, sellp_cell(A, place)});
  case SellpIndex::narrow:
    return sellp_run_share(A, x, v, width, share, shares, SellpColumnNarrow(index, S.width, A.slice, l));
  default:
    return sellp_run_share(A, x, v, width, share, shares, SellpColumnWide{index, A.slice, l});
  }
}

} // namespace heptane
