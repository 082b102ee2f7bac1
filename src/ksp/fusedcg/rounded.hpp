/*
   The scalars of CG in mixed precision after an update. For host and device.
*/
#pragma once

#include "scalars.hpp"

namespace heptane
{

/* zr = (r, r) of the residual in single precision, nn = the squared norm in double; keeps: the direction is kept */
HEPTANE_HD void cg_after_rounding(CgScalars &S, Scalar zr, Scalar nn, bool keeps)
{
  S.beta = zr;
  S.b    = keeps && S.betaold != Scalar(0) ? S.beta / S.betaold : Scalar(0);
  S.dp   = S.norm == FusedNorm::natural ? std::sqrt(std::fabs(zr)) : std::sqrt(nn);
}

} // namespace heptane
