/*
   The scalars of CG between its passes over the vectors, in the order of PETSc's KSPSolve_CG(). For host and device.
*/
#pragma once

#include "../../pass/scalars.hpp"

namespace heptane
{

struct CgScalars : FusedScalars {
  Scalar beta, betaold;                      /* (z, r) of this iteration and of the one before */
  Scalar dpi;                                /* (p, w) */
  Scalar a, b;                               /* step, and p = z + b p */
  int    others;                             /* further vectors that store p in turn: see direction_of() */
  Scalar pending[PassTuning::cg_directions]; /* x still lacks pending[k] * (vector k of p) */
};
static_assert(sizeof(CgScalars) <= fused_scalars_bytes, "room for the scalars of CG");

/* Indices of the sums: (z, r) and the squared norm after it; (p, w) */
enum CgSums : int { cg_zr = 0, cg_nn = 1, cg_pw = 2 };

HEPTANE_HD int sign_of(Scalar a)
{
  return (a > 0) - (a < 0);
}

/* Index of the vector that stores p of iteration S.it + 1 */
HEPTANE_HD int direction_of(const CgScalars &S)
{
  return S.others ? S.it % (1 + S.others) : 0;
}

HEPTANE_HD void x_is_complete(CgScalars &S)
{
  for (Scalar &pending : S.pending) pending = 0;
}

HEPTANE_HD bool x_is_incomplete(const CgScalars &S)
{
  for (Scalar pending : S.pending)
    if (pending != Scalar(0)) return true;
  return false;
}

/* zr = (z, r), nn = the squared norm of z or r, of the start */
HEPTANE_HD void cg_start(CgScalars &S, Scalar zr, Scalar nn)
{
  S.beta = zr;
  S.dp   = S.norm == FusedNorm::none ? Real(0) : S.norm == FusedNorm::natural ? std::sqrt(std::fabs(zr)) : std::sqrt(nn);
}

/* dpi = (p, w): the step a */
HEPTANE_HD void cg_after_product(CgScalars &S, Scalar dpi)
{
  const int    direction = direction_of(S);
  const Scalar old       = S.dpi;

  S.dpi = dpi;
  if (direction == 0) x_is_complete(S); /* the pass that made this p has added them */
  if (!is_finite(dpi)) {
    S.bad = dpi;
    stop_at(S, FusedStop::product, S.it + 1);
  } else if (dpi == Scalar(0) || (S.it > 0 && sign_of(dpi) * sign_of(old) < 0)) stop_at(S, FusedStop::indefinite_mat, S.it + 1);
  else {
    S.a = S.beta / dpi;
    HEPTANE_UNROLL
    for (int j = 0; j < PassTuning::cg_directions; j++) /* a variable index would move the array to local memory */
      if (j == direction) S.pending[j] = S.a;
  }
}

/* Conditions that stop CG after iteration S.it has passed the test */
HEPTANE_HD void cg_continue(CgScalars &S)
{
  if (!is_finite(S.beta)) {
    S.bad = S.beta;
    stop_at(S, FusedStop::product, S.it);
  } else if (S.it >= S.last) stop_at(S, FusedStop::limit, S.it);
  else if (S.beta == Scalar(0)) stop_at(S, FusedStop::no_beta, S.it + 1);
  else if (S.beta * S.betaold < 0) stop_at(S, FusedStop::indefinite_pc, S.it + 1);
}

/*
   r and z are of iteration S.it + 1: zr = (z, r), nn = the squared norm of z or r. Tests, and computes the coefficient
   b of the next direction.
*/
HEPTANE_HD void cg_after_residual(CgScalars &S, Scalar zr, Scalar nn)
{
  const bool natural = S.norm == FusedNorm::natural;

  S.dp = natural ? std::sqrt(std::fabs(zr)) : norm_wanted(S, S.it + 1) ? std::sqrt(nn) : Real(0);
  if (natural && !is_finite(zr)) {
    S.bad = zr;
    stop_at(S, FusedStop::product, S.it + 1);
    return;
  }
  if (!is_finite(S.dp)) {
    stop_at(S, FusedStop::norm, S.it + 1);
    return;
  }
  complete_iteration(S);
  S.betaold = S.beta;
  S.beta    = zr;
  S.b       = S.beta / S.betaold;
  if (S.stop == FusedStop::no) cg_continue(S);
}

/* Before the direction of an iteration: uses the sums of the previous residual */
HEPTANE_HD void cg_before_direction(CgScalars &S, const Scalar sums[])
{
  if (!S.settled) cg_after_residual(S, sums[cg_zr], sums[cg_nn]);
  S.settled = 0;
  S.input   = direction_of(S);
}

} // namespace heptane
