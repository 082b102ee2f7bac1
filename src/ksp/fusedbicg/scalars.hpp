/*
   The scalars of BiCG between its passes over the vectors, in the order of PETSc's KSPSolve_BiCG(). For host and
   device.
*/
#pragma once

#include "../../pass/scalars.hpp"

namespace heptane
{

struct BicgScalars : FusedScalars {
  Scalar beta, betaold; /* (zr, rl) of this iteration and of the one before */
  Scalar dpi;           /* (A pr, pl) */
  Scalar a, b;          /* step, and p = z + b p */
  Scalar pending;       /* x still lacks pending * pr */
};
static_assert(sizeof(BicgScalars) <= fused_scalars_bytes, "room for the scalars of BiCG");

/* Indices of the sums: (zr, rl) and the squared norm after it; (wr, pl) */
enum BicgSums : int { bicg_zr = 0, bicg_nn = 1, bicg_wp = 2 };

/* zr = (zr, rl), nn = the squared norm of zr or rr, of the start */
HEPTANE_HD void bicg_start(BicgScalars &S, Scalar zr, Scalar nn)
{
  S.beta = zr;
  S.dp   = S.norm == FusedNorm::none ? Real(0) : S.norm == FusedNorm::natural ? std::sqrt(std::fabs(zr)) : std::sqrt(nn);
}

/* dpi = (A pr, pl) */
HEPTANE_HD void bicg_after_product(BicgScalars &S, Scalar dpi)
{
  S.dpi = dpi;
  if (!is_finite(dpi)) {
    S.bad     = dpi;
    S.pending = 0;
    stop_at(S, FusedStop::product, S.it);
  } else S.pending = S.a = S.beta / dpi;
}

/* Conditions that stop BiCG after iteration S.it has passed the test */
HEPTANE_HD void bicg_continue(BicgScalars &S)
{
  if (S.it >= S.last) stop_at(S, FusedStop::limit, S.it);
  else if (!is_finite(S.beta)) {
    S.bad = S.beta;
    stop_at(S, FusedStop::product, S.it);
  }
}

/* zr = (zr, rl), nn = the squared norm of zr or rr */
HEPTANE_HD void bicg_after_residual(BicgScalars &S, Scalar zr, Scalar nn)
{
  S.dp = S.norm == FusedNorm::none ? Real(0) : std::sqrt(nn);
  if (!is_finite(S.dp)) {
    stop_at(S, FusedStop::norm, S.it);
    return;
  }
  complete_iteration(S);
  S.betaold = S.beta;
  S.beta    = zr;
  S.b       = S.beta / S.betaold;
  if (S.stop == FusedStop::no) bicg_continue(S);
}

/* Before the directions of an iteration: uses the sums of the previous residuals */
HEPTANE_HD void bicg_before_direction(BicgScalars &S, const Scalar sums[])
{
  if (!S.settled) bicg_after_residual(S, sums[bicg_zr], sums[bicg_nn]);
  S.settled = 0;
}

} // namespace heptane
