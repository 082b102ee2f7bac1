/*
   The sums of a pass over the grid, and the scalars that the next pass makes of them.
*/
#pragma once

#include "../device/block_reduce.cuh"
#include "reduction.hpp"

namespace heptane
{

/* The end of a pass: its threads' sums over the grid, left at sums[at], ... for the passes after it. The one place where sums are added and published. */
template <int THREADS, int K>
__device__ __forceinline__ void leave_sums(Scalar (&sums)[K], const FusedReduction &red, int at)
{
  if (grid_sums<THREADS>(sums, red.partial, red.count)) {
#pragma unroll
    for (int k = 0; k < K; k++) red.sums[at + k] = sums[k];
  }
}

/*
   The beginning of a pass that changes the scalars: they advance by the sums that passes before have left. One thread of each block does the same arithmetic, the first block stores the
   result. false where the pass has nothing to do. Loads of scalars and sums are under way together.
*/
template <class Step>
__device__ __forceinline__ bool advance_scalars(Step &step, const FusedState &state, const FusedReduction &red)
{
  using Scalars = typename Step::Scalars;
  __shared__ __align__(16) unsigned char memory[sizeof(Scalars)];
  Scalars                               &shared = *reinterpret_cast<Scalars *>(memory);

  if (threadIdx.x == 0) {
    Scalars   S  = *static_cast<const Scalars *>(state.now);
    const int it = S.it;
    if (state.next) {
      Scalar sums[fused_sums];
#pragma unroll
      for (int k = 0; k < fused_sums; k++) sums[k] = sum_of_pass(red.sums + k);
      if (S.stop == FusedStop::no) step.advance(S, sums);
      if (blockIdx.x == 0) {
        *static_cast<Scalars *>(state.next) = S;
        log_norm(it, S, red.history, red.history_length);
      }
    }
    shared = S;
  }
  __syncthreads();
  if (shared.stop != FusedStop::no) return false;
  step.begin(shared);
  return true;
}

/* The beginning of any pass; always: though the iteration stands still */
template <class Step>
__device__ __forceinline__ bool begin_step(Step &step, const FusedState &state, const FusedReduction &red, bool always)
{
  if constexpr (Step::changes) return advance_scalars(step, state, red);
  if (!always && state.now->stop != FusedStop::no) return false;
  step.begin(*static_cast<const typename Step::Scalars *>(state.now));
  return true;
}

} // namespace heptane
