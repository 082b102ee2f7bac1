/*
   How the lanes of a warp share the remainders of its rows. For host and device; knows no PETSc objects.
*/
#pragma once

#include "../../pass/remainder_rows.hpp"

namespace heptane
{

/* Whether lanes share the rows: not where a row has so few entries that its thread has them at once, nor where there is none; guess */
inline bool remainder_is_shared(const RemainderRows &R)
{
  return R.mask && R.longest > 4;
}

/* Lanes for each of so many rows: a power of two, so many that all rows have theirs at once; lanes: that there are, at least one per row */
HEPTANE_HD int remainder_lanes(int rows, int lanes)
{
  int each = 1;

  while (2 * each * rows <= lanes) each *= 2;
  return each;
}

/* What lane of `lanes` adds up of row k of the list */
template <class X>
HEPTANE_HD Scalar remainder_share(const RemainderRows &R, const X &x, int k, int lane, int lanes)
{
  constexpr int together = 2; /* loads under way; 4 spills in the products with four sums */
  const int     end      = R.ptr[k + 1];
  Scalar        sum      = 0;

  for (int first = R.ptr[k] + lane; first < end; first += together * lanes) {
    Scalar a[together];
    int    c[together];
    HEPTANE_UNROLL
    for (int i = 0; i < together; i++) {
      const bool inside = first + i * lanes < end;
      a[i]              = inside ? load_once(R.values + first + i * lanes) : Scalar(0);
      c[i]              = load_once(R.col + (inside ? first + i * lanes : first));
    }
    HEPTANE_UNROLL
    for (int i = 0; i < together; i++) sum += a[i] * x[c[i]];
  }
  return sum;
}

} // namespace heptane
