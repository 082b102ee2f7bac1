/*
   Every number that affects the speed of the batched dense kernels.
*/
#pragma once

namespace heptane
{

struct DenseTuning {
  /* blocks of the matrix, one a thread, of a thread block, which stages two tiles of so many in at most 48 KB of shared memory */
  template <int B>
  static constexpr int thread_cells  = B <= 4   ? 128
                                       : B <= 6 ? 64
                                                : 32;
  static constexpr int warp_threads  = 128; /* of a thread block where a block of the matrix has 16 or 32 lanes; guess */
  static constexpr int block_side    = 16;  /* threads along rows and along columns of a block of the matrix that a thread block holds; guess */
  static constexpr int apply_threads = 256;
};

} // namespace heptane
