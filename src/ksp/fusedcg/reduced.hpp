/*
   The scalars of CG on a reduced system. They differ from CG: x is updated in every iteration, and the norm has two
   parts.
   If the norm is the norm of r, or none is requested, z = M r is computed after the test: an iteration begins with it,
   and the last one does not need it. Otherwise an iteration ends with it. For host and device.
*/
#pragma once

#include "../../pass/steps.hpp"
#include "scalars.hpp"

namespace heptane
{

/*
   Indices of additional sums: the part of the squared norm of z on the solved unknowns; the sums of the start, whose
   first norm is the norm of the whole residual
*/
enum CgReducedSums : int { cg_nn_more = 3, cg_reduced_start = 4, cg_reduced_sums = 4 };

HEPTANE_HD Scalar cg_reduced_norm(const CgScalars &S, const Scalar sums[])
{
  return S.norm == FusedNorm::preconditioned ? sums[cg_nn] + sums[cg_nn_more] : sums[cg_nn];
}

HEPTANE_HD bool cg_tests_first(const FusedScalars &S)
{
  return S.norm == FusedNorm::unpreconditioned || S.norm == FusedNorm::none;
}

/* The squared norm of r of iteration S.it + 1, before z is known: tests */
HEPTANE_HD void cg_tested(CgScalars &S, Scalar nn)
{
  S.dp = norm_wanted(S, S.it + 1) ? std::sqrt(nn) : Real(0);
  if (!is_finite(S.dp)) {
    stop_at(S, FusedStop::norm, S.it + 1);
    return;
  }
  complete_iteration(S);
  if (S.stop == FusedStop::no && S.it >= S.last) stop_at(S, FusedStop::limit, S.it);
}

/* (z, r) of iteration S.it, which has passed the test: computes the coefficient b of the next direction */
HEPTANE_HD void cg_directed(CgScalars &S, Scalar zr)
{
  S.betaold = S.it > 0 ? S.beta : Scalar(0);
  S.beta    = zr;
  S.b       = S.it > 0 ? S.beta / S.betaold : Scalar(0);
  cg_continue(S);
}

/* The end of an iteration */
HEPTANE_HD void cg_reduced_settle(CgScalars &S, const Scalar sums[])
{
  if (cg_tests_first(S)) cg_tested(S, sums[cg_nn]);
  else cg_after_residual(S, sums[cg_zr], cg_reduced_norm(S, sums));
}

/* Whether there is another iteration */
struct CgReducedTest : StepDefaults {
  using Scalars                = CgScalars;
  static constexpr int   taken = cg_reduced_sums;
  HEPTANE_HD static void advance(CgScalars &S, const Scalar sums[])
  {
    if (!S.settled) cg_reduced_settle(S, sums);
  }
};

/* Before w = A z + b w, p = z + b p */
struct CgReducedProduct : StepDefaults {
  using Scalars                           = CgScalars;
  static constexpr bool           changes = true;
  static constexpr int            taken = cg_reduced_sums, sums = 1;
  HEPTANE_HD static constexpr int first_sum() { return cg_pw; }
  HEPTANE_HD static void          advance(CgScalars &S, const Scalar sums[])
  {
    CgReducedTest::advance(S, sums);
    if (cg_tests_first(S) && S.stop == FusedStop::no) cg_directed(S, sums[cg_zr]);
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
