/*
   The scalars of CG on a reduced system: as those of CG, but that x is added to in every iteration, and that the norm has two parts. For host and device.
*/
#pragma once

#include "../../pass/steps.hpp"
#include "fusedcg_scalars.hpp"

namespace heptane
{

/* Where the passes leave more sums: the part of the squared norm of z on the unknowns that are solved; those of the start, whose first norm is that of the whole residual */
enum CgReducedSums : int { cg_nn_more = 3, cg_reduced_start = 4, cg_reduced_sums = 4 };

HEPTANE_HD Scalar cg_reduced_norm(const CgScalars &S, const Scalar sums[])
{
  return S.norm == FusedNorm::preconditioned ? sums[cg_nn] + sums[cg_nn_more] : sums[cg_nn];
}

/* Before w = A z + b w, p = z + b p */
struct CgReducedProduct : StepDefaults {
  using Scalars                           = CgScalars;
  static constexpr bool           changes = true;
  static constexpr int            taken = cg_reduced_sums, sums = 1;
  HEPTANE_HD static constexpr int first_sum() { return cg_pw; }
  HEPTANE_HD static void          advance(CgScalars &S, const Scalar sums[])
  {
    if (!S.settled) cg_after_residual(S, sums[cg_zr], cg_reduced_norm(S, sums));
    S.settled = 0;
  }
  Scalar          b = 0;
  HEPTANE_HD void begin(const CgScalars &S) { b = S.it > 0 ? S.b : Scalar(0); }
};

/* Before x += a p, r -= a w */
struct CgReducedUpdate : StepDefaults {
  using Scalars                           = CgScalars;
  static constexpr bool           changes = true;
  static constexpr int            taken = cg_reduced_sums, sums = cg_reduced_sums;
  HEPTANE_HD static constexpr int first_sum() { return cg_zr; }
  HEPTANE_HD static void          advance(CgScalars &S, const Scalar sums[])
  {
    cg_after_product(S, sums[cg_pw]);
    x_is_complete(S);
  }
  Scalar          a = 0;
  HEPTANE_HD void begin(const CgScalars &S) { a = S.a; }
};

} // namespace heptane
