/*
   A barrier of some warps of a block: warps that share data do not wait for the rest of the block. Has no PETSc
   objects.
*/
#pragma once

namespace heptane
{

/*
   A barrier of all `threads` threads that pass the same group, counted from 0; threads is a multiple of 32, groups are
   at most 15 per block. Earlier writes of each to shared memory are visible to all afterwards
*/
__device__ __forceinline__ void warp_group_barrier(int group, int threads)
{
  asm volatile("barrier.sync %0, %1;" ::"r"(group + 1), "r"(threads) : "memory"); /* 0 is the barrier of __syncthreads() */
}

} // namespace heptane
