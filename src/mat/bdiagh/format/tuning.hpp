/*
   Every number of the block-diagonal format that affects speed.
*/
#pragma once

#include "../../../device/with_block.hpp"
#include "../../../pass/pass_tuning.hpp"
#include <cstddef>

namespace heptane
{

struct BdiaghTuning {
  static constexpr int         max_diagonals = 128;  /* offsets travel as a kernel parameter: 512 of its 4096 bytes */
  static constexpr int         max_block     = 16;   /* block sizes 1..16 are compiled in; larger ones take the general path */
  static constexpr std::size_t column_bytes  = 256;  /* every value column starts on such a boundary: whole 128-byte lines for each warp */
  static constexpr std::size_t page_bytes    = 4096; /* columns whole pages apart fall into the same sets of a host cache: one more column_bytes parts them */
  /* A look at so many runs of so many rows of cells decides that a pattern of at least so many rows of cells has no block diagonals, when it finds the allowed remainder so many times */
  static constexpr int    sample_runs = 64, sample_cells = 16, sample_from = 16384;
  static constexpr double host_max_fill =
    1.25; /* stored values per nonzero above which products on the host take compressed rows: 1.5 from memory, where these move 12 bytes against 8, 1.1 from caches */
  /* Rows from which fused solvers on the host take MatMult() with such compressed rows, not their own product with the diagonals. All cells of the Norne field, b = 3, 2.2 values per nonzero, 0.34M rows,
     ms per iteration of fusedcg, fusedbcgs: 3.9, 8.0 by MatMult(), 6.1, 11.7 with the diagonals; small ones stay in caches, limit a guess */
  static constexpr int    host_rows_from = 4096;
  static constexpr double sample_margin  = 2;
  static constexpr int    threads        = 256; /* threads per block: 128 and 512 within 2 %, measured on H200, bench/results */
  /*
     Block sizes known to the compiler in the fused product; the others, up to any size, are one kernel that takes the components of a block in groups. Larger than few_kernels_from: for seven diagonals
     whose remainder is not shared, with one sum and with four; other matrices, right preconditioning and combinations take the kernel for any size. fusedbcgs without a scaled copy, an iteration with
     b = 12, 13, 14, 16: 279, 267, 273, 245 us; with kernels for any number of diagonals 356, 367, 355, 250 (sellp 285, 285, 286, 246)
  */
  using FusedSizes                      = BlockSizes<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>;
  static constexpr int few_kernels_from = 8;
  /* The same in the product with a folded copy */
  using FoldedSizes = FusedSizes;
  /* The same in the product with a copy stored as Single, for any number of diagonals and for six; with the main diagonal, for any number and for seven. Few, to save time of compilation */
  using SingleSizes      = BlockSizes<1, 2, 3, 4, 8>;
  using SingleWholeSizes = BlockSizes<1, 3>;
  /* The first of these for a matrix with rows on other GPUs, without the main diagonal; others take the kernel for any size. Guess: not measured */
  using SingleHaloSizes = BlockSizes<1, 3>;
  /* Threads of a product with one sum and such a copy that a multiprocessor has at once: values of half the size, so that more of them are to be under way; guess */
  static constexpr int single_resident = 1024;
  /* In the scaling itself, once per set of values */
  using FoldSizes = BlockSizes<1, 2, 3, 4, 5, 6, 7, 8>;
  /* The same in both for a matrix with rows on other GPUs, for seven diagonals; the others take the kernel for any size. Guess: not measured */
  using HaloSizes = BlockSizes<1, 2, 3, 4, 8>;
  /* Diagonals whose values a thread loads before it uses the first. With small blocks one diagonal is too little to have in flight: 7 at once 35.8 us, 4 37.1
     (b = 1, 2.1M rows); from b = 3 on the compiler overlaps them by itself, and asking for more costs registers: b = 8, 66k rows 6.2 us with 1, 7.5 with 4 */
  template <int B>
  static constexpr int diagonals_together = B == 1 || B == 2 ? 7 : 1;
  /* In the fused product, which has fewer registers: b = 2 with 7 spills 180 to 256 bytes */
  template <int B>
  static constexpr int fused_together = B == 0   ? PassTuning::components_together
                                        : B == 2 ? 2
                                                 : diagonals_together<B>;
  /* In the product with a folded copy, which has little beside the sums in its registers, and one diagonal less; guess */
  template <int B>
  static constexpr int folded_together = B == 0             ? PassTuning::components_together
                                         : B == 1           ? 6
                                         : B == 2 || B == 3 ? 2
                                                            : 1;
  /* Rows a host tile: long runs down each value column; the sums stay in the first-level cache. b = 8: 17.9 GB/s with 512, 20.7 with 4096; b = 1: 55 with 512, 48 with 4096 */
  template <int B>
  static constexpr int host_tile = B == 1 ? 512 : 4096;
  /* Rows after whose product the host does what a fused solver does to them: a multiple of the tiles above, in the second-level cache */
  static constexpr int host_fused_tile = 8192;
};

} // namespace heptane
