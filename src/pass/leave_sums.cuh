/*
   What the one thread that has the sums of a grid does with them.
*/
#pragma once

#include "../device/block_reduce.cuh"
#include "finish.hpp"
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

/* The end of a product's kernel: the threads' sums over the grid, and what follows the product */
template <int THREADS, int K>
__device__ __forceinline__ void finish_product(const FusedProduct &P, Scalar (&sums)[K], FusedScalars *S, const FusedReduction &red)
{
  if (grid_sums<THREADS>(sums, red.partial, red.count)) leave_sums(sums, K, S, red, [&](FusedScalars &now) { run_finish(P.finish, now, sums); });
}

} // namespace heptane
