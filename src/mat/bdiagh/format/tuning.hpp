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
  static constexpr int         max_diagonals = 128; /* offsets travel as a kernel parameter: 512 of its 4096 bytes */
  static constexpr int         max_block     = 16;  /* block sizes 1..16 are compiled in; larger ones take the general path */
  static constexpr std::size_t column_bytes  = 256; /* every value column starts on such a boundary: whole 128-byte lines for each warp */
  /* columns at distances of whole pages map to the same sets of a host cache: one more column_bytes separates them */
  static constexpr std::size_t page_bytes = 4096;
  /* Sampling, for patterns of at least sample_from rows of cells: sample_runs runs of sample_cells / block cells. There
     are no block diagonals if the sample's remainder is sample_margin times the allowed one */
  static constexpr int    sample_runs = 64, sample_cells = 16, sample_from = 16384;
  static constexpr double host_max_fill =
    1.25; /* stored values per nonzero above which products on the host use compressed rows: 1.5 from memory (12 bytes against 8), 1.1 from caches */
  /* Rows from which fused solvers on the host use MatMult() with these compressed rows instead of their own product
     with the diagonals: 1.5 times as fast with 2.2 values per nonzero (Norne, b = 3). Small matrices stay in caches;
     limit is a guess */
  static constexpr int    host_rows_from = 4096;
  static constexpr double sample_margin  = 2;
  static constexpr int    threads        = 256; /* threads per block: 128 and 512 within 2 %, measured on H200, bench/results */
  /*
     Block sizes known to the compiler in the fused product; larger ones use one kernel that processes the components of
     a block in groups. Above few_kernels_from, kernels exist only for seven diagonals whose remainder is not shared,
     with one sum and with four; other matrices, right preconditioning and combinations use the kernel for any size. 1.3
     times as fast as kernels for any number of diagonals (fusedbcgs, b = 12 to 14; equal within 2 % for b = 16)
  */
  using FusedSizes                      = BlockSizes<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16>;
  static constexpr int few_kernels_from = 8;
  /* The same in the product with a folded copy */
  using FoldedSizes = FusedSizes;
  /* The same in the product with a copy stored as Single, for any number of diagonals and for six; with the main
     diagonal, for any number and for seven. Few, to limit compile time */
  using SingleSizes      = BlockSizes<1, 2, 3, 4, 8>;
  using SingleWholeSizes = BlockSizes<1, 3>;
  /* The first of these for a matrix with rows on other GPUs, without the main diagonal; other sizes use the kernel for
     any size. Guess: not measured */
  using SingleHaloSizes = BlockSizes<1, 3>;
  /* Resident threads of a multiprocessor for a product with one sum and such a copy: values have half the size, so more
     loads should be in flight; guess */
  static constexpr int single_resident = 1024;
  /* In the scaling itself, once per set of values */
  using FoldSizes = BlockSizes<1, 2, 3, 4, 5, 6, 7, 8>;
  /* The same in both for a matrix with rows on other GPUs, for seven diagonals; other sizes use the kernel for any
     size. Guess: not measured */
  using HaloSizes = BlockSizes<1, 2, 3, 4, 8>;
  /* Diagonals whose values a thread loads before it uses the first. With small blocks one diagonal in flight is too
     little: 7 take 4 % less time than 4 (b = 1); from b = 3 on the compiler overlaps them itself, and more cost
     registers: 4 take 21 % more time than 1 (b = 8) */
  template <int B>
  static constexpr int diagonals_together = B == 1 || B == 2 ? 7 : 1;
  /* In the fused product, which has fewer registers: b = 2 with 7 spills 180 to 256 bytes */
  template <int B>
  static constexpr int fused_together = B == 0   ? PassTuning::components_together
                                        : B == 2 ? 2
                                                 : diagonals_together<B>;
  /* In the product with a folded copy, which needs few registers except for the sums, and has one diagonal less; guess */
  template <int B>
  static constexpr int folded_together = B == 0             ? PassTuning::components_together
                                         : B == 1           ? 6
                                         : B == 2 || B == 3 ? 2
                                                            : 1;
  /* Rows per host tile: long runs down each value column; the sums stay in the first-level cache. 15 % faster than 512
     with b = 8, than 4096 with b = 1 */
  template <int B>
  static constexpr int host_tile = B == 1 ? 512 : 4096;
  /* Rows per tile of the host's fused product, including the solver's updates: a multiple of the tiles above, in the
     second-level cache */
  static constexpr int host_fused_tile = 8192;
};

} // namespace heptane
