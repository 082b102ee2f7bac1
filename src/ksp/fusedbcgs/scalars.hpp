/*
   The scalars of BiCGStab between its passes over the vectors, in the order of PETSc's KSPSolve_BCGS(). For host and
   device.
*/
#pragma once

#include "../../pass/scalars.hpp"

namespace heptane
{

struct BcgsScalars : FusedScalars {
  Scalar rho, rhoold; /* (r, r0); rhoold: of the iteration whose update is next */
  Scalar alpha, omega, beta;
};
static_assert(sizeof(BcgsScalars) <= fused_scalars_bytes, "room for the scalars of BiCGStab");

/* Indices of the sums: (r, r) of the update; (v, r0); the four of the second product */
enum BcgsSums : int { bcgs_rr = 0, bcgs_vr0 = 1, bcgs_second = 2 };

/* rr = (r, r) of the start, with r0 = r */
HEPTANE_HD void bcgs_start(BcgsScalars &S, Scalar rr)
{
  S.rho = rr;
  S.dp  = S.norm == FusedNorm::none ? Real(0) : std::sqrt(rr);
}

/* d = (v, r0): the step alpha */
HEPTANE_HD void bcgs_after_first(BcgsScalars &S, Scalar d)
{
  if (!is_finite(d)) {
    S.bad = d;
    stop_at(S, FusedStop::product, S.it);
  } else if (d == Scalar(0)) stop_at(S, FusedStop::zero_product, S.it);
  else S.alpha = S.rho / d;
}

/*
   sums = (t, s), (t, t), (r0, t), (r0, s): omega, and rho and beta of the next iteration, since r = s - omega t implies
   (r, r0) = (s, r0) - omega (t, r0): two reduction points per iteration instead of four.
*/
HEPTANE_HD void bcgs_after_second(BcgsScalars &S, const Scalar sums[])
{
  if (sums[1] == Scalar(0)) {
    stop_at(S, FusedStop::singular, S.it);
    return;
  }
  S.omega  = sums[0] / sums[1];
  S.rhoold = S.rho;
  S.rho    = sums[3] - S.omega * sums[2];
  S.beta   = (S.rho / S.rhoold) * (S.alpha / S.omega);
}

/* Conditions that stop it after iteration S.it has passed the test */
HEPTANE_HD void bcgs_continue(BcgsScalars &S)
{
  if (S.rhoold == Scalar(0)) stop_at(S, FusedStop::zero_rho, S.it);
  else if (S.it >= S.last) stop_at(S, FusedStop::limit, S.it);
}

/* rr = (r, r) of iteration S.it + 1 */
HEPTANE_HD void bcgs_after_update(BcgsScalars &S, Scalar rr)
{
  if (norm_wanted(S, S.it + 1)) S.dp = std::sqrt(rr);
  if (!is_finite(S.dp)) {
    stop_at(S, FusedStop::norm, S.it);
    return;
  }
  complete_iteration(S);
  if (S.stop == FusedStop::no) bcgs_continue(S);
}

/*
   After the first product: tests the norm of the previous update together with (v, r0), before anything but v has
   changed. If that norm ends the solve, the products in between have no effect (is_stopped()); they compute alpha by
   the same quotient.
*/
HEPTANE_HD void bcgs_before_half(BcgsScalars &S, const Scalar sums[])
{
  if (!S.settled) bcgs_after_update(S, sums[bcgs_rr]);
  S.settled = 0;
  if (S.stop == FusedStop::no) bcgs_after_first(S, sums[bcgs_vr0]);
}

} // namespace heptane
