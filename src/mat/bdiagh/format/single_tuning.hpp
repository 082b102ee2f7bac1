/*
   Every number of the products with copies stored in single precision that affects speed.
*/
#pragma once

namespace heptane
{

struct BdiaghSingleTuning {
  static constexpr int together = 4; /* neighbouring rows of a thread: 16 bytes of a column in one load */
  static constexpr int threads  = 256;
  /*
     Threads that a multiprocessor has at once, with one sum and with four: they decide the registers, and so the loads under way. H100, us per iteration, 256 / 512 / 768 / 1024: b = 1, 4.1M rows, CG
     99.6, 102, 101, 103; BiCGStab, four sums 173, 172, 179, 197; b = 3, 0.79M rows, both 66.2, 70.8, 71.5, 69.2; b = 8, 2.1M rows, no difference
  */
  template <int B, int K>
  static constexpr int resident = B == 3             ? 256
                                  : K == 4 || B == 8 ? 512
                                                     : 768;
};

/* The persistent kernels with such copies */
struct BdiaghSinglePersistentTuning {
  static constexpr int threads =
    512; /* of a block; 384 where a thread has 42 rows, whose vectors leave too few of 128 registers: with 32 rows the spills took 21 MB an iteration */
  /*
     BiCGStab beyond 1.2M rows, whose values come from memory: threads of a block, as with 42 rows; its `ahead`: guess. H200, 2.1M rows, us per iteration: 56.2, passes in a graph 68.3. CG with 84 rows of a thread likewise, r and w on
     chip, y in memory: 107 at 4.1M rows, in a graph 85.6; guess: the code of 84 rows, some 130 KB, does not stay in the instruction cache
  */
  static constexpr int streamed_threads = 384, streamed_ahead = 3;
  static constexpr int max_margin   = 2048; /* columns on either side of a block's rows that lie in its shared memory: guess */
  static constexpr int min_rows     = 128;  /* of a block; guess */
  static constexpr int row_multiple = 32;   /* rows per block: whole 128-byte lines */
  static constexpr int ahead        = 2;    /* rows of a thread whose far values are asked for before a row is summed; guess */
  /* CG: rows of a thread up to which the weights of the norm lie in registers; beyond, rows whose weights are asked for before one is used; guess */
  static constexpr int weights_in_registers = 16, weights_ahead = 8;
};

} // namespace heptane
