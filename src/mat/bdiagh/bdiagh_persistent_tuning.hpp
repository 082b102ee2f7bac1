/*
   Every number of the persistent kernels of the block-diagonal format that affects speed.
*/
#pragma once

namespace heptane
{

/*
   How one kernel is built. A block has up to threads * rows rows, each thread `rows` of them in registers.
   recurred: every thread also keeps the vectors at the columns of its rows' far diagonals and carries them on from the exchanged products, so that an
   iteration has two barriers; otherwise these columns are read from the exchanged vectors, at one barrier more for every vector read.
*/
template <int THREADS, int ROWS, bool RECURRED, int UNITS, int KEPT, int NEAR, int FAR, int AHEAD>
struct BdiaghPersistentVariant {
  static constexpr int  threads  = THREADS;
  static constexpr int  rows     = ROWS;
  static constexpr bool recurred = RECURRED;
  /* Values in shared memory: `threads` of one diagonal a unit, diagonal by diagonal from the main one; -1: whole diagonals, as many as fit */
  static constexpr int  units = UNITS;
  static constexpr int  kept  = KEPT;           /* of the others, those of so many of a thread's rows ask to stay in the second-level cache */
  static constexpr int  near = NEAR, far = FAR; /* diagonals known to the compiler, -1 for any number */
  static constexpr int  ahead     = AHEAD;      /* rows of a thread whose values are asked for before a row is summed, where near and far are known */
  static constexpr bool remainder = false;      /* whether rows may have entries off the diagonals */
  static constexpr bool ranks     = false;      /* whether rows may have columns of other ranks */
  static constexpr int  block     = 1;          /* unknowns per cell; more: a scaled copy without its unit diagonal, near and far are columns of diagonals */
  static constexpr bool symmetric = false;      /* whether it has two forms, see BdiaghPersistentHalf */
  /* CG: whether x lies in global memory, and A p too but for w_shared of a thread's rows, since registers and shared memory hold no more than p and r */
  static constexpr bool wide     = false;
  static constexpr int  w_shared = 0;
};

/* Of so many rows that CG has x, and A p of some rows, in global memory; no values of the matrix in shared memory. The main diagonal, which is read twice, asks to stay in the second-level cache. */
template <int THREADS, int ROWS, int W_SHARED, int KEPT, int AHEAD>
struct BdiaghPersistentWide : BdiaghPersistentVariant<THREADS, ROWS, false, 0, KEPT, 5, 2, AHEAD> {
  static constexpr bool wide     = true;
  static constexpr int  w_shared = W_SHARED;
};

/*
   A kernel in two forms: that of Variant (Whole), and one for a symmetric matrix, whose near diagonals are in pairs, of each the upper one alone: A(row, row - k) is A(row - k, row). Which of the two it
   is to be, a launch looks up. The upper diagonal of the farther pair lies in shared memory, with the rows before the block that the lower one needs; of the nearer pair, whose columns are the rows before and
   behind, a value goes from thread to thread. UNITS: as units, of the main diagonal, the upper one of the nearer pair, and the far ones.
*/
template <class Variant, int UNITS, int KEPT = Variant::kept, int AHEAD = Variant::ahead>
struct BdiaghPersistentHalf : Variant {
  using Whole                     = Variant;
  static constexpr bool symmetric = true;
  static constexpr int  units     = UNITS;
  static constexpr int  kept      = KEPT;
  static constexpr int  ahead     = AHEAD;
};

/*
   Seven-point grids with BLOCK unknowns per cell: what a scaled copy has beside the main diagonal. Units are as many as fit on compute capability 9.0 beside two windows with 512 columns on either side and, where
   rows are more than in_registers, the solution.
*/
struct BdiaghPersistentBlockRoom {
  static constexpr int threads = 512, margin = 512, scalars = 28800; /* of 227 KB what a kernel has beside its sums */
  static constexpr int in_registers = 6;                             /* rows of a thread of which it keeps four vectors */

  static constexpr int units(int block, int rows)
  {
    const int own = rows * threads, room = (scalars - 2 * (own + 2 * margin) - (rows > in_registers ? own : 0)) / threads, all = 6 * block * rows;
    return room < all ? room : all;
  }
};
template <int BLOCK, int ROWS, int KEPT>
struct BdiaghPersistentBlocks
  : BdiaghPersistentVariant<BdiaghPersistentBlockRoom::threads, ROWS, false, BdiaghPersistentBlockRoom::units(BLOCK, ROWS), KEPT, 4 * BLOCK, 2 * BLOCK, 0> {
  static constexpr int block = BLOCK;
};

/* The same for several ranks */
template <class Variant>
struct BdiaghPersistentAcross : Variant {
  static constexpr bool ranks = true;
};

/* The same for matrices with a remainder, whose columns take shared memory from the values */
template <class Variant, int UNITS = Variant::units>
struct BdiaghPersistentRest : Variant {
  static constexpr bool remainder = true;
  static constexpr int  units     = UNITS;
};

template <class... Variant>
struct BdiaghPersistentVariants {
  static constexpr int number = sizeof...(Variant);
  /* f<Variant>() of each, in order */
  template <class F>
  static constexpr void for_each(F &&f)
  {
    (f(Variant()), ...);
  }
};

struct BdiaghPersistentTuning {
  static constexpr int max_diagonals  = 32;  /* their numbers travel as a kernel parameter */
  static constexpr int max_recurred   = 2;   /* far diagonals whose columns are carried on in registers */
  static constexpr int max_margin     = 512; /* rows on either side of a block's own whose columns are near when vectors are exchanged: guess */
  static constexpr int min_rows       = 128; /* rows per block: fewer blocks make a barrier cheaper; guess */
  static constexpr int row_multiple   = 16;  /* rows per block: whole 128-byte lines */
  static constexpr int thread_halo    = 4;   /* of several ranks: columns of others, beside a row's first, that its own thread waits for; guess */
  static constexpr int long_halo_rows = 64;  /* rows of a block with more, which warps sum; guess */
  static constexpr int edge_part      = 2;   /* of several ranks: blocks whose rows others need have this part of the most rows */

  /* wide: places of a thread whose loads are under way together, asked for before those ahead of them are used; places of x, and of each diagonal, that come to the second-level cache while sums are formed */
  static constexpr int wide_together = 3, wide_early_x = 12, wide_early_values = 3;

  static constexpr bool with_remainder    = true;      /* false: matrices with a remainder never run a persistent kernel */
  static constexpr int  piece_entries     = 128;       /* of a row's remainder that a warp sums at once: four loads a lane under way; guess */
  static constexpr int  thread_entries    = 4;         /* rows of no more are summed by their own thread; guess */
  static constexpr int  remainder_entries = 32 * 1024; /* of a block: beyond, the block keeps the others waiting for longer than the other modes take; guess */
};

/* 5 near and 2 far diagonals are a 7-point grid */
template <int THREADS, int ROWS, bool RECURRED, int UNITS, int KEPT, int AHEAD = 0>
using BdiaghPersistentGrid = BdiaghPersistentVariant<THREADS, ROWS, RECURRED, UNITS, KEPT, 5, 2, AHEAD>;
template <int THREADS, int ROWS, bool RECURRED, int KEPT>
using BdiaghPersistentAny = BdiaghPersistentVariant<THREADS, ROWS, RECURRED, -1, KEPT, -1, -1, 0>;

/*
   In the order in which they are tried. Measured on H200, 7-point grids, own diagonal, microseconds an iteration of CG / BiCGStab:
   32 768 rows: 288 threads with one row 4.7 / 6.0, 256 threads 5.0 / 6.0: with 288 the last warp computes the scalars while the others load.
   262 144 rows: 512 threads with 4 rows 6.1 / 9.3, 256 with 8 rows slower by 0.1 / equal.
   5 and 6 rows, CG, 5 rows, BiCGStab: the whole matrix and two vectors in shared memory, in place of 8 rows and vectors exchanged: 274 625 rows 9.3 6.7 / 14.4 11.3, 389 017 9.8 7.4; with two wells 277 200 rows 9.7 7.2 / 16.0 11.9.
   1.0M rows: units all that fit; kept 5, 7, 10, 12: 20.3 20.2 19.6 20.1 / 37.0 38 40.2 41.7; with a Jacobi vector 22.3 23.2 25.8 28.0 / 41.6 - 44.7 45.6.
   At 1.0M rows the others' values ask to go first; as ordinary loads 23.0 / 42.2.
   1.12M rows (60 x 220 x 85): 17 rows per thread 23 / 46; units as many as fit with lines of 60 or 220 cells. With a remainder units leave room for the columns
   of some hundred entries, then of some thousand. With two wells: 262 144 rows 7.1 / 10.6, 1.0M 20.1 / 40.5, 1.12M 24.0 / 48.8.
   ahead 0, 2, 3: CG with two wells 1.0M rows 21.3 20.8 20.1, 1.12M 26.5 24.7 24.0; without wells 1.0M 19.3 19.6 19.7, 1.12M 23.2 23.2 22.9.
   BiCGStab, 0, 1, 2: 1.12M rows 45.6 45.6 49, with wells 48.8 49.6 59: two vectors more in registers, which are spilled.
   wide: CG alone, graph and this: 1.26M rows 44.7 30.0, 1.73M 57.8 43.6, 2.10M 68.6 58.9. 384 threads with 42 rows 32.9 45.9 63.3; two places for p, x kept in caches 30.2 43.7 60.7; values of the first
   rows in time (ahead 1, 2) 32.3 44.2 58.3 and 32.4 45.2 59.9; two rows of a thread that ask to stay 32.8 45.2 60.4. wide_early_x and wide_early_values 0: 31.6 43.9 58.6; 384 threads and 8 rows of
   values 36.1 59.8 82.0.
   Two forms (BdiaghPersistentHalf), CG: 10 rows 14.1 12.0, 12 rows 16.1 13.3 (before with 15), 15 rows 19.4 16.9, 16 rows 24.1 18.6, 17 rows 23.0 22.3; with two wells 15.0 12.7, 16.6 13.9, 20.8 19.6, 22.4 21.2, 17 rows 23.7 23.7. 8 rows with the whole
   matrix on chip 10.3 10.1. 16 rows, ahead 0, 2: 20.7 18.6; 15 rows, kept 7, 15: 19.1 16.7; wide, the farther pair read twice: 1.56M rows 37.7 38.5, 2.10M 59.3 57.5. Of several ranks 10 and 12 rows 21.1 15.0, 20.2 17.0; 8 and 9 rows no difference, 15 and 17
   rows, which spill, 28.7 33.9, 28.6 32.9.
   Diagonals of any number cost more: 5-point 262 144 rows 6.6 / 9.6, 1.0M rows 17.4 / 51; 27-point 262 144 rows 25 / 47.
*/
using BdiaghPersistentCgVariants =
  BdiaghPersistentVariants<BdiaghPersistentGrid<288, 1, true, 7, 0>, BdiaghPersistentGrid<512, 2, true, 14, 0>, BdiaghPersistentGrid<512, 4, true, 28, 0>,
                           BdiaghPersistentGrid<512, 5, true, 35, 0>, BdiaghPersistentGrid<512, 6, true, 42, 0>, BdiaghPersistentGrid<512, 8, false, 46, 8>,
                           BdiaghPersistentHalf<BdiaghPersistentGrid<512, 10, false, 34, 10>, 24>,
                           BdiaghPersistentHalf<BdiaghPersistentGrid<512, 12, false, 31, 12>, 18>,
                           BdiaghPersistentHalf<BdiaghPersistentGrid<512, 15, false, 26, 7>, 10, 15>, BdiaghPersistentGrid<512, 15, false, 26, 7>,
                           BdiaghPersistentHalf<BdiaghPersistentGrid<512, 16, false, 23, 6>, 7, 16, 2>, BdiaghPersistentGrid<512, 16, false, 23, 6>,
                           BdiaghPersistentHalf<BdiaghPersistentGrid<512, 17, false, 22, 6>, 3, 17, 3>, BdiaghPersistentGrid<512, 17, false, 22, 6, 3>,
                           BdiaghPersistentWide<512, 32, 22, 0, 0>, BdiaghPersistentAny<288, 1, true, 0>, BdiaghPersistentAny<512, 4, true, 0>,
                           BdiaghPersistentAny<512, 8, false, 8>, BdiaghPersistentAny<512, 15, false, 7>>;
/* With a remainder, which takes shared memory from the values. 17 rows in two forms were no faster */
using BdiaghPersistentCgRestVariants = BdiaghPersistentVariants<
  BdiaghPersistentRest<BdiaghPersistentGrid<288, 1, true, 7, 0>>, BdiaghPersistentRest<BdiaghPersistentGrid<512, 2, true, 14, 0>>,
  BdiaghPersistentRest<BdiaghPersistentGrid<512, 4, true, 28, 0>>, BdiaghPersistentRest<BdiaghPersistentGrid<512, 5, true, 35, 0>>,
  BdiaghPersistentRest<BdiaghPersistentGrid<512, 6, true, 42, 0>>, BdiaghPersistentRest<BdiaghPersistentGrid<512, 8, false, 46, 8>, 42>,
  BdiaghPersistentHalf<BdiaghPersistentRest<BdiaghPersistentGrid<512, 10, false, 34, 10>, 30>, 20>,
  BdiaghPersistentHalf<BdiaghPersistentRest<BdiaghPersistentGrid<512, 12, false, 31, 12>, 27>, 14>,
  BdiaghPersistentHalf<BdiaghPersistentRest<BdiaghPersistentGrid<512, 15, false, 26, 7>, 24>, 8, 15, 2>,
  BdiaghPersistentRest<BdiaghPersistentGrid<512, 15, false, 26, 7, 3>, 24>,
  BdiaghPersistentHalf<BdiaghPersistentRest<BdiaghPersistentGrid<512, 16, false, 23, 6>, 19>, 3, 16, 2>,
  BdiaghPersistentRest<BdiaghPersistentGrid<512, 16, false, 23, 6, 3>, 19>, BdiaghPersistentRest<BdiaghPersistentGrid<512, 17, false, 22, 6, 3>, 20>,
  BdiaghPersistentRest<BdiaghPersistentGrid<512, 17, false, 22, 6, 3>, 12>, BdiaghPersistentRest<BdiaghPersistentAny<288, 1, true, 0>>,
  BdiaghPersistentRest<BdiaghPersistentAny<512, 4, true, 0>>, BdiaghPersistentRest<BdiaghPersistentAny<512, 8, false, 8>>,
  BdiaghPersistentRest<BdiaghPersistentAny<512, 15, false, 7>>>;
/* Of several ranks, without remainder: as on one GPU, and 9 rows. BiCGStab with 5 rows was no faster than with 8 (1.12M rows on four 21.2 21.5, with wells on two 25.9 23.6).
   H200, two of them: docs/scaling.md; evenly, and with edge_part 2 and 4: CG at 1.0M rows 13.7 12.7 12.8, at 2.1M 30.3 25.3 30.1 */
using BdiaghPersistentCgRanksVariants = BdiaghPersistentVariants<
  BdiaghPersistentAcross<BdiaghPersistentGrid<288, 1, true, 7, 0>>, BdiaghPersistentAcross<BdiaghPersistentGrid<512, 2, true, 14, 0>>,
  BdiaghPersistentAcross<BdiaghPersistentGrid<512, 4, true, 28, 0>>, BdiaghPersistentAcross<BdiaghPersistentGrid<512, 5, true, 35, 0>>,
  BdiaghPersistentAcross<BdiaghPersistentGrid<512, 6, true, 42, 0>>, BdiaghPersistentAcross<BdiaghPersistentGrid<512, 8, false, 46, 8>>,
  BdiaghPersistentAcross<BdiaghPersistentGrid<512, 9, false, 46, 9>>,
  BdiaghPersistentHalf<BdiaghPersistentAcross<BdiaghPersistentGrid<512, 10, false, 34, 10>>, 24>,
  BdiaghPersistentHalf<BdiaghPersistentAcross<BdiaghPersistentGrid<512, 12, false, 31, 12>>, 18>,
  BdiaghPersistentAcross<BdiaghPersistentGrid<512, 15, false, 26, 7>>, BdiaghPersistentAcross<BdiaghPersistentGrid<512, 16, false, 23, 6>>,
  BdiaghPersistentAcross<BdiaghPersistentGrid<512, 17, false, 22, 6, 3>>, BdiaghPersistentAcross<BdiaghPersistentWide<512, 32, 22, 0, 0>>,
  BdiaghPersistentAcross<BdiaghPersistentAny<512, 4, true, 0>>, BdiaghPersistentAcross<BdiaghPersistentAny<512, 8, false, 8>>>;
using BdiaghPersistentBcgsRanksVariants = BdiaghPersistentVariants<
  BdiaghPersistentAcross<BdiaghPersistentGrid<288, 1, true, 7, 0>>, BdiaghPersistentAcross<BdiaghPersistentGrid<512, 2, true, 14, 0>>,
  BdiaghPersistentAcross<BdiaghPersistentGrid<512, 4, true, 28, 0>>, BdiaghPersistentAcross<BdiaghPersistentGrid<512, 8, false, 38, 8>>,
  BdiaghPersistentAcross<BdiaghPersistentGrid<512, 9, false, 37, 9>>, BdiaghPersistentAcross<BdiaghPersistentGrid<512, 15, false, 11, 5>>,
  BdiaghPersistentAcross<BdiaghPersistentGrid<512, 16, false, 6, 5>>, BdiaghPersistentAcross<BdiaghPersistentAny<512, 4, true, 0>>,
  BdiaghPersistentAcross<BdiaghPersistentAny<512, 8, false, 8>>>;
/*
   Of several ranks, with a remainder, which takes shared memory from the values: fewer kernels than on one GPU, for the time that each takes to compile. 9 rows: blocks of a little more than 4096 rows, as
   60 x 220 x 85 cells on two GPUs have, else have 15 rows per thread; 6 rows as on one GPU lost (0.75M rows on two, CG 13.7 13.5). Two H200, 1.12M rows with two wells: CG 14.6, BiCGStab 27.7;
   ahead 2 and 1: 14.6 28.4. Without wells, 9 rows and 15: CG 13.6 20.4, BiCGStab 25.9 46.6.
*/
template <class Variant, int UNITS = Variant::units>
using BdiaghPersistentRestAcross          = BdiaghPersistentRest<BdiaghPersistentAcross<Variant>, UNITS>;
using BdiaghPersistentCgRanksRestVariants = BdiaghPersistentVariants<
  BdiaghPersistentRestAcross<BdiaghPersistentGrid<512, 4, true, 28, 0>>, BdiaghPersistentRestAcross<BdiaghPersistentGrid<512, 5, true, 35, 0>>,
  BdiaghPersistentRestAcross<BdiaghPersistentGrid<512, 8, false, 46, 8>, 42>, BdiaghPersistentRestAcross<BdiaghPersistentGrid<512, 9, false, 45, 9>>,
  BdiaghPersistentHalf<BdiaghPersistentRestAcross<BdiaghPersistentGrid<512, 10, false, 34, 10>, 30>, 20>,
  BdiaghPersistentHalf<BdiaghPersistentRestAcross<BdiaghPersistentGrid<512, 12, false, 31, 12>, 27>, 14>,
  BdiaghPersistentRestAcross<BdiaghPersistentGrid<512, 15, false, 26, 7, 3>, 22>,
  BdiaghPersistentRestAcross<BdiaghPersistentGrid<512, 17, false, 22, 6, 3>, 12>, BdiaghPersistentRestAcross<BdiaghPersistentAny<512, 4, true, 0>>,
  BdiaghPersistentRestAcross<BdiaghPersistentAny<512, 8, false, 8>>>;
using BdiaghPersistentBcgsRanksRestVariants = BdiaghPersistentVariants<
  BdiaghPersistentRestAcross<BdiaghPersistentGrid<512, 4, true, 28, 0>>, BdiaghPersistentRestAcross<BdiaghPersistentGrid<512, 8, false, 38, 8>, 34>,
  BdiaghPersistentRestAcross<BdiaghPersistentGrid<512, 9, false, 36, 9>>, BdiaghPersistentRestAcross<BdiaghPersistentGrid<512, 15, false, 11, 5>, 7>,
  BdiaghPersistentRestAcross<BdiaghPersistentGrid<512, 16, false, 6, 5>, 2>, BdiaghPersistentRestAcross<BdiaghPersistentAny<512, 4, true, 0>>,
  BdiaghPersistentRestAcross<BdiaghPersistentAny<512, 8, false, 8>>>;
/* CG with one sum per iteration, on one GPU and on several: 7-point grids whose matrix lies in shared memory. Above, an iteration has further barriers, and takes longer for the matrix than for sums */
using BdiaghPersistentCgOneSumVariants =
  BdiaghPersistentVariants<BdiaghPersistentGrid<288, 1, true, 7, 0>, BdiaghPersistentGrid<512, 2, true, 14, 0>, BdiaghPersistentGrid<512, 4, true, 28, 0>>;
using BdiaghPersistentCgOneSumRanksVariants =
  BdiaghPersistentVariants<BdiaghPersistentAcross<BdiaghPersistentGrid<288, 1, true, 7, 0>>, BdiaghPersistentAcross<BdiaghPersistentGrid<512, 2, true, 14, 0>>,
                           BdiaghPersistentAcross<BdiaghPersistentGrid<512, 4, true, 28, 0>>>;
using BdiaghPersistentBcgsVariants = BdiaghPersistentVariants<
  BdiaghPersistentGrid<288, 1, true, 7, 0>, BdiaghPersistentGrid<512, 2, true, 14, 0>, BdiaghPersistentGrid<512, 4, true, 28, 0>,
  BdiaghPersistentGrid<512, 5, true, 35, 0>, BdiaghPersistentGrid<512, 8, false, 38, 8>, BdiaghPersistentGrid<512, 15, false, 11, 5>,
  BdiaghPersistentGrid<512, 16, false, 6, 5>, BdiaghPersistentGrid<512, 17, false, 4, 5>, BdiaghPersistentAny<288, 1, true, 0>,
  BdiaghPersistentAny<512, 4, true, 0>, BdiaghPersistentAny<512, 8, false, 8>, BdiaghPersistentAny<512, 15, false, 5>,
  /* with a remainder */
  BdiaghPersistentRest<BdiaghPersistentGrid<288, 1, true, 7, 0>>, BdiaghPersistentRest<BdiaghPersistentGrid<512, 2, true, 14, 0>>,
  BdiaghPersistentRest<BdiaghPersistentGrid<512, 4, true, 28, 0>>, BdiaghPersistentRest<BdiaghPersistentGrid<512, 5, true, 35, 0>>,
  BdiaghPersistentRest<BdiaghPersistentGrid<512, 8, false, 38, 8>, 34>, BdiaghPersistentRest<BdiaghPersistentGrid<512, 15, false, 11, 5>, 8>,
  BdiaghPersistentRest<BdiaghPersistentGrid<512, 16, false, 6, 5>, 3>, BdiaghPersistentRest<BdiaghPersistentGrid<512, 17, false, 4, 5>, 3>,
  BdiaghPersistentRest<BdiaghPersistentGrid<512, 17, false, 4, 5>, 0>, BdiaghPersistentRest<BdiaghPersistentAny<288, 1, true, 0>>,
  BdiaghPersistentRest<BdiaghPersistentAny<512, 4, true, 0>>, BdiaghPersistentRest<BdiaghPersistentAny<512, 8, false, 8>>,
  BdiaghPersistentRest<BdiaghPersistentAny<512, 15, false, 5>>>;
/* BiCGStab with several unknowns per cell, on one GPU and on several */
using BdiaghPersistentBcgsBlocksVariants =
  BdiaghPersistentVariants<BdiaghPersistentBlocks<2, 4, 4>, BdiaghPersistentBlocks<2, 8, 7>, BdiaghPersistentBlocks<2, 12, 5>, BdiaghPersistentBlocks<2, 16, 4>,
                           BdiaghPersistentBlocks<3, 3, 3>, BdiaghPersistentBlocks<3, 6, 5>, BdiaghPersistentBlocks<3, 9, 4>, BdiaghPersistentBlocks<3, 12, 2>,
                           BdiaghPersistentBlocks<3, 15, 2>, BdiaghPersistentBlocks<4, 4, 4>, BdiaghPersistentBlocks<4, 8, 3>,
                           BdiaghPersistentBlocks<4, 12, 2>>;
using BdiaghPersistentBcgsBlocksRanksVariants =
  BdiaghPersistentVariants<BdiaghPersistentAcross<BdiaghPersistentBlocks<2, 4, 4>>, BdiaghPersistentAcross<BdiaghPersistentBlocks<2, 8, 7>>,
                           BdiaghPersistentAcross<BdiaghPersistentBlocks<2, 12, 5>>, BdiaghPersistentAcross<BdiaghPersistentBlocks<2, 16, 4>>,
                           BdiaghPersistentAcross<BdiaghPersistentBlocks<3, 3, 3>>, BdiaghPersistentAcross<BdiaghPersistentBlocks<3, 6, 5>>,
                           BdiaghPersistentAcross<BdiaghPersistentBlocks<3, 9, 4>>, BdiaghPersistentAcross<BdiaghPersistentBlocks<3, 12, 2>>,
                           BdiaghPersistentAcross<BdiaghPersistentBlocks<3, 15, 2>>, BdiaghPersistentAcross<BdiaghPersistentBlocks<4, 4, 4>>,
                           BdiaghPersistentAcross<BdiaghPersistentBlocks<4, 8, 3>>, BdiaghPersistentAcross<BdiaghPersistentBlocks<4, 12, 2>>>;

} // namespace heptane
