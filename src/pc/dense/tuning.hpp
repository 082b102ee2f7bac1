/*
   Every number that affects the speed of the batched dense kernels.
*/
#pragma once

#include "../../device/with_block.hpp"
#include <cstddef>

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
  /* Block sizes that are compile-time constants in products with inverses stored as Single. The transposed product and
     other sizes share one kernel. */
  using SingleSizes = BlockSizes<1, 2, 3, 4, 5, 6, 7, 8>;
  /* Rows that are inverted or factorised before they are rounded. Their extra memory is 16 MB for b = 8; 2000 blocks of
     128 threads run at once. Guess */
  static constexpr std::size_t single_rows = std::size_t(1) << 18;
};

} // namespace heptane
