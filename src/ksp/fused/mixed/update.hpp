/*
   What an update of mixed precision makes of the norms: whether single precision goes on, how far, and by which test the device stops for the next update. For host and device; knows no PETSc objects.
*/
#pragma once

#include "../../../pass/offers/mixed_updates.hpp"
#include "../mixed_factor.hpp"

namespace heptane
{

/* Of an update behind iteration `it` that has found this norm; stopped: the recurrences had reached what they were to; recurred: their norm. false: the solve has to go on in double precision */
HEPTANE_HD bool mixed_progresses(MixedState &m, bool stopped, int it, Real recurred, Real norm)
{
  const bool poor = stopped ? !(norm <= FusedTuning::precision_gain * m.reference) : !(std::fabs(norm - recurred) <= FusedTuning::precision_gain * recurred);

  m.poor = poor ? m.poor + 1 : 0;
  if (norm <= FusedTuning::precision_gain * m.best) {
    m.best    = norm;
    m.best_at = it;
  }
  return is_finite(norm) && m.poor < FusedTuning::precision_poor && it - m.best_at < FusedTuning::precision_iterations;
}

/* Whether single precision has room for a residual with this square */
HEPTANE_HD bool mixed_in_range(Real square, Real rows)
{
  const Real size = square / rows;

  return size == 0 || (size >= FusedTuning::single_smallest && size <= FusedTuning::single_largest);
}

/* The solution is no worse than the best one */
HEPTANE_HD bool mixed_may_stay(const MixedState &m, Real norm)
{
  return norm <= FusedTuning::precision_worse * m.kept;
}

/* It is the best one, and x until the next pass that changes x */
HEPTANE_HD void mixed_keep(MixedState &m, int it, Real norm)
{
  m.keep    = true;
  m.kept    = norm;
  m.kept_at = it;
}

/* How far the recurrences are to go */
HEPTANE_HD void mixed_set_out(MixedState &m, const MixedTest &t, int it, Real recurred, Real norm)
{
  if (it > m.since && recurred < m.reference) m.rate = std::log(m.reference / recurred) / (it - m.since);
  const Real largest = m.most > m.reference ? m.most : m.reference;

  m.factor    = mixed_factor(t.factor, {it - m.since < FusedTuning::mixed_sample ? 0 : m.rate, largest, recurred, norm, t.tests ? t.converged : 0});
  m.since     = it;
  m.reference = m.most = norm;
}

/* The norm at which the device stops is that of an update, or of convergence, which the update finds out. Where iterations are wanted that the test may not end, it stops behind these; where the norm
   is to fall by more than precision_factor, behind precision_spacing iterations at the latest. */
HEPTANE_HD void mixed_set_test(const MixedState &m, const MixedTest &t, FusedScalars &S)
{
  const bool ends = t.tests && S.it >= t.min_it;

  S.last = t.end;
  if (m.factor < t.factor && m.since + FusedTuning::precision_spacing < S.last) S.last = m.since + FusedTuning::precision_spacing;
  if (t.tests && !ends && t.min_it < S.last) S.last = t.min_it;
  S.diverged  = t.tests ? t.diverged : PETSC_MAX_REAL;
  S.converged = m.factor * m.reference;
  if (ends && t.converged > S.converged) S.converged = t.converged;
  S.test   = 1;
  S.min_it = 0;
}

/* What the host finds out: the solve has ended, as its test sees it, or it goes another way than on */
HEPTANE_HD bool mixed_ends(const MixedTest &t, int it, Real norm)
{
  return it >= t.until || norm >= t.diverged || (t.tests && it >= t.min_it && norm <= t.converged);
}

/*
   A kernel that makes updates itself goes on behind this one, where nothing is to be decided but how far: then m and S are brought up to date. S has the norm that the update has found, recurred is the one
   before. square: what the residual has in single precision.
*/
HEPTANE_HD bool mixed_goes_on(MixedState &m, const MixedTest &t, FusedScalars &S, Real recurred, Real square)
{
  MixedState now     = m;
  const bool stopped = S.stop == FusedStop::test;

  if (!mixed_progresses(now, stopped, S.it, recurred, S.dp) || !mixed_in_range(square, t.rows) || !mixed_may_stay(now, S.dp)) return false;
  if (mixed_ends(t, S.it, S.dp)) return false;
  if (S.dp < now.kept) mixed_keep(now, S.it, S.dp);
  mixed_set_out(now, t, S.it, recurred, S.dp);
  m      = now;
  S.stop = FusedStop::no;
  mixed_set_test(m, t, S);
  if (t.until < S.last) S.last = t.until;
  return true;
}

} // namespace heptane
