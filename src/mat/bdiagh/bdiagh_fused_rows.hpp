/*
   The fused product of the block-diagonal format: the vector that is formed as it is read, and the remainder of a row found from its number.
   For host and device; knows no PETSc objects.
*/
#pragma once

#include "../../ksp/fused/pc_rows.hpp"
#include "bdiagh_rows.hpp"

namespace heptane
{

/* u = q - alpha v, or q */
template <bool MINUS>
struct BdiaghGather {
  const Scalar *q, *v;
  Scalar        alpha;

  HEPTANE_HD Scalar operator[](std::size_t c) const
  {
    if constexpr (MINUS) return q[c] - alpha * v[c];
    else return q[c];
  }
};

/* The remainder by row number: bit row % 32 of mask[row / 32] says whether row has any, base[row / 32] + the bits below it which of the list it is */
struct BdiaghRemainder {
  const std::uint32_t *mask = nullptr; /* null: no row has any */
  const int           *base = nullptr;
  const int           *ptr = nullptr, *col = nullptr;
  const Scalar        *values = nullptr;
};

HEPTANE_HD int count_bits(std::uint32_t a)
{
#if defined(__CUDA_ARCH__)
  return __popc(a);
#else
  return __builtin_popcount(a);
#endif
}

/* What the remainder adds to a row, entries in ascending order */
template <class X>
HEPTANE_HD Scalar bdiagh_remainder_row(const BdiaghRemainder &R, const X &x, int row)
{
  Scalar sum = 0;

  if (R.mask) {
    const std::uint32_t word = R.mask[row / 32], bit = std::uint32_t(1) << row % 32;
    if (word & bit) {
      const int k = R.base[row / 32] + count_bits(word & (bit - 1));
      for (int p = R.ptr[k]; p < R.ptr[k + 1]; p++) sum += R.values[p] * x[R.col[p]];
    }
  }
  return sum;
}

} // namespace heptane
