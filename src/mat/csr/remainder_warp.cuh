/*
   The remainder of the rows of a warp, for products in which a thread has a row: lanes share the few rows that have any, so that a row of a hundred entries does not keep its
   warp waiting a hundred times. Either those of the warp itself, or, before all rows, those of some other one, which leaves the sum. Knows no PETSc objects.
*/
#pragma once

#include "../../device/once_word.hpp"
#include "remainder_share.hpp"

namespace heptane
{

/* The bits of the 32 rows around this one; who asks early has them when the row is summed */
__device__ __forceinline__ std::uint32_t remainder_word(const RemainderRows &R, int row)
{
  return R.mask ? __ldg(R.mask + row / 32) : 0;
}

/*
   All sums of R, where R.sums says so, by the blocks of the lowest numbers, before they do anything else: these run first. A warp whose own rows had 192 entries each of a well took 14 us for them, and
   where a plane has as many tiles as divide the grid, all such rows were in the same few blocks, one after the other.
*/
template <int THREADS, class X>
__device__ __forceinline__ void remainder_leave_sums(const RemainderRows &R, const X &x)
{
  const RemainderSums &S = R.sums;

  if (!S.word || blockIdx.x >= remainder_sum_blocks) return;
  const int blocks = static_cast<int>(gridDim.x) < remainder_sum_blocks ? static_cast<int>(gridDim.x) : remainder_sum_blocks, each = THREADS / S.lanes,
            lane = static_cast<int>(threadIdx.x) % S.lanes;

  for (int first = static_cast<int>(blockIdx.x) * each; first < S.count; first += blocks * each) {
    const int k   = first + static_cast<int>(threadIdx.x) / S.lanes;
    Scalar    sum = k < S.count ? remainder_share(R, x, k, lane, S.lanes) : Scalar(0);

    for (int d = S.lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (lane == 0 && k < S.count) once_leave(S.word + k, static_cast<double>(sum));
  }
}

/* That of a row with the bit in `word`, of whose remainder the sum is left */
__device__ __forceinline__ Scalar remainder_take_sum(const RemainderRows &R, int row, std::uint32_t word)
{
  const std::uint32_t bit = std::uint32_t(1) << row % 32;

  return word & bit ? static_cast<Scalar>(once_take(R.sums.word + R.base[row / 32] + count_bits(word & (bit - 1)))) : Scalar(0);
}

/*
   What the remainder adds to each lane's row. warp: the lanes that call, the first of their warp; word: remainder_word() of the lane's row.
   As many lanes per row as the warp has for each, each lane's entries ascending, lanes by a fixed butterfly: the same order whenever the rows lie so in warps.
*/
template <class X>
__device__ __forceinline__ Scalar remainder_of_warp(const RemainderRows &R, const X &x, int row, std::uint32_t word, unsigned warp)
{
  const std::uint32_t bit  = std::uint32_t(1) << row % 32;
  const unsigned      with = __ballot_sync(warp, (word & bit) != 0);

  if (!with) return 0;
  const int  below = count_bits(with & ((1u << (threadIdx.x & 31)) - 1)), rows = count_bits(with), lanes = remainder_lanes(rows, count_bits(warp));
  const int  own = word & bit ? R.base[row / 32] + count_bits(word & (bit - 1)) : 0, turn = (threadIdx.x & 31) / lanes;
  const bool helps = turn < rows;
  unsigned   whose = with;
  for (int i = helps ? turn : 0; i > 0; i--) whose &= whose - 1;
  const int k   = __shfl_sync(warp, own, __ffs(static_cast<int>(whose)) - 1);
  Scalar    sum = helps ? remainder_share(R, x, k, (threadIdx.x & 31) % lanes, lanes) : Scalar(0);

  for (int d = lanes / 2; d > 0; d /= 2) sum += __shfl_xor_sync(warp, sum, d);
  sum = __shfl_sync(warp, sum, word & bit ? below * lanes : 0);
  return word & bit ? sum : Scalar(0);
}

} // namespace heptane
