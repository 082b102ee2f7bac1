/*
   How far the recurrences in single precision go before the next residual in double precision. Knows no PETSc objects.
*/
#pragma once

#include "../../pass/scalars.hpp"
#include "fused_tuning.hpp"
#include <algorithm>

namespace heptane
{

/*
   What the norm is to fall by, behind an update that has found `norm` where the recurrences had `recurred`, `largest` their largest norm since the update before, and rate what an iteration has lowered the
   logarithm by: `factor`, or as much more as brings updates precision_spacing iterations apart, where the recurrences are expected to have that right. What they lack of the residual is at most
   what makes up the difference of the squared norms, unless it happens to cancel.
*/
inline Real mixed_factor(Real factor, double rate, Real largest, Real recurred, Real norm)
{
  const Real lacked = std::sqrt(std::fabs(norm - recurred)) * std::sqrt(norm + recurred) / largest, apart = std::exp(-rate * FusedTuning::precision_spacing);
  const Real least = std::max<Real>(FusedTuning::precision_range * factor, FusedTuning::precision_margin * lacked);

  return rate > 0 && is_finite(lacked) ? std::min(std::max(apart, least), factor) : factor;
}

} // namespace heptane
