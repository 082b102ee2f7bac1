/*
   Every number of the sliced ELLPACK format that affects speed, and the rule that chooses its parameters (sellp_layout.cxx follows it).
   Measured on one H200 with products of a prototype over eight matrices: grids, elasticity, banded, random, power law, inactive cells.
*/
#pragma once

#include <cstddef>

namespace heptane
{

struct SellpTuning {
  /* Cells a slice. One warp reads a slice column with unit stride; 8 instead of 32 costs 6-26 % with one thread a row. Fewer cells than that: one slice. */
  static constexpr int slice = 32;
  /* What -mat_sellp_slice_height takes: multiples of slice_step, so that every slice column starts on a 64-byte boundary in double precision */
  static constexpr int min_slice = 8, max_slice = 64, slice_step = 8;
  /* Threads a row. More than one never won over 2 %, and lost 27 % (2) and 56 % (4) on rows of seven entries, where the padding to a multiple counts too */
  static constexpr int threads = 1, max_threads = 32;
  /* Rows are sorted by length inside windows only where slices of neighbours pad more than may_pad; the smallest window that pads no more than sorted_pads, else the best */
  static constexpr double may_pad = 0.05, sorted_pads = 0.07;
  /* More where sorting scatters cells of less than a 32-byte sector in x and y: with it active cells of a grid ran at 64 % of the copy bandwidth with b = 1, 77 % with b = 2, 97 % with
     b = 4, and saved 5 % of the blocks */
  static constexpr double small_pads  = 0.1;
  static constexpr int    small_block = 3;
  static constexpr double grid_pads   = 0.2; /* instead of may_pad where rows go without index: sorted ones lose that; guess */
  static constexpr int    windows[]   = {256, 512, 1024, 2048, 4096};
  static constexpr int    max_window  = 65536; /* a row's place inside its window takes 16 bits */
  /* Rows longer than long_row blocks, and than long_factor times the mean, are put aside where one is longer than very_long or sorting leaves more than sorted_pads.
     Limits of 48-128 are equal on the power law, 256-512 cost 4 %, 2048 costs 22 % */
  static constexpr int very_long = 1024, long_row = 64, long_factor = 8;
  /* Threads a block of the device's kernels; guess */
  static constexpr int device_threads = 256;
  /* Blocks that a thread loads before it uses the first, in slices without index and with one; from b = 2 on the compiler overlaps them by itself. 7-point, 4.1M rows, no index: 77.6 us
     with 4, 85.4 with 7. Banded, 16 bits: 110 us with 4, 133 with 8 */
  template <int B>
  static constexpr int together_none = B == 1 ? 4 : 1;
  template <int B>
  static constexpr int together_indexed = B == 1 ? 4 : 1;
  /* Blocks a multiprocessor, which decide registers; where blocks are loaded one by one the compiler takes what it needs */
  template <int B>
  static constexpr int device_blocks = B == 1 ? 4 : 1;
  /* Two rows a thread in slices of 64 rows without index, with so many blocks loaded together: 7-point, 4.1M rows: 71.6 us, one row a thread 77.6 (of 32 or 64 rows), two rows and 4 blocks
     71.9. Not where that would leave the device half empty; guess */
  template <int B>
  static constexpr int pair_together = B == 1 ? 7 : 2;
  static constexpr int pair_rows     = 200000;
  static constexpr int pair_blocks   = 4; /* on a multiprocessor: 64 registers a thread */
  /* So slices are of 64 rows where single rows go without index nearly everywhere; looked at in one of so many slices */
  static constexpr int    pair_slice = 64, probe = 32;
  static constexpr double probe_none = 0.95, few = 0.2; /* a kind that fewer places have is not unrolled for */
  /* Threads and blocks a multiprocessor of the fused product with K sums: whole warps of whole cells, so that no cell lies in two blocks; as many threads as for bdiagh
     (BdiaghTuning::fused_threads and fused_blocks), not measured for this format */
  template <int B>
  static constexpr int whole = B <= 0 ? 32
                                      : 32 * B /
                                          (B % 16 == 0  ? 16
                                           : B % 8 == 0 ? 8
                                           : B % 4 == 0 ? 4
                                           : B % 2 == 0 ? 2
                                                        : 1);
  template <int B, int K>
  static constexpr int fused_threads = whole<B> > (K == 4 ? 512 : 256) ? whole<B> : (K == 4 ? 512 : 256) / whole<B> *whole<B>;
  template <int B, int K>
  static constexpr int fused_resident = K == 4 && B >= 12              ? 512
                                        : K == 4 || (B >= 2 && B <= 4) ? 1024
                                                                       : 768; /* with b = 12, 15, 16 registers would spill at 1024 */
  template <int B, int K>
  static constexpr int fused_blocks = fused_resident<B, K> > fused_threads<B, K> ? fused_resident<B, K> / fused_threads<B, K> : 1;
  /* As together_none: fusedcg, 7-point, an iteration 176 us with 7, 181 with 4 */
  template <int B>
  static constexpr int fused_together_none = B == 1 ? 7 : 1;
  static constexpr int max_fused_block     = 256; /* rows of a cell meet in one block */
  /* Rows after whose product the host does what a fused solver does to them, at least a window; as for bdiagh */
  static constexpr int host_fused_tile = 8192;
  /* Cells a tile of the host's product: its sums stay in registers and the first-level cache. A guess */
  static constexpr int host_tile = 32;
};

} // namespace heptane
