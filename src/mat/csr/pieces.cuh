/*
   The pieces of a row of a list and their sum, by warps. No PETSc objects.
*/
#pragma once

#include "rows.hpp"

namespace heptane
{

/* Each lane ascending, lanes by a fixed butterfly; every lane gets the sum */
__device__ __forceinline__ Scalar csr_pieces_sum(const CsrPieces &P, int k, int lane)
{
  Scalar sum = 0;

  for (int p = P.first[k] + lane; p < P.first[k + 1]; p += 32) sum += P.sums[p];
#pragma unroll
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  return sum;
}

/* Marks piece p as finished; every lane of the warp holds its sum. The warp that finishes the last piece of a row
   receives true, the row's index in the list and, in every lane, the sum of all pieces in their order. */
__device__ __forceinline__ bool csr_piece_ready(const CsrPieces &P, int p, int lane, int *k, Scalar *sum)
{
  const int      owner = *k = P.owner[p];
  const unsigned pieces     = P.first[owner + 1] - P.first[owner];
  unsigned       before     = 0;

  if (pieces == 1) return true;
  if (lane == 0) {
    P.sums[p] = *sum;
    __threadfence();
    before = atomicAdd(P.ready + owner, 1u);
  }
  if (__shfl_sync(0xffffffffu, before, 0) + 1 < pieces) return false;
  __threadfence();
  if (lane == 0) P.ready[owner] = 0;
  *sum = csr_pieces_sum(P, owner, lane);
  return true;
}

/* Piece p by a warp, and as csr_piece_ready(). U entries per lane are loaded together */
template <int U, class X>
__device__ __forceinline__ bool csr_piece_last(const CsrPieces &P, const X &x, int p, int lane, int *k, Scalar *sum)
{
  *sum = csr_row<U>(P.list, x, p, lane, 32);
#pragma unroll
  for (int d = 16; d > 0; d /= 2) *sum += __shfl_xor_sync(0xffffffffu, *sum, d);
  return csr_piece_ready(P, p, lane, k, sum);
}

} // namespace heptane
