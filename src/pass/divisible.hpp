/*
   Whether r can be recovered from z = D r, D diagonal. For host and device.
*/
#pragma once

#include "steps.hpp"
#include <limits>

namespace heptane
{

inline constexpr Real smallest_square = std::numeric_limits<Real>::min(), largest_square = std::numeric_limits<Real>::max();

/* Whether d is finite, nonzero, and within a range in which products with it neither underflow nor overflow */
HEPTANE_HD bool divides_back(Scalar d)
{
  return d * d >= smallest_square && d * d <= largest_square;
}

/*
   Raises *found if an entry cannot be inverted; every thread that finds such an entry stores the same 1. Bytes: 8 per
   row.
*/
struct DivisibleStep : StepDefaults {
  const Scalar *inverse;
  int          *found;

  DivisibleStep(const Scalar *d, int *f) : inverse(d), found(f) {}
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    const V d = load<V>(inverse, i);
    HEPTANE_UNROLL
    for (int k = 0; k < lanes<V>; k++)
      if (!divides_back(d.v[k])) *found = 1;
  }
};

} // namespace heptane
