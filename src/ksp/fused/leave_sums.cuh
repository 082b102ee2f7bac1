/*
   What the one thread that has the sums of a grid does with them.
*/
#pragma once

#include "pc_rows.hpp"

namespace heptane
{

/* finish(now): the scalars after the sums; or they are handed to the host, which does that */
template <class Finish>
__device__ __forceinline__ void leave_sums(const Scalar *s, int K, FusedScalars *S, const FusedReduction &red, Finish finish)
{
  if (red.sums) {
    for (int k = 0; k < K; k++) red.sums[k] = s[k];
  } else {
    FusedScalars now = *S;
    finish(now);
    *S = now;
  }
}

} // namespace heptane
