/*
   The beginning and the end of the kernel of a product: loads the scalars and sums of earlier passes, and stores its
   own sums. For matrix types; independent of the method.
*/
#pragma once

#include "../pc_rows.hpp"
#include "../reduction.cuh"

namespace heptane
{

/*
   Called by all threads of the block, after wait_for_predecessor(). One thread of each block computes the derived
   scalars; its loads are in flight together.
*/
template <bool MINUS, int K, class T>
__device__ __forceinline__ ProductScalars<T> begin_product(const FusedProductOf<T> &P, const FusedScalars *S)
{
  const bool        with_alpha = MINUS || (K == 4 && P.sum_v);
  ProductScalars<T> now        = {false, 0, K == 1 ? input_of(P, *S) : P.q};
  __shared__ Scalar alpha;
  __shared__ bool   still;

  if (P.square || P.divisor) {
    if (threadIdx.x == 0) {
      const ProductScalars<T> first = product_scalars(P, load_scalars<FusedScalars>(S), with_alpha);

      still = first.still;
      alpha = first.alpha;
    }
    __syncthreads();
    now.alpha = alpha;
    now.still = still;
  } else {
    now.still = S->stop != FusedStop::no;
    if (with_alpha) now.alpha = *P.alpha;
  }
  return now;
}

/* The end of a product's kernel: the threads' sums over the grid */
template <int THREADS, class T, int K>
__device__ __forceinline__ void finish_product(const FusedProductOf<T> &P, Scalar (&sums)[K], const FusedReduction &red)
{
  if (P.sums != no_sums) publish_sums<THREADS>(sums, red, P.at);
}

} // namespace heptane
