/*
   The scalars of BiCGStab between its passes over the vectors, in the order of PETSc's KSPSolve_BCGS(). For host and device.
*/
#pragma once

#include "../../pass/scalars.hpp"
#include <cmath>

namespace heptane
{

/* d = (v, r0): the step alpha */
HEPTANE_HD void bcgs_after_first(FusedScalars &S, Scalar d)
{
  if (!is_finite(d)) {
    S.bad = d;
    stop_at(S, FusedStop::product, S.it);
  } else if (d == Scalar(0)) stop_at(S, FusedStop::zero_product, S.it);
  else S.bcgs.alpha = S.bcgs.rho / d;
}

/*
   sums = (t, s), (t, t), (r0, t), (r0, s): omega, and already the rho and beta of the next iteration, since r = s - omega t gives
   (r, r0) = (s, r0) - omega (t, r0): two reduction points an iteration instead of four.
*/
HEPTANE_HD void bcgs_after_second(FusedScalars &S, const Scalar sums[])
{
  BcgsScalars &c = S.bcgs;

  if (sums[1] == Scalar(0)) {
    stop_at(S, FusedStop::singular, S.it);
    return;
  }
  c.omega  = sums[0] / sums[1];
  c.rhoold = c.rho;
  c.rho    = sums[3] - c.omega * sums[2];
  c.beta   = (c.rho / c.rhoold) * (c.alpha / c.omega);
}

/* What may stop it once the test has let iteration S.it pass */
HEPTANE_HD void bcgs_go_on(FusedScalars &S)
{
  if (S.bcgs.rhoold == Scalar(0)) stop_at(S, FusedStop::zero_rho, S.it);
  else if (S.it >= S.last) stop_at(S, FusedStop::limit, S.it);
}

/* rr = (r, r), r that of iteration S.it + 1 */
HEPTANE_HD void bcgs_after_update(FusedScalars &S, Scalar rr, Real *history, int length)
{
  if (norm_wanted(S, S.it + 1)) S.dp = std::sqrt(rr);
  if (!is_finite(S.dp)) {
    stop_at(S, FusedStop::norm, S.it);
    return;
  }
  complete_iteration(S, history, length);
  if (S.stop == FusedStop::no) bcgs_go_on(S);
}

} // namespace heptane
