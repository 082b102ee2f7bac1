/*
   Adds the single-precision correction to the solution if the last iteration completed. For host and device.
*/
#pragma once

#include "steps.hpp"

namespace heptane
{

/* Whether the correction may be added to x; false after a breakdown, as the correction may then hold any values */
HEPTANE_HD bool correction_is_valid(const FusedScalars &S)
{
  return S.stop == FusedStop::no || S.stop == FusedStop::test || S.stop == FusedStop::limit;
}

/* kept = x, unless kept is null; x += add. Values that have overflown are left out: x stays a valid start */
template <class V>
HEPTANE_HD void add_correction(V add, std::size_t i, Scalar *x, Scalar *kept)
{
  const V before = load<V>(x, i);

  if (kept) store(kept, i, before);
  HEPTANE_UNROLL
  for (int k = 0; k < lanes<V>; k++) add.v[k] = is_finite(add.v[k]) ? add.v[k] : Scalar(0);
  store(x, i, before + add);
}

/* kept = x, unless kept is null; x += y, y = 0. Does nothing after a breakdown. Bytes: 24 per row, 8 for kept. */
struct AddCorrectionStep : StepDefaults {
  Single *y;
  Scalar *x, *kept;
  bool    valid = true;

  AddCorrectionStep(Single *y_, Scalar *x_, Scalar *kept_) : y(y_), x(x_), kept(kept_) {}
  HEPTANE_HD void begin(const FusedScalars &S) { valid = correction_is_valid(S); }
  template <class V>
  HEPTANE_HD void rows(std::size_t i, V *) const
  {
    if (!valid) return;
    add_correction(load<V>(y, i), i, x, kept);
    store(y, i, V{});
  }
};

} // namespace heptane
