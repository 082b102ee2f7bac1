/*
   How far the recurrences in single precision go before the next residual in double precision. For host and device; knows no PETSc objects.
*/
#pragma once

#include "../../pass/scalars.hpp"
#include "engine/tuning.hpp"
#include <cmath>

namespace heptane
{

/* What an update has found */
struct MixedFound {
  double rate     = 0; /* what an iteration has lowered the logarithm of the norm by; 0: not known */
  Real   largest  = 0; /* of the recurrences' norms since the update before */
  Real   recurred = 0; /* their last one */
  Real   norm     = 0;
  Real   wanted   = 0; /* the norm at which the solve has converged; 0: not known */
};

/*
   What the norm is to fall by behind such an update: `factor`, or as much more as brings updates precision_spacing iterations apart, where the recurrences are expected to have that right. What they
   lack of the residual is at most what makes up the difference of the squared norms, unless it happens to cancel. Where convergence is expected within as many iterations and less than precision_last
   times further down, it goes on to there, so that the last update but one is saved.
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
