/*
   Every number of the structured multigrid that affects speed.
*/
#pragma once

#include "../../device/with_block.hpp"
#include <cstddef>

namespace heptane
{

struct GridTuning {
  static constexpr int most_unknowns = 8;
  using Unknowns                     = BlockSizes<1, 2, 3, 4, 5, 6, 7, most_unknowns>; /* of a cell: what is compiled, without a gap */
  static constexpr int threads       = 256;                                            /* of a block where a thread has a cell or a column; guess */
  static constexpr int line_threads  = 64;                                             /* where a thread goes along a whole line: many blocks; guess */
  /* Lines that a thread block solves together, side by side in memory: pieces of 64 bytes in single precision. A prototype: 5 to 30 % faster than 8 on large levels, H200 */
  static constexpr int columns = 16;
  /* Levels with at most so many columns of a colour go through their steps in one thread block: a step there takes less time than a launch; guess */
  static constexpr std::size_t tail_columns = 64;
  static constexpr int         means_blocks = 512; /* at most, of the sums over the matrix; guess */
};

} // namespace heptane
