/*
   Asks for memory ahead of its use, without a register to hold it.
*/
#pragma once

namespace heptane
{

/* Into the second-level cache */
__device__ __forceinline__ void prefetch_second_level(const void *p)
{
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

} // namespace heptane
