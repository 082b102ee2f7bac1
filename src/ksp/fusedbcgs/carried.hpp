/*
   Off-rank contributions that a row updates by recurrence while BiCGStab runs in one kernel: see
   pass/product/halo_places.hpp. For host and device.
*/
#pragma once

#include "scalars.hpp"

namespace heptane
{

/*
   C: the off-rank columns of a row. The row stores C p, C r (which is C s in turn) and C v. z is the received
   contribution: C p and C r at the start, then C v and C t in turn, from which the remaining products are recurred. S
   has the scalars of the iteration whose t has been received.
*/
struct BcgsCarried {
  enum : int { of_p, of_r, of_v, parts };

  /* z = C t of the last iteration, or C r if no iteration is complete: C p of the next product */
  static HEPTANE_HD Scalar to_p(const BcgsScalars &S, bool completed, Scalar z, Scalar (&c)[parts])
  {
    if (completed) {
      c[of_r] -= S.omega * z;
      c[of_p] = c[of_r] + S.beta * (c[of_p] - S.omega * c[of_v]);
    } else c[of_r] = z;
    return c[of_p];
  }
  /* z = C v: C s of the next product */
  static HEPTANE_HD Scalar to_s(Scalar alpha, Scalar z, Scalar (&c)[parts])
  {
    c[of_v] = z;
    c[of_r] -= alpha * z;
    return c[of_r];
  }
};

} // namespace heptane
