/*
   Every number that affects the speed of a pass over the vectors.
*/
#pragma once

#include <cstddef>

namespace heptane
{

struct PassTuning {
  static constexpr int threads = 256; /* threads per block of a pass over the vectors; guess */
  /*
     Threads and blocks per multiprocessor of a fused product with K sums; they determine its registers. B: rows of a
     cell if known at compile time, else 0. A thread block holds whole cells only, each warp begins at a line of 128
     bytes, and only warps that share cells synchronize. The choice saves up to 34 % of the time of a product compared
     with other shapes. H200, bench/results
  */
  template <int B>
  static constexpr int whole_cells = B <= 0 ? 32
                                            : 32 * B /
                                                (B % 16 == 0  ? 16
                                                 : B % 8 == 0 ? 8
                                                 : B % 4 == 0 ? 4
                                                 : B % 2 == 0 ? 2
                                                              : 1);
  template <int K>
  static constexpr int most_threads = K == 4 ? 512 : 256;
  template <int B, int K>
  static constexpr int product_threads = whole_cells<B> > most_threads<K> ? whole_cells<B> : most_threads<K> / whole_cells<B> *whole_cells<B>;
  template <int B, int K>
  static constexpr int product_resident = K == 4 && B >= 12                        ? 512
                                          : K == 4 || B == 0 || (B >= 2 && B <= 4) ? 1024
                                                                                   : 768; /* 1024 threads would spill registers with b = 12, 15, 16 */
  template <int B, int K>
  static constexpr int product_blocks    = product_resident<B, K> > product_threads<B, K> ? product_resident<B, K> / product_threads<B, K> : 1;
  static constexpr int max_product_block = 256; /* the rows of a cell are in one thread block */
  /*
     Rows of a cell, at most, in a fused product on a device. For larger cells a separate product followed by a pass
     over the sums is faster: BiCGStab 1.5x at 32 rows, 3.4x at 256; with point blocks the fused product wins at 32.
     H200, 2026-11-25
  */
  static constexpr int device_product_block = 32;
  /*
     Components of a block, of a size known only at run time, whose loads a thread of a product has in flight at once. A
     guess: 1024 threads then have 32 KiB of values in flight per multiprocessor
  */
  static constexpr int components_together = 4;
  /*
     Blocks of a pass per multiprocessor, at most, unless the step sets another number: more only add partial sums and
     tails
  */
  static constexpr int blocks_per_sm     = 4;
  static constexpr int max_blocks_per_sm = 8; /* room for partial sums */
  /*
     Number of vectors that store the direction p of CG in rotation. x is read and written once per cg_directions
     iterations: p and x cost 24 + 8 (1 + 1 / cg_directions) bytes per row. Three of them are two vectors more than
     PETSc's cg has.
  */
  static constexpr int cg_directions = 3;
  /* Norms kept on the device between two checks by the host */
  static constexpr int history = 1024;
  /*
     Largest numbers of rows of vectors, and of matrix entries, for which a kernel begins before its predecessor has
     ended. Saves 0.2 us per kernel at 262k rows, costs 1 to 2 % at 16.8M; the limit between them is a guess
  */
  static constexpr std::size_t chained_rows = 500000, chained_entries = 4000000;
};

} // namespace heptane
