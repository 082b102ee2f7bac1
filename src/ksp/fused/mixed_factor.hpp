/*
   How far the recurrences in single precision may run until the next residual in double precision. For host and device,
   without PETSc objects.
*/
#pragma once

#include "../../pass/scalars.hpp"
#include "engine/tuning.hpp"
#include <cmath>

namespace heptane
{

/* Results of an update */
struct MixedFound {
  double rate     = 0; /* decrease of the logarithm of the norm per iteration; 0: unknown */
  Real   largest  = 0; /* largest norm of the recurrences since the previous update */
  Real   recurred = 0; /* last norm of the recurrences */
  Real   norm     = 0;
  Real   wanted   = 0; /* norm at which the solve has converged; 0: unknown */
};

/*
   Factor by which the norm is to fall until the next update: `factor`, or a smaller one that spaces updates
   precision_spacing iterations apart, if the recurrences are expected to be accurate that far.
   The error of the recurred residual is estimated by the difference of the squared norms, an upper bound unless terms
   cancel.
   If convergence is expected within the same number of iterations and less than precision_last times further down, the
   factor extends to convergence, which saves the last update but one.
*/
HEPTANE_HD Real mixed_factor(Real factor, const MixedFound &f)
{
  const Real lacked  = std::sqrt(std::fabs(f.norm - f.recurred)) * std::sqrt(f.norm + f.recurred) / f.largest,
             apart   = std::exp(-f.rate * FusedTuning::precision_spacing);
  const Real allowed = FusedTuning::precision_range * factor, distant = FusedTuning::precision_margin * lacked, least = allowed > distant ? allowed : distant;
  const Real last = f.wanted / f.norm, wished = apart > least ? apart : least, next = wished < factor ? wished : factor;

  if (f.rate <= 0 || !is_finite(lacked)) return factor;
  return last < next && last >= apart && last >= least / FusedTuning::precision_last && last >= next / FusedTuning::precision_last ? last : next;
}

} // namespace heptane
