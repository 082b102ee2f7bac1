/*
   Every number of the products with copies stored in single precision that affects speed.
*/
#pragma once

namespace heptane
{

struct BdiaghSingleTuning {
  static constexpr int together = 4; /* adjacent rows of a thread: 16 bytes of a column in one load */
  static constexpr int threads  = 256;
  /*
     Resident threads of a multiprocessor, with one sum and with four: they limit the registers and so the loads in
     flight. Up to 14 % faster than other choices with b = 1 and four sums, 8 % with b = 3, no effect with b = 8 (H100)
  */
  template <int B, int K>
  static constexpr int resident = B == 3             ? 256
                                  : K == 4 || B == 8 ? 512
                                                     : 768;
};

/* The persistent kernels with such copies */
struct BdiaghSinglePersistentTuning {
  static constexpr int threads =
    512; /* of a block; 384 for 42 rows per thread, whose vectors leave too few of 128 registers: with 32 rows the spills took 21 MB per iteration */
  /* BiCGStab above 1.2M rows, whose values are read from memory: threads of a block, as with 42 rows; its `ahead`:
     guess. 18 % less time than passes in a graph (H200, 2.1M rows). CG with 84 rows per thread is slower than the
     graph; guess: its code of 130 KB exceeds the instruction cache */
  static constexpr int streamed_threads = 384, streamed_ahead = 3;
  static constexpr int max_margin   = 2048; /* columns on either side of a block's rows that are in its shared memory: guess */
  static constexpr int min_rows     = 128;  /* of a block; guess */
  static constexpr int row_multiple = 32;   /* rows per block: whole 128-byte lines */
  static constexpr int ahead        = 2;    /* rows of a thread whose far values are prefetched before a row is summed; guess */
  /* CG: rows of a thread up to which the weights of the norm stay in registers; beyond, the number of weights
     prefetched; guess */
  static constexpr int weights_in_registers = 16, weights_ahead = 8;
};

} // namespace heptane
