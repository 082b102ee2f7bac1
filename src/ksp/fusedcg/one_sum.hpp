/*
   The scalars of CG with one sum per iteration (Chronopoulos and Gear, 1989), and what guards them. For host and device.
*/
#pragma once

#include "scalars.hpp"

namespace heptane
{

/* What is summed once z and r are those of iteration S.it + 1 and w = A z: (z, r), the squared norm of z or r, (z, w), and the sum of |z - M^-1 r| |r|, z having been carried on */
enum CgOneSums : int { cg_one_zr, cg_one_nn, cg_one_zw, cg_one_drift, cg_one_sums };

struct CgOneSumTuning {
  /* (p, A p) is trusted that is at least so much of (z, A z): below, rounding of the sums would be seen in the step. Guess */
  static constexpr double least_curvature = 1. / 1024;
  /* z is trusted while it differs from M^-1 r by less than so much, weighed by r: CG converges as ever with a preconditioner that is wrong by as much. Guess */
  static constexpr double most_drift = 1. / 1024;
};

/*
   (p, A p) of p = z + b p, where the p before was conjugate to it: (z, A z) - b^2 (p, A p), in place of a sum of its own. false: it is not to be trusted, or z is not; then they have to be formed anew, which also
   tells what is wrong if something is.
*/
HEPTANE_HD bool cg_curvature(const CgScalars &S, const Scalar sums[], Scalar *dpi)
{
  const Scalar zw = sums[cg_one_zw];

  *dpi = zw - S.b * S.b * S.dpi;
  return is_finite(*dpi) && sign_of(*dpi) == sign_of(S.dpi) && std::fabs(*dpi) >= Scalar(CgOneSumTuning::least_curvature) * std::fabs(zw) &&
         sums[cg_one_drift] <= Scalar(CgOneSumTuning::most_drift) * std::fabs(sums[cg_one_zr]);
}

/*
   Completes iteration S.it + 1 with these sums, and gives b and the step a of the next. Where that cannot be trusted it stops as at the limit, in the state that iterations end in: whoever goes on from
   there forms p, z and (p, A p) anew. first: these were; where that has been no help, directions are not conjugate any more, and the next is z alone. So an indefinite matrix is seen as CG sees it.
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
