/*
   Reports of a kernel on the pivots of a block. Integer atomics, for defective blocks only: the result does not depend
   on their order.
*/
#pragma once

#include "gauss_jordan.hpp"

namespace heptane
{

__device__ inline void note(const Pivots &pivots, int block, std::size_t cell, DenseReport *report)
{
  const unsigned long long first = cell * block;

  if (pivots.zero >= 0) {
    atomicAdd(&report->zeros, 1ull);
    atomicMin(&report->zero_row, first + pivots.zero);
  } else if (pivots.nonfinite >= 0) {
    atomicAdd(&report->nonfinite, 1ull);
    atomicMin(&report->nonfinite_row, first + pivots.nonfinite);
  } else if (pivots.nearly_singular(block)) {
    atomicAdd(&report->smalls, 1ull);
    atomicMin(&report->small_row, first + pivots.small);
  }
}

} // namespace heptane
