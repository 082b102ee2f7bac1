/*
   The scalars of CG with one reduction per iteration (Chronopoulos and Gear, 1989), and the tests that guard them. For
   host and device.
*/
#pragma once

#include "scalars.hpp"

namespace heptane
{

/*
   Sums after z and r of iteration S.it + 1 and w = A z: (z, r), the squared norm of z or r, (z, w), and the drift, the
   sum of |z - M^-1 r| |r|, since z is recurred
*/
enum CgOneSums : int { cg_one_zr, cg_one_nn, cg_one_zw, cg_one_drift, cg_one_sums };

struct CgOneSumTuning {
  /*
     Least (p, A p), relative to (z, A z), that is accepted: below, the step would show the rounding errors of the sums.
     Guess
  */
  static constexpr double least_curvature = 1. / 1024;
  /*
     Largest accepted difference of z from M^-1 r, weighted by r: CG converges as usual with a preconditioner that is
     wrong by this amount. Guess
  */
  static constexpr double most_drift = 1. / 1024;
};

/*
   (p, A p) of p = z + b p: (z, A z) - b^2 (p, A p), without a sum of its own, because the previous p is conjugate to
   the new one. false: the result or z is not accurate enough. They then have to be computed anew, which also identifies
   the failure if there is one.
*/
HEPTANE_HD bool cg_curvature(const CgScalars &S, const Scalar sums[], Scalar *dpi)
{
  const Scalar zw = sums[cg_one_zw];

  *dpi = zw - S.b * S.b * S.dpi;
  return is_finite(*dpi) && sign_of(*dpi) == sign_of(S.dpi) && std::fabs(*dpi) >= Scalar(CgOneSumTuning::least_curvature) * std::fabs(zw) &&
         sums[cg_one_drift] <= Scalar(CgOneSumTuning::most_drift) * std::fabs(sums[cg_one_zr]);
}

/*
   Completes iteration S.it + 1 with these sums, and computes b and the step a of the next iteration. If the recurrence
   is not accurate enough it stops as at the limit, in a complete state, from which p, z and (p, A p) can be computed
   anew.
   first: they have just been computed anew. If that has not helped, the directions are no longer conjugate, and the
   next direction is z. An indefinite matrix is thus detected as in CG.
*/
HEPTANE_HD void cg_after_one_sum(CgScalars &S, const Scalar sums[], bool first)
{
  Scalar dpi;

  x_is_complete(S);
  cg_after_residual(S, sums[cg_one_zr], sums[cg_one_nn]);
  if (S.stop != FusedStop::no) return;
  if (cg_curvature(S, sums, &dpi)) cg_after_product(S, dpi);
  else {
    if (first) S.b = 0;
    stop_at(S, FusedStop::limit, S.it);
  }
}

} // namespace heptane
