/*
   Vectors for the unit tests of the passes of the fused solvers, the sizes that they run through, and what a running solve holds.
*/
#pragma once

#include "pass/step_host.hpp"

namespace heptane
{

inline double tolerance(std::size_t n)
{
  return 8 * std::numeric_limits<Scalar>::epsilon() * (n + 1);
}

inline const std::size_t sizes[] = {0, 1, 7, 8, 9, 31, 32, 33, 255, 256, 257, 4100};

/* Method: a method's scalars */
template <class Method = FusedScalars>
Method running()
{
  Method S    = {};
  S.norm      = FusedNorm::preconditioned;
  S.chknorm   = -1;
  S.last      = 1000;
  S.test      = 1;
  S.converged = 0;
  S.diverged  = std::numeric_limits<Real>::max();
  return S;
}

} // namespace heptane
