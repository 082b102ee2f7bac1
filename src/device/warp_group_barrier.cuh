/*
   A barrier of some warps of a block: those that share something do not wait for the others. Knows no PETSc objects.
*/
#pragma once

namespace heptane
{

/* All `threads` threads (a multiple of 32, at most 15 groups a block) that name the same group, counted from 0, meet; what they wrote to shared memory before is seen after */
__device__ __forceinline__ void warp_group_barrier(int group, int threads)
{
  asm volatile("barrier.sync %0, %1;" ::"r"(group + 1), "r"(threads) : "memory"); /* 0 is __syncthreads()'s */
}

} // namespace heptane
