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
     Threads and blocks per multiprocessor of a fused product with K sums, which decide its registers. B: rows of a cell, known to the compiler, or 0. Threads are the warps that hold whole cells: no
     cell lies in two blocks, each warp begins on a whole line of 128 bytes, and only the warps that share cells wait for each other. us at b = 1, 4.1M and 16.8M rows: one sum 73 / 284 with 256 x 3,
     80 / 304 with 256 x 4, 110 / 421 with 256 x 2; four sums 98 / 377 with 512 x 2, 98 / 381 with 256 x 4, 107 / 415 with 384 x 2. b = 8, 2.1M rows: one sum 268 with 256 x 3, 292 with 256 x 2; four
     sums 282 with 512 x 2, 299 with 256 x 3. b = 3, 0.79M rows: one sum 43 with 256 x 4, 46 with 256 x 3. sellp, b = 3, active cells, 0.84M rows, an iteration of BiCGStab: 131 us, threads of K = 1
     for both 139, 768 resident 146. Measured on H200, bench/results
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
                                                                                   : 768; /* with b = 12, 15, 16 registers would spill at 1024 */
  template <int B, int K>
  static constexpr int product_blocks    = product_resident<B, K> > product_threads<B, K> ? product_resident<B, K> / product_threads<B, K> : 1;
  static constexpr int max_product_block = 256; /* rows of a cell meet in one block */
  /*
     Rows of a cell, at most, in a fused product on a device: in larger ones a product of its own, and sums in a pass, take less. Five iterations of BiCGStab, 2^21 values per diagonal, us fused and so: 64 rows 998 and
     466, 128 rows 1876 and 577, 256 rows 2949 and 860; 32 rows 614 and 423, but with point blocks, which passes apply to 32 rows, 69 and 83 an iteration. H200, 2026-11-25
  */
  static constexpr int device_product_block = 32;
  /* Components of a block, of a size known at run time only, whose loads a thread of a product has under way together; guess: 1024 threads then have 32 KiB of values
     under way per multiprocessor */
  static constexpr int components_together = 4;
  /* Blocks of a pass per multiprocessor, at most, where the step does not say otherwise: more only add partial sums and tails */
  static constexpr int blocks_per_sm     = 4;
  static constexpr int max_blocks_per_sm = 8; /* room for partial sums */
  /*
     Vectors that the direction p of CG lies in, in turn, so that x is read and written once in so many iterations: 24 + 8 (1 + 1 / cg_directions) bytes per row for p and x. One more than two would
     be a third vector more than PETSc's cg has.
  */
  static constexpr int cg_directions = 3;
  /* Norms kept on the device between two checks by the host */
  static constexpr int history = 1024;
  /* A kernel begins before its predecessor has ended up to so many rows of vectors, and matrix entries: 0.2 us less each at 262k rows, 1 to 2 % more at 16.8M; guess between */
  static constexpr std::size_t chained_rows = 500000, chained_entries = 4000000;
};

} // namespace heptane
