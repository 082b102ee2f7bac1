/*
   A row of the product with block inverses in value columns, for host and device.
*/
#pragma once

#include "blocks.hpp"

namespace heptane
{

/* Row of the inverse, or of its transpose, times x. B: block size, or 0 if block is given */
template <int B, bool TRANSPOSE>
HEPTANE_HD Scalar dense_row(const Scalar *inverse, std::size_t ld, int block, const Scalar *x, std::size_t row)
{
  const int         b     = B > 0 ? B : block;
  const int         i     = static_cast<int>(row % b);
  const std::size_t first = row - i;
  Scalar            sum   = 0;

  HEPTANE_UNROLL
  for (int s = 0; s < b; s++) sum += (TRANSPOSE ? inverse[i * ld + first + s] : load_once(inverse + s * ld + row)) * x[first + s];
  return sum;
}

} // namespace heptane
