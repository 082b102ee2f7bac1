/*
   Every number of the persistent kernels of the block-diagonal format that affects speed, except the numbers of
   individual kernels: see persistent/lists.hpp.
*/
#pragma once

namespace heptane
{

/* Seven-point grids with BLOCK unknowns per cell: the part of a scaled copy without the main diagonal. Units: as many
   as fit on compute capability 9.0 in addition to two windows with 512 columns on either side and, for more rows than
   in_registers, the solution. */
struct BdiaghPersistentBlockRoom {
  static constexpr int threads = 512, margin = 512, scalars = 28800; /* the part of 227 KB that a kernel has in addition to its sums */
  static constexpr int in_registers = 6;                             /* rows of a thread of which it keeps four vectors */

  static constexpr int units(int block, int rows)
  {
    const int owned = rows * threads, room = (scalars - 2 * (owned + 2 * margin) - (rows > in_registers ? owned : 0)) / threads, all = 6 * block * rows;
    return room < all ? room : all;
  }
};

struct BdiaghPersistentTuning {
  static constexpr int max_diagonals = 32;  /* their numbers travel as a kernel parameter */
  static constexpr int max_recurred  = 2;   /* far diagonals whose columns are carried on in registers */
  static constexpr int max_margin    = 512; /* rows on either side of a block's own whose columns are near when vectors are exchanged: guess */
  static constexpr int min_rows      = 128; /* rows per block: fewer blocks make a barrier cheaper; guess */
  static constexpr int row_multiple  = 16;  /* rows per block: whole 128-byte lines */
  /* several ranks: off-rank columns of a row, after its first, that its own thread polls, at most; guess */
  static constexpr int thread_halo    = 4;
  static constexpr int long_halo_rows = 64; /* rows of a block with more, which warps sum; guess */
  static constexpr int edge_part      = 2;  /* several ranks: blocks whose rows other ranks need have this part of the most rows */

  /* wide: places of a thread whose loads are in flight together, issued before the previous ones are used; places of x,
     and of each diagonal, prefetched to the second-level cache while sums are formed */
  static constexpr int wide_together = 3, wide_early_x = 12, wide_early_values = 3;

  static constexpr bool with_remainder    = true;      /* false: matrices with a remainder never run a persistent kernel */
  static constexpr int  piece_entries     = 128;       /* of a row's remainder that a warp sums at once: four loads per lane in flight; guess */
  static constexpr int  thread_entries    = 4;         /* rows of no more are summed by their own thread; guess */
  static constexpr int  remainder_entries = 32 * 1024; /* of a block: with more, other blocks wait for it longer than the other modes take; guess */
};

} // namespace heptane
