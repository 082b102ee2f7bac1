/*
   Common part of the kernels of the sliced ELLPACK product: rows put aside in the same launch, and results stored. No
   PETSc objects.
*/
#pragma once

#include "../../csr/pieces.cuh"
#include "spmv.hpp"

namespace heptane
{

/* Replaces a SellpRemainder if no rows are put aside. Their code costs registers (b = 8: 64 instead of 56) and up to 7
   % of the time, see SellpTuning::plan */
struct SellpNoRemainder {};

/* Blocks for the rows put aside. They are last, since they are short and fill the free multiprocessors, but first if
   the other blocks are resident until the end */
__host__ __device__ __forceinline__ int sellp_remainder_blocks(const SellpRemainder &remainder, int block_threads)
{
  return (remainder.pieces.list.count + block_threads / 32 - 1) / (block_threads / 32);
}

__host__ __device__ __forceinline__ int sellp_remainder_blocks(const SellpNoRemainder &, int)
{
  return 0;
}

/* z_row = sum, + y_row if y is not null; or a pack of rows */
template <class V>
__device__ __forceinline__ void put(int row, const V &sum, const Scalar *y, Scalar *z)
{
  store(z, row, y ? load<V>(y, row) + sum : sum);
}

/* The same, unless the row is put aside, and so its whole cell: another warp stores that */
template <class V>
__device__ __forceinline__ void put_unless_remainder(const SellpRemainder &remainder, int row, const V &sum, const Scalar *y, Scalar *z)
{
  if (!(remainder.mask[row / 32] >> (row % 32) & 1)) put(row, sum, y, z);
}

template <class V>
__device__ __forceinline__ void put_unless_remainder(const SellpNoRemainder &, int row, const V &sum, const Scalar *y, Scalar *z)
{
  put(row, sum, y, z);
}

/* A warp's piece of the rows put aside, in the first or last blocks. False: this block has index *block of the *blocks
   other blocks */
template <bool FIRST = false>
__device__ __forceinline__ bool sellp_remainder_row(const SellpRemainder &remainder, int block_threads, const Scalar *__restrict__ x, const Scalar *y,
                                                    Scalar *z, int *block, int *blocks)
{
  const int these = sellp_remainder_blocks(remainder, block_threads), others = static_cast<int>(gridDim.x) - these, index = static_cast<int>(blockIdx.x);
  const int piece = (FIRST ? index : index - others) * (block_threads / 32) + static_cast<int>(threadIdx.x) / 32, lane = threadIdx.x % 32;
  int       k;
  Scalar    sum;

  *block  = FIRST ? index - these : index;
  *blocks = others;
  if (FIRST ? index >= these : index < others) return false;
  if (piece < remainder.pieces.list.count && csr_piece_last<SellpTuning::remainder_together>(remainder.pieces, x, piece, lane, &k, &sum) && lane == 0)
    put(remainder.pieces.list.row[k], sum, y, z);
  return true;
}

template <bool FIRST = false>
__device__ __forceinline__ bool sellp_remainder_row(const SellpNoRemainder &, int, const Scalar *, const Scalar *, Scalar *, int *block, int *blocks)
{
  *block  = static_cast<int>(blockIdx.x);
  *blocks = static_cast<int>(gridDim.x);
  return false;
}

} // namespace heptane
