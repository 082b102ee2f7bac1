/*
   Every number of the structured multigrid that affects speed.
*/
#pragma once

#include "../../../device/with_block.hpp"
#include <cstddef>

namespace heptane
{

struct GridTuning {
  static constexpr int most_unknowns = 8;
  /* Unknowns per cell that are compiled, without a gap */
  using Unknowns = BlockSizes<1, 2, 3, 4, 5, 6, 7, most_unknowns>;
  /* Threads of a block in kernels with a thread per cell or column; guess */
  static constexpr int threads = 256;
  /* From this number of unknowns per cell on, the set-up has a thread per row of a cell and a warp per line instead of
     a thread, whose block of eight unknowns would be in local memory; guess */
  static constexpr int rows_apart = 4;
  /* Threads of a block in kernels with a thread per line of several unknowns per cell: small blocks, so that there are
     many; guess */
  static constexpr int line_threads = 64;
  /* Lines that a thread block solves together, contiguous in memory: segments of 64 bytes in single precision. 5 to 30 %
     faster than 8 on large levels (prototype, H200) */
  static constexpr int columns = 16;
  /* The last levels, in shared memory: warps per block; most blocks of a cluster; most lines of a colour on a level
     that only the first block solves; bytes left free */
  static constexpr int tail_warps = 16, tail_blocks = 8, tail_columns = 16, tail_reserve = 2048;
  /* Lines with B unknowns per cell: cells of a chunk, whose factors of one direction are in registers; columns per
     block, segments of 32 bytes in single precision; shared memory in bytes. Guess */
  template <int B>
  static constexpr int block_cells   = B == 2   ? 4
                                       : B == 3 ? 3
                                       : B == 4 ? 2
                                                : 1;
  static constexpr int block_columns = 8, block_room = 48000;
  /*
     Levels with couplings across lines in 16 bits, if cycles are in single precision and no remainder entry is added to
     these couplings. One unknown per cell: 6 to 7 % of a solve, H100. Three: sweeps of the finest level take 69 us
     instead of 85.
  */
  template <int B>
  static constexpr int half_levels = B == 1 ? 64 : 1;
  /* Lines solved by an inverse: most rows; largest share of all lines in the numbers of all levels, and a number that
     is always allowed; rows of the inverse per warp; rows eliminated together, and rows per thread in tiles. Guess */
  static constexpr int      dense_rows  = 512;
  static constexpr double   dense_share = 0.125, dense_reals = 1048576;
  static constexpr int      dense_warp_rows = 4, dense_step = 8, dense_tile = 32, dense_tile_rows = 4;
  static constexpr unsigned copy_blocks  = 1056; /* most blocks of copies between processes: eight per multiprocessor; guess */
  static constexpr int      means_blocks = 512;  /* most blocks of the sums over the matrix; guess */
  /* About this number of blocks in passes over black cells: a thread has few cells of a line, and finds the neighbours
     of its column once; guess */
  static constexpr unsigned reduced_blocks = 800;
  /* Kernels of at most this number of blocks may begin before their predecessor has ended: 5 to 11 % of an iteration
     (prototype, H200). Larger ones would take resources from it. */
  static constexpr unsigned early_blocks = 264;
};

} // namespace heptane
