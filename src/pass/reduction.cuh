/*
   Sums a pass over the grid, and computes the scalars of the next pass from the sums.
*/
#pragma once

#include "../comm/peer_sums.hpp"
#include "../device/block_reduce.cuh"
#include "reduction.hpp"

namespace heptane
{

/*
   The end of a pass: its threads' sums over the grid, stored at red.left[at], ... for later passes. The only function
   that adds and publishes sums.
*/
template <int THREADS, int K>
__device__ __forceinline__ void publish_sums(Scalar (&sums)[K], const FusedReduction &red, int at)
{
  if (grid_sums<THREADS>(sums, red.partial, red.count)) {
#pragma unroll
    for (int k = 0; k < K; k++) red.local_sums[at + k] = sums[k];
  }
}

/* The slots of a lane of a block's first warp, one per sum and rank */
struct LaneSlots {
  PeerSlots at;
  int       ranks  = 0;
  bool      active = false;
};

/*
   Of K sums from `first` on. All blocks load the slots before their sums are formed, so that the last block has them:
   no block of this kernel has stored a sum yet.
*/
template <int K>
__device__ __forceinline__ LaneSlots slots_of_lane(const PeerSums &P, int first)
{
  constexpr int most = PeerSums::most_ranks;
  static_assert(K * most <= 32, "a lane for each");
  const int k = threadIdx.x / most, r = threadIdx.x % most;
  LaneSlots slots;

  if (k < K) {
    slots.at     = peer_slots(P, first + k, r);
    slots.ranks  = P.ranks;
    slots.active = r < slots.ranks;
  }
  return slots;
}

/*
   Executed by the first warp of a block. In: the sums of this rank, in its first lane. Out: the sums of all ranks, in
   every lane
*/
template <int K>
__device__ __forceinline__ void sums_of_ranks(const PeerSums &P, const LaneSlots &slots, int first, Scalar (&sums)[K])
{
  constexpr int most = PeerSums::most_ranks;
  const int     k = threadIdx.x / most, r = threadIdx.x % most, ranks = __shfl_sync(~0u, slots.ranks, 0);
  double        value = 0;

#pragma unroll
  for (int j = 0; j < K; j++) {
    const Scalar of_first = __shfl_sync(~0u, sums[j], 0);
    if (j == k) value = static_cast<double>(of_first);
  }
  if (slots.active) peer_publish_to(slots.at, value);
  __syncwarp();
  if (slots.active && r == 0) peer_published(P, first + k, slots.at.epoch);
  if (slots.active) value = peer_part(P.limit, slots.at);
  __syncwarp();
#pragma unroll
  for (int j = 0; j < K; j++) {
    double total = __shfl_sync(~0u, value, j * most);
    for (int rank = 1; rank < ranks; rank++) total += __shfl_sync(~0u, value, j * most + rank);
    sums[j] = static_cast<Scalar>(total);
  }
}

/*
   As publish_sums(), for matrices that may have rows on other GPUs. The last block of each GPU adds the sums of all
   ranks, so that later passes find the same data as on one GPU. Only this wait and the wait for ghosts depend on other
   ranks; here one block of the grid polls after its other blocks have ended.
*/
template <int THREADS, int K>
__device__ __forceinline__ void publish_sums_of_ranks(Scalar (&sums)[K], const FusedReduction &red, int at)
{
  LaneSlots slots;

  if (red.peers && threadIdx.x < 32) slots = slots_of_lane<K>(*red.peers, at);
  const bool complete = grid_sums<THREADS>(sums, red.partial, red.count);

  if (red.peers && threadIdx.x < 32)
    if (__shfl_sync(~0u, complete, 0)) sums_of_ranks(*red.peers, slots, at, sums);
  if (complete) {
#pragma unroll
    for (int k = 0; k < K; k++) red.local_sums[at + k] = sums[k];
  }
}

/* As load_here() of a number, for 16 bytes */
__device__ __forceinline__ int4 load_here(const int4 *p)
{
  int4 v;
  asm volatile("ld.volatile.global.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
  return v;
}

/* All of the scalars */
template <class Scalars>
__device__ __forceinline__ Scalars load_scalars(const FusedScalars *from)
{
  static_assert(sizeof(Scalars) % sizeof(int4) == 0, "whole words");
  constexpr int words = sizeof(Scalars) / sizeof(int4);
  int4          word[words];
  Scalars       S;

#pragma unroll
  for (int k = 0; k < words; k++) word[k] = load_here(reinterpret_cast<const int4 *>(from) + k);
  memcpy(&S, word, sizeof(S));
  return S;
}

/*
   The beginning of a pass that changes the scalars: they advance by the sums of earlier passes. Threads load all
   operands at once, one thread of each block computes, and the first block stores the result. Returns false if the pass
   has no work.
*/
template <class Step>
__device__ __forceinline__ bool advance_scalars(Step &step, const FusedState &state, const FusedReduction &red)
{
  using Scalars       = typename Step::Scalars;
  constexpr int words = sizeof(Scalars) / sizeof(int4), first = 32; /* sums are loaded by another warp */
  static_assert(words <= first && sizeof(Scalars) % sizeof(int4) == 0, "a word a thread");
  __shared__ int4   memory[words];
  __shared__ Scalar sums[Step::taken];
  Scalars          &S      = *reinterpret_cast<Scalars *>(memory);
  const int         thread = threadIdx.x;

  if (thread < words) memory[thread] = __ldcg(reinterpret_cast<const int4 *>(state.now) + thread);
  else if (state.next && thread >= first && thread < first + Step::taken) sums[thread - first] = sum_of_pass(red.sums + thread - first);
  __syncthreads();
  if (state.next) {
    if (thread == 0) {
      Scalars now = S;

      if (now.stop == FusedStop::no) step.advance(now, sums);
      if (blockIdx.x == 0) {
        log_norm(S.it, now, red.history, red.history_length);
        *static_cast<Scalars *>(state.next) = now;
      }
      S = now;
    }
    __syncthreads();
  }
  if (S.stop != FusedStop::no) return false;
  step.begin(S);
  return true;
}

/* The beginning of any pass; always: even if the iteration has stopped */
template <class Step>
__device__ __forceinline__ bool begin_step(Step &step, const FusedState &state, const FusedReduction &red, bool always)
{
  if constexpr (Step::changes) return advance_scalars(step, state, red);
  if (!always && state.now->stop != FusedStop::no) return false;
  step.begin(*static_cast<const typename Step::Scalars *>(state.now));
  return true;
}

} // namespace heptane
