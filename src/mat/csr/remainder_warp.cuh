/*
   The remainder of a warp's rows, for products with a thread per row: lanes share the few rows that have entries, so
   that a row of a hundred entries does not stall its warp for a hundred turns. A warp sums its own rows, or, before all
   rows, assigned ones, and stores the sum. No PETSc objects.
*/
#pragma once

#include "../../device/handoff_word.hpp"
#include "remainder_share.hpp"

namespace heptane
{

/* The bits of the 32 rows around this one; call it early, so that they have arrived when the row is summed */
__device__ __forceinline__ std::uint32_t remainder_word(const RemainderRows &R, int row)
{
  return R.mask ? __ldg(R.mask + row / 32) : 0;
}

/* If R.sums is set, the blocks with the lowest indices form all sums of R first, since they start first. Otherwise a
   warp whose rows have 192 well entries each spends 14 us on them, and such rows can fall to a few blocks. */
template <int THREADS, class X>
__device__ __forceinline__ void remainder_publish_sums(const RemainderRows &R, const X &x)
{
  const RemainderSums &S = R.sums;

  if (!S.word || blockIdx.x >= remainder_sum_blocks) return;
  const int blocks = static_cast<int>(gridDim.x) < remainder_sum_blocks ? static_cast<int>(gridDim.x) : remainder_sum_blocks, each = THREADS / S.lanes,
            lane = static_cast<int>(threadIdx.x) % S.lanes;

  for (int first = static_cast<int>(blockIdx.x) * each; first < S.count; first += blocks * each) {
    const int k   = first + static_cast<int>(threadIdx.x) / S.lanes;
    Scalar    sum = k < S.count ? remainder_share(R, x, k, lane, S.lanes) : Scalar(0);

    for (int d = S.lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0 && k < S.count) handoff_put(S.word + k, static_cast<double>(sum));
  }
}

/* That of a row with the bit in `word`, of whose remainder the sum is left */
__device__ __forceinline__ Scalar remainder_take_sum(const RemainderRows &R, int row, std::uint32_t word)
{
  const std::uint32_t bit = std::uint32_t(1) << row % 32;

  return word & bit ? static_cast<Scalar>(handoff_take(R.sums.word + R.base[row / 32] + count_bits(word & (bit - 1)))) : Scalar(0);
}

/*
   The remainder's contribution to each lane's row. warp: the mask of calling lanes, starting with the first of their
   warp; word: remainder_word() of the lane's row.
   Rows share the lanes of the warp equally; each lane adds ascending entries, lanes by a fixed butterfly: the order
   depends only on the position of rows in warps.
*/
template <class X>
__device__ __forceinline__ Scalar remainder_of_warp(const RemainderRows &R, const X &x, int row, std::uint32_t word, unsigned warp)
{
  const std::uint32_t bit  = std::uint32_t(1) << row % 32;
  const unsigned      with = __ballot_sync(warp, (word & bit) != 0);

  if (!with) return 0;
  const int  below = count_bits(with & ((1u << (threadIdx.x & 31)) - 1)), rows = count_bits(with), lanes = remainder_lanes(rows, count_bits(warp));
  const int  first_word = word & bit ? R.base[row / 32] + count_bits(word & (bit - 1)) : 0, turn = (threadIdx.x & 31) / lanes;
  const bool helps = turn < rows;
  unsigned   whose = with;
  for (int i = helps ? turn : 0; i > 0; i--) whose &= whose - 1;
  const int k   = __shfl_sync(warp, first_word, __ffs(static_cast<int>(whose)) - 1);
  Scalar    sum = helps ? remainder_share(R, x, k, (threadIdx.x & 31) % lanes, lanes) : Scalar(0);

  for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(warp, sum, d);
  sum = __shfl_sync(warp, sum, word & bit ? below * lanes : 0);
  return word & bit ? sum : Scalar(0);
}

} // namespace heptane
