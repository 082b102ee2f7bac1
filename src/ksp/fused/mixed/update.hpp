/*
   Decisions of an update in mixed precision: whether single precision continues, how far, and the test by which the
   device stops for the next update. For host and device, without PETSc objects.
*/
#pragma once

#include "../../../pass/offers/mixed_updates.hpp"
#include "../mixed_factor.hpp"

namespace heptane
{

/*
   Records an update after iteration `it` with this norm in double precision. stopped: the recurrences had reached their
   target; recurred: their norm. false: the solve has to continue in double precision
*/
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

/* Whether a residual with this square is within the range of single precision */
HEPTANE_HD bool mixed_in_range(Real square, Real rows)
{
  const Real size = square / rows;

  return size == 0 || (size >= FusedTuning::single_smallest && size <= FusedTuning::single_largest);
}

/* The solution is no worse than the best one */
HEPTANE_HD bool mixed_is_no_worse(const MixedState &m, Real norm)
{
  return norm <= FusedTuning::precision_worse * m.kept;
}

/* Marks the solution as the best one, which is x until the next pass that changes x */
HEPTANE_HD void mixed_keep(MixedState &m, int it, Real norm)
{
  m.keep    = true;
  m.kept    = norm;
  m.kept_at = it;
}

/* Sets how far the recurrences run until the next update */
HEPTANE_HD void mixed_set_target(MixedState &m, const MixedTest &t, int it, Real recurred, Real norm)
{
  if (it > m.since && recurred < m.reference) m.rate = std::log(m.reference / recurred) / (it - m.since);
  const Real largest = m.most > m.reference ? m.most : m.reference;

  m.factor    = mixed_factor(t.factor, {it - m.since < FusedTuning::mixed_sample ? 0 : m.rate, largest, recurred, norm, t.tests ? t.converged : 0});
  m.since     = it;
  m.reference = m.most = norm;
}

/*
   Sets the norm at which the device stops: for an update, or for convergence, which an update then confirms. If the
   test must not end the solve before iteration min_it, the device stops at min_it. If the norm is to fall by more than
   precision_factor, it stops after at most precision_spacing iterations.
*/
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

/* Conditions that end the launch: the test of the solve has ended it, or the host has to decide */
HEPTANE_HD bool mixed_ends(const MixedTest &t, int it, Real norm)
{
  return it >= t.until || norm >= t.diverged || (t.tests && it >= t.min_it && norm <= t.converged);
}

/*
   Whether a kernel that makes updates itself continues after this one; requires that only the distance to the next
   update is to be decided. Then m and S are updated. S has the norm in double precision, recurred is the norm of the
   recurrences before. square: of the residual in single precision.
*/
HEPTANE_HD bool mixed_continues(MixedState &m, const MixedTest &t, FusedScalars &S, Real recurred, Real square)
{
  MixedState now     = m;
  const bool stopped = S.stop == FusedStop::test;

  if (!mixed_progresses(now, stopped, S.it, recurred, S.dp) || !mixed_in_range(square, t.rows) || !mixed_is_no_worse(now, S.dp)) return false;
  if (mixed_ends(t, S.it, S.dp)) return false;
  if (S.dp < now.kept) mixed_keep(now, S.it, S.dp);
  mixed_set_target(now, t, S.it, recurred, S.dp);
  m      = now;
  S.stop = FusedStop::no;
  mixed_set_test(m, t, S);
  if (t.until < S.last) S.last = t.until;
  return true;
}

} // namespace heptane
