/*
   A row of the product with block inverses in value columns, for host and device.
*/
#pragma once

#include "../../device/single_range.hpp"
#include "blocks.hpp"

namespace heptane
{

/* Row of the inverse, or of its transpose, times x. B: block size, or 0 if block is given; T: stored type of the
   inverse */
template <int B, bool TRANSPOSE, class T>
HEPTANE_HD Scalar dense_row(const T *inverse, std::size_t ld, int block, const Scalar *x, std::size_t row)
{
  const int         b     = B > 0 ? B : block;
  const int         i     = static_cast<int>(row % b);
  const std::size_t first = row - i;
  Scalar            sum   = 0;

  HEPTANE_UNROLL
  for (int s = 0; s < b; s++) sum += static_cast<Scalar>(TRANSPOSE ? inverse[i * ld + first + s] : load_once(inverse + s * ld + row)) * x[first + s];
  return sum;
}

/* Stores a row of an inverse or of factors as Single. Returns whether the row is in range: its largest entry neither
   overflows nor underflows. Entries that are not finite stay so and are not tested. */
HEPTANE_HD bool dense_round_row(const Scalar *from, std::size_t from_ld, Single *to, std::size_t to_ld, int block)
{
  Scalar most = 0;

  for (int s = 0; s < block; s++) {
    const Scalar a = from[s * from_ld], size = a < 0 ? -a : a;
    to[s * to_ld] = static_cast<Single>(a);
    if (a - a == 0 && size > most) most = size;
  }
  return most == 0 || (most >= single_smallest && most <= single_largest);
}

} // namespace heptane
