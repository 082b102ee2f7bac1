/*
   Adds the shares of a thread block's rows. Has no PETSc objects.
*/
#pragma once

#include "row_shares.hpp"

namespace heptane
{

/*
   The sum of a row in the thread of its share 0, in warp 0: shares ascending. Warp s has share s of 32 rows; part:
   shares * 32 places of shared memory. All threads of the block call it.
*/
__device__ __forceinline__ Scalar add_shares_of_block(Scalar sum, Scalar *part)
{
  const int shares = static_cast<int>(blockDim.x) / RowShares::rows;

  part[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x < RowShares::rows)
    for (int s = 1; s < shares; s++) sum += part[s * RowShares::rows + threadIdx.x];
  return sum;
}

} // namespace heptane
