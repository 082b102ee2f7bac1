/*
   Every number of the block-diagonal format that affects speed.
*/
#pragma once

#include <cstddef>

namespace heptane
{

struct BdiaghTuning {
  static constexpr int         max_diagonals = 128;  /* offsets travel as a kernel parameter: 512 of its 4096 bytes */
  static constexpr int         max_block     = 16;   /* block sizes 1..16 are compiled in; larger ones take the general path */
  static constexpr std::size_t column_bytes  = 256;  /* every value column starts on such a boundary: whole 128-byte lines for each warp */
  static constexpr std::size_t page_bytes    = 4096; /* columns whole pages apart fall into the same sets of a host cache: one more column_bytes parts them */
  static constexpr int         threads       = 256;  /* threads a block: 128 and 512 within 2 %, measured on H200, bench/results */
  static constexpr int         fused_threads = 256;  /* of the fused product; guess */
  static constexpr int         fused_run = 8, fused_runs_a_block = 8; /* tiles in a row at most, and runs a block at least, so that the blocks end together; guess */
  /* Diagonals whose values a thread loads before it uses the first. With small blocks one diagonal is too little to have in flight: 7 at once 35.8 us, 4 37.1
     (b = 1, 2.1M rows); from b = 3 on the compiler overlaps them by itself, and asking for more costs registers: b = 8, 66k rows 6.2 us with 1, 7.5 with 4 */
  template <int B>
  static constexpr int diagonals_together = B == 1 || B == 2 ? 7 : 1;
  /* Rows a host tile: long runs down each value column; the sums stay in the first-level cache. b = 8: 17.9 GB/s with 512, 20.7 with 4096; b = 1: 55 with 512, 48 with 4096 */
  template <int B>
  static constexpr int host_tile = B == 1 ? 512 : 4096;
};

} // namespace heptane
