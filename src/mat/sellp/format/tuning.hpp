/*
   Every number of the sliced ELLPACK format that affects speed, and the rule that chooses its parameters (layout.cxx
   follows it). Measured on one H200 with products of a prototype over eight matrices: grids, elasticity, banded,
   random, power law, inactive cells.
*/
#pragma once

#include "../../../device/with_block.hpp"
#include "../../../pass/pass_tuning.hpp"
#include <cstddef>

namespace heptane
{

/* Which kinds of index the slices of a matrix have, nearly all of them: kernels are chosen by it */
enum class SellpMix : int { none, short_none /* none, and few blocks per row */, narrow, wide, both /* none and narrow */ };

/* Assignment of rows to blocks */
enum class SellpOrder {
  all,     /* blocks for all of them */
  strided, /* one wave of blocks, each with every n-th block of rows */
  ranges   /* one wave of blocks, each a range */
};

/*
   A kernel of the product: threads per block; blocks per multiprocessor (which limits the registers, and the blocks of
   a wave); blocks of a row that a thread loads before it uses the first, in slices of each kind of index (1 for kinds
   that few slices have, to save registers); rows of a cell per thread, if the vectors are aligned for packs of this
   size
*/
struct SellpPlan {
  int        threads, blocks, none, narrow, wide;
  SellpOrder order;
  int        rows = 1;
};

struct SellpTuning {
  /* Cells per slice. A warp reads a slice column with unit stride; 8 instead of 32 costs 6-26 %. Matrices with fewer
     cells: one slice. */
  static constexpr int slice = 32;
  /* Values of -mat_sellp_slice_height: multiples of slice_step, so that every slice column starts on a 64-byte boundary
     in double precision */
  static constexpr int min_slice = 8, max_slice = 64, slice_step = 8;
  /* Rows are sorted by length within windows only if unsorted slices pad more than may_pad; the smallest window that
     pads at most sorted_pads, else the best */
  static constexpr double may_pad = 0.05, sorted_pads = 0.07;
  /* A higher limit if sorting scatters cells of less than a 32-byte sector in x and y: with sorting, active cells of a
     grid ran at 64 % of the copy bandwidth with b = 1, 77 % with b = 2, 97 % with b = 4, for 5 % fewer blocks */
  static constexpr double small_pads  = 0.1;
  static constexpr int    small_block = 3;
  static constexpr double grid_pads   = 0.2; /* instead of may_pad if rows need no index: sorting loses that; guess */
  static constexpr int    windows[]   = {256, 512, 1024, 2048, 4096};
  static constexpr int    max_window  = 65536; /* a row's place inside its window is stored in 16 bits */
  /*
     If a row is longer than very_long or sorting leaves more than sorted_pads, rows longer than long_row blocks, and
     than long_factor times the mean, are put aside. The other rows may pad remainder_pads, since small windows keep y
     and the nearest of x together. 2 to 4 % less time than a limit of 32 or windows of 512, 11 % less than a limit of
     160 (power law)
  */
  static constexpr int    very_long = 1024, long_row = 64, long_factor = 6;
  static constexpr double remainder_pads = 0.16;
  /* The transposed product has a thread per column unless the longest has more than uneven_entries entries and
     uneven_factor times the mean; guess. Groups of compressed columns are 120 times as fast for a power law of 262 144
     rows */
  static constexpr int uneven_entries = 256, uneven_factor = 8;
  /* Threads per block of the kernels without a plan; guess */
  static constexpr int device_threads = 256;
  /*
     MatMult: the best of up to 40 plans with 1 to 12 blocks together, 2 to 12 blocks of 128 to 1024 threads, in each
     order (H200, 2026-11). 94 to 100 % of the copy bandwidth, 83 % for banded rows (narrow): with one range per
     multiprocessor and few threads, their part of x stays in the first-level cache. Other plans are up to 8 %
     slower, 70 % for banded rows. The code for rows put aside costs up to 7 % (active cells, b = 3).
  */
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
  /* Sorted single rows with 32-bit columns: a block per window, whose parts of x and y are in shared memory, so that y
     is not written and the diagonal's x not read entry by entry. 4 % faster than without that part of x (power law,
     1.5M rows) */
  static constexpr SellpPlan windows_plan       = {256, 4, 1, 1, 5, SellpOrder::all};
  static constexpr int       max_shared_window  = 2048;   /* fits into shared memory, while the first-level cache does not keep it; guess */
  static constexpr int       remainder_together = 8;      /* entries per lane of the rows put aside */
  static constexpr int       wave_rows          = 200000; /* fewer: no ranges and no windows, which would leave multiprocessors without work; guess */
  /* Two rows per thread in slices of 64 rows without index, with this many blocks loaded together: 8 % less time than
     one row per thread (7-point, 4.1M rows). Not if that would leave the device half empty; guess */
  static constexpr int pair_together = 7;
  static constexpr int pair_rows     = 200000;
  static constexpr int pair_width    = 14; /* 7 blocks: 71.6 us; 27: see above */
  static constexpr int pair_blocks   = 4;  /* on a multiprocessor: 64 registers a thread */
  /* Therefore slices have 64 rows if single rows need no index nearly everywhere; one of `probe` slices is sampled */
  static constexpr int    pair_slice = 64, probe = 32;
  static constexpr double probe_none = 0.95, few = 0.2; /* a kind that fewer places have is not unrolled for */
  /* Block sizes known to the compiler in the fused product: 6 % less time than a kernel for any size, which has fewer
     loads in flight (fusedbcgs, b = 12) */
  using FusedSizes = BlockSizes<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>;
  /* The same for a matrix with rows on other GPUs; other sizes use the kernel for any size. Guess: not measured */
  using HaloSizes = BlockSizes<1, 2, 3, 4>;
  /* The same in the product that combines: larger sizes use the kernel for any size, which is not measured; guess */
  using CombineSizes = BlockSizes<1, 2, 3, 4, 5, 6, 7, 8>;
  /* The same in the product with a copy stored as Single; with all blocks, without dropped ones. Few, to limit compile
     time */
  using SingleSizes      = BlockSizes<1, 2, 3, 4, 8>;
  using SingleWholeSizes = BlockSizes<1, 3>;
  /* The same for a matrix with rows on other GPUs, without the dropped block; with all blocks only single rows. Guess:
     not measured */
  using SingleHaloSizes = BlockSizes<1, 3>;
  /* In the scaling itself, once per set of values */
  using FoldSizes = BlockSizes<1, 2, 3, 4, 5, 6, 7, 8>;
  /* Threads of a product with one sum and such a copy that a multiprocessor has at once: values of half the size, so that more of them are to be under way; guess, as for bdiagh */
  static constexpr int single_resident = 1024;
  /* Blocks loaded together by the fused product; none: with b = 1 and no index. About 3 % faster than 4 (fusedcg,
     7-point), or than 1 (fusedbcgs, active cells, b = 3) */
  static constexpr int fused_together_none = 7;
  template <int B>
  static constexpr int fused_together_indexed = B == 0   ? PassTuning::components_together
                                                : B == 1 ? 4
                                                : B <= 4 ? 2
                                                         : 1;
  /* The same in the fused product with a folded copy: 3 to 6 % faster than 3 blocks or 1 (an iteration's two products
     and update) */
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
  /* Rows per tile of the host's fused product, including the solver's updates, at least a window; as for bdiagh */
  static constexpr int host_fused_tile = 8192;
  /* Cells per tile of the host's product: whole slices, so that values are read in memory order; the sums stay in the
     first-level cache */
  static constexpr int host_tile = max_slice;
  /* From this block size on the host first lists the block columns of a tile, for every kind of index: one loop over
     blocks is compiled instead of six */
  static constexpr int host_listed = 4;
  /* Bytes ahead of use at which the host prefetches values; see bench/results/2026-11-28-tables */
  template <int B>
  static constexpr int host_ahead = B <= 2   ? 8192
                                    : B <= 8 ? 16384
                                             : 32768;
};

} // namespace heptane
