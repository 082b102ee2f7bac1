/*
   Every number that affects the speed of the batched dense kernels.
*/
#pragma once

namespace heptane
{

struct DenseTuning {
  /* blocks of the matrix per thread block, one per thread: the staged tile stays below 48 KB. Half this number is
     within 4 % from b = 2 on and slower for b = 1; H200, 2026-11-21 */
  template <int B>
  static constexpr int thread_cells = B <= 5 ? 128 : 64;
  /* unrolled steps of the elimination: all if the code stays small */
  template <int B>
  static constexpr int thread_unroll = B <= 5 ? B : 1;
  static constexpr int warp_threads  = 128; /* threads per thread block if a block of the matrix has 16 or 32 lanes; guess */
  static constexpr int block_side    = 16;  /* threads along rows and along columns of a block of the matrix that a thread block holds; guess */
  static constexpr int apply_threads = 256;
};

} // namespace heptane
