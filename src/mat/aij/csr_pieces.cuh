/*
   The sum of the pieces of a row of a list, by a warp. Knows no PETSc objects.
*/
#pragma once

#include "csr_rows.hpp"

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

} // namespace heptane
