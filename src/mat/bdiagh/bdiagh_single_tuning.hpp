/*
   Every number of the products with copies stored in single precision that affects speed.
*/
#pragma once

namespace heptane
{

struct BdiaghSingleTuning {
  static constexpr int together = 4; /* neighbouring rows of a thread: 16 bytes of a column in one load */
  static constexpr int threads  = 256;
  /* Threads that a multiprocessor has at once, with one sum and with four: they decide the registers, and so the loads under way; guess */
  template <int B, int K>
  static constexpr int resident = K == 4   ? 512
                                  : B == 8 ? 512
                                           : 768;
};

/* The persistent kernels with such copies */
struct BdiaghSinglePersistentTuning {
  static constexpr int threads      = 512;
  static constexpr int max_margin   = 2048; /* columns on either side of a block's rows that lie in its shared memory: guess */
  static constexpr int min_rows     = 128;  /* of a block; guess */
  static constexpr int row_multiple = 32;   /* rows per block: whole 128-byte lines */
  static constexpr int ahead        = 1;    /* rows of a thread whose values are asked for before a row is summed; guess */
};

} // namespace heptane
