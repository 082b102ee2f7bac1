/*
   Whether r can be had back from z = D r, D diagonal. For host and device.
*/
#pragma once

#include "steps.hpp"
#include <limits>

namespace heptane
{

inline constexpr Real smallest_square = std::numeric_limits<Real>::min(), largest_square = std::numeric_limits<Real>::max();

/* Neither zero nor so small or large that products with it lose digits to underflow or overflow, nor not a number */
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
