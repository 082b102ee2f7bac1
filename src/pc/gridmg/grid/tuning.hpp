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
  using Unknowns                     = BlockSizes<1, 2, 3, 4, 5, 6, 7, most_unknowns>; /* of a cell: what is compiled, without a gap */
  static constexpr int threads       = 256;                                            /* of a block where a thread has a cell or a column; guess */
  /* From so many unknowns per cell on a set-up has a thread per row of a cell, and a warp per line instead of a thread, whose block of eight unknowns would lie in memory of its own; guess */
  static constexpr int rows_apart   = 4;
  static constexpr int line_threads = 64; /* where a thread goes along a whole line of several unknowns per cell: many blocks; guess */
  /* Lines that a thread block solves together, side by side in memory: pieces of 64 bytes in single precision. A prototype: 5 to 30 % faster than 8 on large levels, H200 */
  static constexpr int columns = 16;
  /* The last levels, in shared memory: warps of a block; blocks that see each other's, at most; a level with so many lines of a colour, at most, is in the first block alone; bytes left */
  static constexpr int tail_warps = 16, tail_blocks = 8, tail_columns = 16, tail_reserve = 2048;
  /* Of lines of B unknowns per cell: cells of a chunk, whose factors of one way are in registers; columns of a block, pieces of 32 bytes in single precision; its shared memory in bytes. Guess */
  template <int B>
  static constexpr int block_cells   = B == 2   ? 4
                                       : B == 3 ? 3
                                       : B == 4 ? 2
                                                : 1;
  static constexpr int block_columns = 8, block_room = 48000;
  /*
     Levels whose couplings across lines take 16 bits, where cycles are in single precision and entries beside the diagonals join none of them. One unknown per
     cell: 6 to 7 % of a solve, 4 where the finest level alone has it. Three: sweeps of the finest level take 69 us instead of 85, the levels 1.55 instead of 1.85 times the matrix in single precision.
     H100
  */
  template <int B>
  static constexpr int half_levels = B == 1 ? 64 : 1;
  /* Lines solved by an inverse: rows at most; all of them have at most this share of the numbers of all levels, or so many; rows of it that a warp has; rows that are eliminated together, and, in
     tiles, those of a thread. Guess */
  static constexpr int      dense_rows  = 512;
  static constexpr double   dense_share = 0.125, dense_reals = 1048576;
  static constexpr int      dense_warp_rows = 4, dense_step = 8, dense_tile = 32, dense_tile_rows = 4;
  static constexpr unsigned copy_blocks  = 1056; /* at most, of copies between processes: eight for each multiprocessor; guess */
  static constexpr int      means_blocks = 512;  /* at most, of the sums over the matrix; guess */
  /* Of the passes over black cells, about: a thread has few cells of a line, and its column's neighbours are found once; guess */
  static constexpr unsigned reduced_blocks = 800;
  /* Kernels of at most so many blocks begin before the one before has ended. A prototype: 5 to 11 % of an iteration, but larger ones would take room from it, H200 */
  static constexpr unsigned early_blocks = 264;
};

} // namespace heptane
