/*
   Sums over a thread block and over a whole grid, in a fixed order: the same bits in every run. Has no PETSc objects.
*/
#pragma once

#include "scalar.hpp"

namespace heptane
{

/* The sum of each of K values over the warp, in lane 0: a fixed tree */
template <int K>
__device__ __forceinline__ void warp_sums(Scalar (&v)[K])
{
#pragma unroll
  for (int m = 16; m; m >>= 1) {
#pragma unroll
    for (int k = 0; k < K; k++) v[k] += __shfl_down_sync(0xffffffffu, v[k], m);
  }
}

/*
   The sums over a block of THREADS threads, in thread 0. Called by all threads; the shared memory may be reused after
   the next __syncthreads().
*/
template <int THREADS, int K>
__device__ __forceinline__ void block_sums(Scalar (&v)[K])
{
  constexpr int     warps = THREADS / 32;
  __shared__ Scalar of_warp[K][warps];
  const int         warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  warp_sums(v);
  if (lane == 0) {
#pragma unroll
    for (int k = 0; k < K; k++) of_warp[k][warp] = v[k];
  }
  __syncthreads();
  if (warp == 0) {
#pragma unroll
    for (int k = 0; k < K; k++) v[k] = lane < warps ? of_warp[k][lane] : Scalar(0);
    warp_sums(v);
  }
}

/*
   The sums over the grid. The last block to finish adds the blocks' partial sums in block order, so that the result
   does not depend on which block that is. Returns true in thread 0 of this block, whose v then holds the sums.
   partial: [K * gridDim.x]; count: zero before and after.
*/
template <int THREADS, int K>
__device__ __forceinline__ bool grid_sums(Scalar (&v)[K], Scalar *partial, unsigned *count)
{
  __shared__ bool last;
  const int       blocks = gridDim.x;

  block_sums<THREADS, K>(v);
  if (threadIdx.x == 0) {
#pragma unroll
    for (int k = 0; k < K; k++) __stcg(partial + k * blocks + blockIdx.x, v[k]);
    __threadfence(); /* the partial sums before the count, and other data that this block stored */
    last = atomicAdd(count, 1u) == static_cast<unsigned>(blocks) - 1;
    __threadfence(); /* the count before the partial sums of the other blocks */
  }
  __syncthreads();
  if (!last) return false;
#pragma unroll
  for (int k = 0; k < K; k++) {
    v[k] = 0;
    for (int j = threadIdx.x; j < blocks; j += THREADS) v[k] += __ldcg(partial + k * blocks + j);
  }
  block_sums<THREADS, K>(v);
  if (threadIdx.x == 0) *count = 0;
  return threadIdx.x == 0;
}

} // namespace heptane
