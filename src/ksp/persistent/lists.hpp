/*
   The persistent kernels that are compiled, a list for each method, on one GPU and on several, with entries off the
   diagonals (rest) and without: each in the order in which kernels are tried. Shared memory and registers are those of
   compute capability 9.0; other GPUs take the kernels that fit. bench/results/2026-11-28-tables has the measurements that each is kept
   for.
*/
#pragma once

#include "../../mat/bdiagh/format/single_tuning.hpp"
#include "../../mat/bdiagh/fused/persistent_tuning.hpp"

namespace heptane
{

/* How one kernel is built. A block has up to threads * rows rows, each thread `rows` of them in registers. */
struct BdiaghPersistentFields {
  int threads = 512, rows = 0;
  /*
     Whether every thread also keeps the vectors at the columns of its rows' far diagonals and carries them on from the
     exchanged products, so that an iteration has two barriers; otherwise these columns are read from the exchanged
     vectors, at one barrier more for every vector read
  */
  bool recurred = false;
  /*
     Values in shared memory: `threads` of one diagonal a unit, diagonal by diagonal from the main one; -1: whole
     diagonals, as many as fit
  */
  int units = 0;
  int kept  = 0;         /* of the others, those of so many of a thread's rows ask to stay in the second-level cache */
  int near = 5, far = 2; /* diagonals known to the compiler, those of a 7-point grid; -1 for any number */
  int ahead = 0;         /* rows of a thread whose values are asked for before a row is summed, where near and far are known */
  int block = 1;         /* unknowns per cell; more: a scaled copy without its unit diagonal, near and far are columns of diagonals */
  /*
     CG: whether x lies in global memory, and A p too but for w_shared of a thread's rows, since registers and shared
     memory hold no more than p and r. No values of the matrix are in shared memory. The main diagonal, which is read
     twice, asks to stay in the second-level cache.
  */
  bool wide     = false;
  int  w_shared = 0;
  /*
     Whether there is a second form, for a symmetric matrix whose near diagonals are in pairs, of each the upper one
     alone: A(row, row - k) is A(row - k, row). Which of the two it is to be, a launch looks up. The upper diagonal of
     the farther pair lies in shared memory, with the rows before the block that the lower one needs; of the nearer
     pair, whose columns are the rows before and behind, a value goes from thread to thread. Units of this form are of
     the main diagonal, the upper one of the nearer pair, and the far ones.
  */
  bool symmetric  = false;
  int  half_units = 0, half_kept = 0, half_ahead = 0;
};

/* One kernel of a list, by the names of its fields */
struct BdiaghPersistentRow : BdiaghPersistentFields {
  using Fields = BdiaghPersistentFields;

  constexpr BdiaghPersistentRow set(int Fields::*field, int value) const
  {
    BdiaghPersistentRow row = *this;
    row.*field              = value;
    return row;
  }
  constexpr BdiaghPersistentRow threads(int n) const { return set(&Fields::threads, n); }
  constexpr BdiaghPersistentRow units(int n) const { return set(&Fields::units, n); }
  constexpr BdiaghPersistentRow kept(int n) const { return set(&Fields::kept, n); }
  constexpr BdiaghPersistentRow ahead(int n) const { return set(&Fields::ahead, n); }
  constexpr BdiaghPersistentRow half_units(int n) const
  {
    BdiaghPersistentRow row = set(&Fields::half_units, n);
    row.symmetric           = true;
    return row;
  }
  constexpr BdiaghPersistentRow half_kept(int n) const { return set(&Fields::half_kept, n); }
  constexpr BdiaghPersistentRow half_ahead(int n) const { return set(&Fields::half_ahead, n); }

  /* The whole matrix in shared memory, vectors carried on */
  static constexpr BdiaghPersistentRow carried(int rows)
  {
    BdiaghPersistentRow row;
    row.Fields::rows = rows;
    row.recurred     = true;
    return row.units((row.near + row.far) * rows);
  }
  /* Vectors exchanged */
  static constexpr BdiaghPersistentRow exchanged(int rows) { return BdiaghPersistentRow().set(&Fields::rows, rows); }
  /* Of any diagonals */
  constexpr BdiaghPersistentRow any() const { return units(-1).set(&Fields::near, -1).set(&Fields::far, -1); }
  /* Vectors exchanged, and some of them in global memory */
  static constexpr BdiaghPersistentRow in_memory(int rows, int w_shared)
  {
    BdiaghPersistentRow row = exchanged(rows).set(&Fields::w_shared, w_shared);
    row.wide                = true;
    return row;
  }
  /* Vectors exchanged, several unknowns per cell */
  static constexpr BdiaghPersistentRow cells(int block, int rows)
  {
    return exchanged(rows)
      .threads(BdiaghPersistentBlockRoom::threads)
      .units(BdiaghPersistentBlockRoom::units(block, rows))
      .set(&Fields::block, block)
      .set(&Fields::near, 4 * block)
      .set(&Fields::far, 2 * block);
  }
};

/* What a planner has to know about a kernel; methods, whose headers say how a kernel is made of List::kernels[I] */
struct BdiaghPersistentKernel;
struct BdiaghPersistentCg;
struct BdiaghPersistentCgOneSum;
struct BdiaghPersistentBcgs;

enum class BdiaghWhere { one, ranks };        /* GPUs: one, or several of one rank each */
enum class BdiaghEntries { diagonals, rest }; /* rest: also off the diagonals; their columns take shared memory from the values */

template <class METHOD, BdiaghWhere WHERE, BdiaghEntries ENTRIES = BdiaghEntries::diagonals>
struct BdiaghPersistentList {
  using Kernel                    = BdiaghPersistentKernel;
  using Method                    = METHOD;
  using Row                       = BdiaghPersistentRow;
  static constexpr bool ranks     = WHERE == BdiaghWhere::ranks;
  static constexpr bool remainder = ENTRIES == BdiaghEntries::rest;
};

/* The kernels of a list, in its order; defined in a source for each list, which is made of kernels.cu.in */
template <class Kernel>
struct BdiaghKernels {
  const Kernel *kernels = nullptr;
  int           number  = 0;
};
template <class List>
BdiaghKernels<typename List::Kernel> bdiagh_kernels_of();

/* Kernel I of a list; HALF: in its form for symmetric matrices */
template <class List, int I, bool HALF = List::kernels[I].symmetric>
struct BdiaghPersistentVariant {
  static constexpr BdiaghPersistentFields is = List::kernels[I];

  static constexpr bool ranks = List::ranks, remainder = List::remainder;
  static constexpr int  threads = is.threads, rows = is.rows, near = is.near, far = is.far, block = is.block, w_shared = is.w_shared;
  static constexpr bool recurred = is.recurred, wide = is.wide, symmetric = HALF;
  static constexpr int  units = HALF ? is.half_units : is.units, kept = HALF ? is.half_kept : is.kept, ahead = HALF ? is.half_ahead : is.ahead;
  using Whole = BdiaghPersistentVariant<List, I, false>;
};

/* Numbers below are us per iteration on an H200, one after the other of what stands before them */

/*
   288 threads with one row: the last warp computes the scalars while the others load; with 256 5.0 for 4.7. 256 threads
   with 8 rows for 512 with 4 slower by 0.1. 8 rows in two forms 10.3, 10.1. 15 rows, half_kept 7, 15: 19.1, 16.7. 16
   rows, half_ahead 0, 2: 20.7, 18.6. 17 rows in two forms 23.0, 22.3; ahead 0, 2, 3: 23.2, 23.2, 22.9. The others'
   values ask to go first; as ordinary loads 23.0 for 20 at 1.0M rows. In memory: 384 threads with 42 rows 32.9, 45.9,
   63.3 for 30.0, 43.6, 58.9 (1.26M, 1.73M, 2.10M rows); two places for p, x kept in caches 30.2, 43.7, 60.7; two rows
   of a thread that ask to stay 32.8, 45.2, 60.4
*/
struct BdiaghCg : BdiaghPersistentList<BdiaghPersistentCg, BdiaghWhere::one> {
  static constexpr Row kernels[] = {Row::carried(1).threads(288),
                                    Row::carried(4),
                                    Row::carried(6),
                                    Row::exchanged(8).units(46).kept(8),
                                    Row::exchanged(12).units(31).kept(12).half_units(18).half_kept(12),
                                    Row::exchanged(15).units(26).kept(7).half_units(10).half_kept(15),
                                    Row::exchanged(16).units(23).kept(6).half_units(7).half_kept(16).half_ahead(2),
                                    Row::exchanged(17).units(22).kept(6).ahead(3),
                                    Row::in_memory(32, 22),
                                    Row::carried(4).any(),
                                    Row::exchanged(8).kept(8).any(),
                                    Row::exchanged(15).kept(7).any()};
};
/*
   17 rows: units leave room for the columns of some thousand entries; ahead 0, 2, 3: 26.5, 24.7, 24.0; in two forms no
   faster
*/
struct BdiaghCgRest : BdiaghPersistentList<BdiaghPersistentCg, BdiaghWhere::one, BdiaghEntries::rest> {
  static constexpr Row kernels[] = {Row::carried(4),
                                    Row::carried(6),
                                    Row::exchanged(8).units(42).kept(8),
                                    Row::exchanged(12).units(27).kept(12).half_units(14).half_kept(12),
                                    Row::exchanged(16).units(19).kept(6).half_units(3).half_kept(16).half_ahead(2),
                                    Row::exchanged(17).units(12).kept(6).ahead(3),
                                    Row::carried(4).any(),
                                    Row::exchanged(15).kept(7).any()};
};
/* 16 rows in two forms 23.2, 23.2; 15 and 17 rows, whose kernels spill registers so, 28.7, 33.9 and 28.6, 32.9 */
struct BdiaghCgRanks : BdiaghPersistentList<BdiaghPersistentCg, BdiaghWhere::ranks> {
  static constexpr Row kernels[] = {Row::carried(2),
                                    Row::carried(4),
                                    Row::carried(5),
                                    Row::exchanged(9).units(46).kept(9),
                                    Row::exchanged(10).units(34).kept(10).half_units(24).half_kept(10),
                                    Row::exchanged(12).units(31).kept(12).half_units(18).half_kept(12),
                                    Row::exchanged(16).units(23).kept(6),
                                    Row::exchanged(17).units(22).kept(6).ahead(3),
                                    Row::in_memory(32, 22),
                                    Row::carried(4).any(),
                                    Row::exchanged(8).kept(8).any()};
};
struct BdiaghCgRanksRest : BdiaghPersistentList<BdiaghPersistentCg, BdiaghWhere::ranks, BdiaghEntries::rest> {
  static constexpr Row kernels[] = {Row::carried(4),
                                    Row::carried(5),
                                    Row::exchanged(9).units(45).kept(9),
                                    Row::exchanged(12).units(27).kept(12).half_units(14).half_kept(12),
                                    Row::exchanged(17).units(12).kept(6).ahead(3),
                                    Row::carried(4).any(),
                                    Row::exchanged(8).kept(8).any()};
};

/*
   With one sum per iteration: where the matrix lies in shared memory. Above, an iteration has further barriers, and
   takes longer for the matrix than for sums; of several ranks with 4 rows 9.0 us, with two sums 8.0
*/
struct BdiaghCgOneSum : BdiaghPersistentList<BdiaghPersistentCgOneSum, BdiaghWhere::one> {
  static constexpr Row kernels[] = {Row::carried(1).threads(288), Row::carried(4)};
};
struct BdiaghCgOneSumRanks : BdiaghPersistentList<BdiaghPersistentCgOneSum, BdiaghWhere::ranks> {
  static constexpr Row kernels[] = {Row::carried(2)};
};

/*
   15 rows, kept 5, 7, 10, 12: 37.0, 38, 40.2, 41.7. 17 rows, ahead 0, 1, 2: 45.6, 45.6, 49, with wells 48.8, 49.6, 59:
   two vectors more in registers, which are spilled
*/
struct BdiaghBcgs : BdiaghPersistentList<BdiaghPersistentBcgs, BdiaghWhere::one> {
  static constexpr Row kernels[] = {Row::carried(1).threads(288),
                                    Row::carried(2),
                                    Row::carried(4),
                                    Row::carried(5),
                                    Row::exchanged(8).units(38).kept(8),
                                    Row::exchanged(15).units(11).kept(5),
                                    Row::exchanged(17).units(4).kept(5),
                                    Row::carried(4).any(),
                                    Row::exchanged(8).kept(8).any(),
                                    Row::exchanged(15).kept(5).any()};
};
struct BdiaghBcgsRest : BdiaghPersistentList<BdiaghPersistentBcgs, BdiaghWhere::one, BdiaghEntries::rest> {
  static constexpr Row kernels[] = {Row::carried(1).threads(288),
                                    Row::carried(2),
                                    Row::carried(4),
                                    Row::carried(5),
                                    Row::exchanged(8).units(34).kept(8),
                                    Row::exchanged(15).units(8).kept(5),
                                    Row::exchanged(17).kept(5),
                                    Row::carried(4).any(),
                                    Row::exchanged(15).kept(5).any()};
};
/*
   5 rows were no faster than 8, since they spill registers: 1.12M rows on four 21.2, 21.5, with wells on two 25.9, 23.6
*/
struct BdiaghBcgsRanks : BdiaghPersistentList<BdiaghPersistentBcgs, BdiaghWhere::ranks> {
  static constexpr Row kernels[] = {Row::carried(2),
                                    Row::carried(4),
                                    Row::exchanged(9).units(37).kept(9),
                                    Row::exchanged(16).units(6).kept(5),
                                    Row::carried(4).any(),
                                    Row::exchanged(8).kept(8).any()};
};
struct BdiaghBcgsRanksRest : BdiaghPersistentList<BdiaghPersistentBcgs, BdiaghWhere::ranks, BdiaghEntries::rest> {
  static constexpr Row kernels[] = {Row::carried(4), Row::exchanged(9).units(36).kept(9), Row::exchanged(16).units(2).kept(5), Row::carried(4).any(),
                                    Row::exchanged(8).kept(8).any()};
};

/* Several unknowns per cell: the same on one GPU and on several */
template <BdiaghWhere WHERE>
struct BdiaghBcgsBlocksOn : BdiaghPersistentList<BdiaghPersistentBcgs, WHERE> {
  using Row                      = BdiaghPersistentRow;
  static constexpr Row kernels[] = {Row::cells(2, 4).kept(4),  Row::cells(2, 8).kept(7), Row::cells(2, 12).kept(5), Row::cells(2, 16).kept(4),
                                    Row::cells(3, 3).kept(3),  Row::cells(3, 6).kept(5), Row::cells(3, 9).kept(4),  Row::cells(3, 12).kept(2),
                                    Row::cells(3, 15).kept(2), Row::cells(4, 4).kept(4), Row::cells(4, 8).kept(3),  Row::cells(4, 12).kept(2)};
};
struct BdiaghBcgsBlocks : BdiaghBcgsBlocksOn<BdiaghWhere::one> {};
struct BdiaghBcgsBlocksRanks : BdiaghBcgsBlocksOn<BdiaghWhere::ranks> {};

} // namespace heptane
