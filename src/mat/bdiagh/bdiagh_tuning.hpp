/*
   Every number of the block-diagonal format that affects speed.
*/
#pragma once

#include <cstddef>

namespace heptane
{

struct BdiaghTuning {
  static constexpr int         max_diagonals  = 128; /* offsets travel as a kernel parameter: 512 of its 4096 bytes */
  static constexpr int         max_block      = 16;  /* block sizes 1..16 are compiled in; larger ones take the general path */
  static constexpr std::size_t column_bytes   = 256; /* every value column starts on such a boundary: whole 128-byte lines for each warp */
  static constexpr std::size_t page_bytes     = 4096; /* columns whole pages apart fall into the same sets of a host cache: one more column_bytes parts them */
  static constexpr int         threads        = 256; /* threads a block; 128 and 512 within 1 % (guess from the prototype) */
  static constexpr int         loads_in_flight = 8;  /* value loads a thread issues before it uses the first: 8 x 8 B x 2048 threads fill the memory pipeline */
  static constexpr int         host_tile      = 512; /* rows a host tile: a page of each value column, sums stay in the first-level cache */
};

} // namespace heptane
