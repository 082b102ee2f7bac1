/*
   Every number of the sliced ELLPACK format that affects speed, and the rule that chooses its parameters (layout.cxx follows it).
   Measured on one H200 with products of a prototype over eight matrices: grids, elasticity, banded, random, power law, inactive cells.
*/
#pragma once

#include "../../../device/with_block.hpp"
#include "../../../pass/pass_tuning.hpp"
#include <cstddef>

namespace heptane
{

/* Which kinds of index the slices of a matrix have, nearly all of them: kernels are chosen by it */
enum class SellpMix : int { none, short_none /* none, and few blocks per row */, narrow, wide, both /* none and narrow */ };

/* Who takes which rows */
enum class SellpOrder {
  all,     /* blocks for all of them */
  strided, /* one wave of blocks, every so many-th block of rows */
  ranges   /* one wave of blocks, each a range */
};

/* A kernel of the product: threads per block, blocks per multiprocessor (which decides the registers, and the blocks of a wave), blocks of a row that a thread loads before it uses the first in
   slices of each kind of index (1 for the kinds that few slices have: registers), rows of a cell a thread, if the vectors are aligned for packs of so many */
struct SellpPlan {
  int        threads, blocks, none, narrow, wide;
  SellpOrder order;
  int        rows = 1;
};

struct SellpTuning {
  /* Cells a slice. One warp reads a slice column with unit stride; 8 instead of 32 costs 6-26 %. Fewer cells than that: one slice. */
  static constexpr int slice = 32;
  /* What -mat_sellp_slice_height takes: multiples of slice_step, so that every slice column starts on a 64-byte boundary in double precision */
  static constexpr int min_slice = 8, max_slice = 64, slice_step = 8;
  /* Rows are sorted by length inside windows only where slices of neighbours pad more than may_pad; the smallest window that pads no more than sorted_pads, else the best */
  static constexpr double may_pad = 0.05, sorted_pads = 0.07;
  /* More where sorting scatters cells of less than a 32-byte sector in x and y: with it active cells of a grid ran at 64 % of the copy bandwidth with b = 1, 77 % with b = 2, 97 % with
     b = 4, and saved 5 % of the blocks */
  static constexpr double small_pads  = 0.1;
  static constexpr int    small_block = 3;
  static constexpr double grid_pads   = 0.2; /* instead of may_pad where rows go without index: sorted ones lose that; guess */
  static constexpr int    windows[]   = {256, 512, 1024, 2048, 4096};
  static constexpr int    max_window  = 65536; /* a row's place inside its window takes 16 bits */
  /* Rows longer than long_row blocks, and than long_factor times the mean, are put aside where one is longer than very_long or sorting leaves more than sorted_pads; what is left may pad
     aside_pads, since small windows keep y and the nearest of x together. Power law, 1.5M and 3.0M rows: limit 64, windows of 1024 (13 % padding) 137.7 and 270.9 us, of 512 (27 %) 142.9 and
     282; limit 32, windows of 512 (15 %) 140.1 and 276.1, of 1024 (7 %) 140.3 and 276.1; limit 160, windows of 4096 154 */
  static constexpr int    very_long = 1024, long_row = 64, long_factor = 6;
  static constexpr double aside_pads = 0.16;
  /* The transposed product takes a thread for each column unless the longest has more than uneven_entries entries and uneven_factor times the mean; guess. Power law, 262 144 rows: 6.6 ms with a
     thread for each column, 0.055 ms with groups of compressed columns */
  static constexpr int uneven_entries = 256, uneven_factor = 8;
  /* Threads a block of the kernels that have no plan; guess */
  static constexpr int device_threads = 256;
  /* MatMult, H200, us (per cent of the copy bandwidth): each against the next best of up to 40 with 1 to 12 blocks together, 2 to 12 blocks of 128 to 1024 threads, in each order
       none    27-point, 1.0M rows      55.8 (97); all 57.0; pairs of rows 57.8, better where rows have few blocks
       both    active cells, 1.5M rows  30.7 (94); 5 of 256, all 31.6; 4 blocks together 33.1
       narrow  banded, 1.0M rows        53.8 (83); 2 of 512 57.9; 4 of 256 92; all 75: what is read of x stays in a multiprocessor's first-level cache if it has one range and few threads
       wide    random, 1.0M rows        118.6; 8 together 118.9, strided 120.9, 6 of 256 120.1
     with blocks b = 2, active cells (2.3M rows, 4.3M), full grid (2.0M): 73.8 (96), 134.8 (98), 61.9 (97); 4 together 75.3, 136.1, 61.5; 2 blocks of 512, strided 75.2, 136.4, 61.6; one row a thread,
     strided 75.5 (94), 136.8, 64.2 (93); b = 3, active cells (2.0M rows, 1.3M) 93.4 (96), 57.3 (98); 3 together 93.7, 57.7; all, 3 together 96.5, 58.4; all, 8 blocks of 128 with 2 together 94.0, 57.0; without
     index, elasticity (0.8M rows, 0.3M), with that 119.8 (100), 52.7, strided 121.4, 53.8, all, 3 blocks together 119.7, 53.1. All these without the code for rows put aside; with it, active cells, 94.1, 58.2
     for 93.7, 57.7, and 101.0, 60.5 for 94.0, 57.0. b = 4 (1.7M rows) 96.1 (97); 4 blocks of 256 with 2 together 99.3; two rows per thread and
     1 together 96.5; b = 5 (1.5M rows) 103.4 (97); 4 blocks of 256 104.8, with 1 together 106.2; b = 8 (1.05M rows) 109.9 (99), strided 110.1; (0.64M rows) 65.8, two rows per thread 66.9 */
  template <int B, SellpMix M>
  static constexpr SellpPlan plan = B == 1 && M == SellpMix::none     ? SellpPlan{256, 5, 7, 1, 1, SellpOrder::strided}
                                    : B == 1 && M == SellpMix::both   ? SellpPlan{256, 4, 7, 7, 1, SellpOrder::strided}
                                    : B == 1 && M == SellpMix::narrow ? SellpPlan{1024, 1, 1, 8, 1, SellpOrder::ranges}
                                    : B == 1                          ? SellpPlan{256, 4, 1, 1, 4, SellpOrder::all}
                                    : B == 2                          ? SellpPlan{256, 4, 7, 7, 4, SellpOrder::all, 2}
                                    : B == 3 && M == SellpMix::none   ? SellpPlan{128, 8, 2, 2, 2, SellpOrder::all}
                                    : B == 3                          ? SellpPlan{256, 4, 4, 4, 4, SellpOrder::strided}
                                    : B == 4                          ? SellpPlan{128, 8, 3, 3, 3, SellpOrder::all}
                                    : B == 5                          ? SellpPlan{128, 8, 2, 2, 2, SellpOrder::all}
                                    : B >= 6 && B <= 8                ? SellpPlan{256, 4, 1, 1, 1, SellpOrder::all}
                                                                      : SellpPlan{256, 1, 1, 1, 1, SellpOrder::all};
  /* Whether slices without index have a plan of their own; otherwise one plan is for all with this block size */
  template <int B>
  static constexpr bool plan_for_none = B == 1 || B == 3;
  /* Sorted single rows with 32-bit columns: a block a window, whose part of x and y is in shared memory, so that y is not written and the diagonal's x not read entry by entry. Power law,
     1.5M and 3.0M rows in windows of 1024: 137.7 and 270.9 us with 8 blocks together, without that part of x 144.1 and 277.6. In another run, 1.5M rows: 139.2, rows put aside last instead of first 136.7, 5 blocks together 136.2, 8
     entries of rows put aside together 136.4 (2 138.7, 16 136.5); 512 threads 149.6. Windows of 2048: first 152.3, last 137.8 */
  static constexpr SellpPlan windows_plan      = {256, 4, 1, 1, 5, SellpOrder::all};
  static constexpr int       max_shared_window = 2048;   /* what shared memory holds at once, the first-level cache loses; guess */
  static constexpr int       aside_together    = 8;      /* entries per lane of the rows put aside */
  static constexpr int       wave_rows         = 200000; /* fewer: no ranges and no windows, which would leave multiprocessors without work; guess */
  /* Two rows per thread in slices of 64 rows without index, with so many blocks loaded together: 7-point, 4.1M rows: 71.6 us, one row a thread 77.6 (of 32 or 64 rows), two rows and 4 blocks
     71.9. Not where that would leave the device half empty; guess */
  static constexpr int pair_together = 7;
  static constexpr int pair_rows     = 200000;
  static constexpr int pair_width    = 14; /* 7 blocks: 71.6 us; 27: see above */
  static constexpr int pair_blocks   = 4;  /* on a multiprocessor: 64 registers a thread */
  /* So slices are of 64 rows where single rows go without index nearly everywhere; looked at in one of so many slices */
  static constexpr int    pair_slice = 64, probe = 32;
  static constexpr double probe_none = 0.95, few = 0.2; /* a kind that fewer places have is not unrolled for */
  /* Block sizes known to the compiler in the fused product. fusedbcgs, b = 12, 64 000 cells, an iteration: 241 us; 257 with a kernel for any size, which has fewer loads under way */
  using FusedSizes = BlockSizes<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>;
  /* The same for a matrix with rows on other GPUs; the others take the kernel for any size. Guess: not measured */
  using HaloSizes = BlockSizes<1, 2, 3, 4>;
  /* Those in the product that combines: larger ones take the kernel for any size, which is not measured; guess */
  using CombineSizes = BlockSizes<1, 2, 3, 4, 5, 6, 7, 8>;
  /* The same in the product with a copy stored as Single; with all blocks, without one that is dropped. Few, to save time of compilation */
  using SingleSizes      = BlockSizes<1, 2, 3, 4, 8>;
  using SingleWholeSizes = BlockSizes<1, 3>;
  /* The same for a matrix with rows on other GPUs, without the dropped block; with all blocks those of single rows alone. Guess: not measured */
  using SingleHaloSizes = BlockSizes<1, 3>;
  /* Threads of a product with one sum and such a copy that a multiprocessor has at once: values of half the size, so that more of them are to be under way; guess, as for bdiagh */
  static constexpr int single_resident = 1024;
  /* Blocks loaded together by the fused product; none: with b = 1 and no index. fusedcg, 7-point, an iteration 176 us with 7, 181 with 4; fusedbcgs, active cells, b = 3, 131 us with 2, 135 with 1 */
  static constexpr int fused_together_none = 7;
  template <int B>
  static constexpr int fused_together_indexed = B == 0   ? PassTuning::components_together
                                                : B == 1 ? 4
                                                : B <= 4 ? 2
                                                         : 1;
  /* The same of the fused product with a folded copy. As above, an iteration's two products and its update: 102.8 us, 3 blocks together 106.2, 1 109.1; 256 x 4 threads for K = 4 103.6,
     384 x 2 103.8; columns of the next blocks loaded before these are used 107.5 */
  template <int B>
  static constexpr int folded_together_indexed = B == 0   ? PassTuning::components_together
                                                 : B == 1 ? 4
                                                 : B <= 4 ? 2
                                                          : 1;
  template <int B>
  static constexpr int folded_together_none = B == 1 ? 6 : folded_together_indexed<B>;
  /* The same with a copy stored as Single, b = 1 and no index; whole: one more block */
  template <int B, bool WHOLE>
  static constexpr int single_together_none = WHOLE ? fused_together_none : folded_together_none<B>;
  /* Rows after whose product the host does what a fused solver does to them, at least a window; as for bdiagh */
  static constexpr int host_fused_tile = 8192;
  /* Cells a tile of the host's product: whole slices, so that values are read in the order in which they lie; the sums stay in the first-level cache */
  static constexpr int host_tile = max_slice;
  /* From this block size on the host lists the block columns of a tile first, whatever their index: one loop over blocks is compiled instead of six */
  static constexpr int host_listed = 4;
  /* Bytes ahead of which the host asks for values; see bench/results/2026-11-28-tables */
  template <int B>
  static constexpr int host_ahead = B <= 2   ? 8192
                                    : B <= 8 ? 16384
                                             : 32768;
};

} // namespace heptane
