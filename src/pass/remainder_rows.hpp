/*
   Finds the remainder of a row by the row's number, for products that visit all rows. For host and device; has no PETSc
   objects.
*/
#pragma once

#include "../device/scalar.hpp"

namespace heptane
{

/*
   Sums of all rows of the list, written by warps for the threads that have these rows: [count] of handoff_empty. word
   null: no sums are written. lanes: that share a row
*/
struct RemainderSums {
  std::uint64_t *word  = nullptr;
  int            count = 0, lanes = 1;
};

/*
   Bit row % 32 of mask[row / 32] tells whether the row has remainder entries; base[row / 32] plus the number of lower
   bits set is its index in the list
*/
struct RemainderRows {
  const std::uint32_t *mask = nullptr; /* null: no row has remainder entries */
  const int           *base = nullptr;
  const int           *ptr = nullptr, *col = nullptr; /* ptr is null for halo_row() only, see there */
  const Scalar        *values  = nullptr;
  int                  longest = 0; /* most entries of a row */
  int                  block   = 1; /* rows and columns are whole cells of `block` rows, see in_whole_blocks() */
  RemainderSums        sums;        /* on the device, of a matrix's own */
};

HEPTANE_HD int count_bits(std::uint32_t a)
{
#if defined(__CUDA_ARCH__)
  return __popc(a);
#else
  return __builtin_popcount(a);
#endif
}

/* Index of a row in the list; -1: not in it */
HEPTANE_HD int remainder_of(const RemainderRows &R, int row)
{
  const std::uint32_t word = R.mask ? R.mask[row / 32] : 0, bit = std::uint32_t(1) << row % 32;
  return word & bit ? R.base[row / 32] + count_bits(word & (bit - 1)) : -1;
}

/* The remainder's contribution to a row, entries in ascending order */
template <class X>
HEPTANE_HD Scalar remainder_row(const RemainderRows &R, const X &x, int row)
{
  const int k   = remainder_of(R, row);
  Scalar    sum = 0;

  if (k >= 0)
    for (int p = R.ptr[k]; p < R.ptr[k + 1]; p++) sum += R.values[p] * x[R.col[p]];
  return sum;
}

/* y += the remainder's product with x in rows [first, last); y of row 0 first */
inline void remainder_add_rows(const RemainderRows &R, const Scalar *x, int first, int last, Scalar *y)
{
  if (R.mask)
    for (int row = first; row < last; row++) y[row] += remainder_row(R, x, row);
}

} // namespace heptane
