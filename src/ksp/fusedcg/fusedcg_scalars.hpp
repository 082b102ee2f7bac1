/*
   The scalars of CG and BiCG between their passes over the vectors, in the order of PETSc's KSPSolve_CG() and KSPSolve_BiCG(). For host and device.
*/
#pragma once

#include "../../pass/scalars.hpp"
#include <cmath>

namespace heptane
{

HEPTANE_HD int sign_of(Scalar a)
{
  return (a > 0) - (a < 0);
}

HEPTANE_HD void x_is_complete(CgScalars &c)
{
  for (Scalar &pending : c.pending) pending = 0;
}

HEPTANE_HD bool x_is_incomplete(const CgScalars &c)
{
  for (Scalar pending : c.pending)
    if (pending != Scalar(0)) return true;
  return false;
}

/* dpi = (p, w): the step a */
HEPTANE_HD void cg_after_product(FusedScalars &S, Scalar dpi)
{
  CgScalars   &c   = S.cg;
  const Scalar old = c.dpi;

  c.dpi = dpi;
  if (direction_of(S) == 0) x_is_complete(c); /* the pass that made this p has seen to it */
  if (!is_finite(dpi)) {
    S.bad = dpi;
    stop_at(S, FusedStop::product, S.it + 1);
  } else if (dpi == Scalar(0) || (S.it > 0 && sign_of(dpi) * sign_of(old) < 0)) stop_at(S, FusedStop::indefinite_mat, S.it + 1);
  else {
    c.a                        = c.beta / dpi;
    c.pending[direction_of(S)] = c.a;
  }
}

/* What may stop CG once the test has let iteration S.it pass */
HEPTANE_HD void cg_go_on(FusedScalars &S)
{
  const CgScalars &c = S.cg;

  if (!is_finite(c.beta)) {
    S.bad = c.beta;
    stop_at(S, FusedStop::product, S.it);
  } else if (S.it >= S.last) stop_at(S, FusedStop::limit, S.it);
  else if (c.beta == Scalar(0)) stop_at(S, FusedStop::no_beta, S.it + 1);
  else if (c.beta * c.betaold < 0) stop_at(S, FusedStop::indefinite_pc, S.it + 1);
}

/* r and z are those of iteration S.it + 1: zr = (z, r), nn = the squared norm of z or r. Tests, and gives the coefficient b of the next direction. */
HEPTANE_HD void cg_after_residual(FusedScalars &S, Scalar zr, Scalar nn, Real *history, int length)
{
  CgScalars &c       = S.cg;
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
  complete_iteration(S, history, length);
  c.betaold = c.beta;
  c.beta    = zr;
  c.b       = c.beta / c.betaold;
  if (S.stop == FusedStop::no) cg_go_on(S);
}

/* dpi = (A pr, pl) */
HEPTANE_HD void bicg_after_product(FusedScalars &S, Scalar dpi)
{
  CgScalars &c = S.cg;

  c.dpi = dpi;
  if (!is_finite(dpi)) {
    S.bad = dpi;
    x_is_complete(c);
    stop_at(S, FusedStop::product, S.it);
  } else {
    c.a          = c.beta / dpi;
    c.pending[0] = c.a;
  }
}

/* As cg_go_on() */
HEPTANE_HD void bicg_go_on(FusedScalars &S)
{
  if (S.it >= S.last) stop_at(S, FusedStop::limit, S.it);
  else if (!is_finite(S.cg.beta)) {
    S.bad = S.cg.beta;
    stop_at(S, FusedStop::product, S.it);
  }
}

/* zr = (zr, rl), nn = the squared norm of zr or rr */
HEPTANE_HD void bicg_after_residual(FusedScalars &S, Scalar zr, Scalar nn, Real *history, int length)
{
  CgScalars &c = S.cg;

  S.dp = S.norm == FusedNorm::none ? Real(0) : std::sqrt(nn);
  if (!is_finite(S.dp)) {
    stop_at(S, FusedStop::norm, S.it);
    return;
  }
  complete_iteration(S, history, length);
  c.betaold = c.beta;
  c.beta    = zr;
  c.b       = c.beta / c.betaold;
  if (S.stop == FusedStop::no) bicg_go_on(S);
}

} // namespace heptane
