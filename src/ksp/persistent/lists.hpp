/*
   The persistent kernels that are compiled: a list for each method, on one GPU and on several, with entries off the
   diagonals (rest) and without, each in the order in which kernels are tried. Shared memory and registers are chosen
   for compute capability 9.0; other GPUs use the kernels that fit. bench/results/2026-11-28-tables has the measurements
   that justify each kernel.
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
     Whether every thread also stores the vectors at the columns of its rows' far diagonals and updates them from the
     exchanged products, so that an iteration has two barriers. Otherwise these columns are read from the exchanged
     vectors, with one more barrier for every vector read
  */
  bool recurred = false;
  /*
     Values in shared memory: `threads` of one diagonal a unit, diagonal by diagonal from the main one; -1: whole
     diagonals, as many as fit
  */
  int units = 0;
  int kept  = 0;         /* rows of a thread whose remaining values are hinted to stay in the second-level cache */
  int near = 5, far = 2; /* diagonals known at compile time, default: 7-point grid; -1: any number */
  int ahead = 0;         /* rows of a thread whose values are loaded before a row is summed, if near and far are known */
  int block = 1;         /* unknowns per cell; more: a scaled copy without its unit diagonal, near and far are columns of diagonals */
  /*
     CG: whether x is in global memory, and A p too except for w_shared of a thread's rows, since registers and shared
     memory only hold p and r. No values of the matrix are in shared memory. The main diagonal, which is read
     twice, is hinted to stay in the second-level cache.
  */
  bool wide     = false;
  int  w_shared = 0;
  /*
     Whether there is a second form, for a symmetric matrix whose near diagonals are in pairs. It reads only the upper
     diagonal of each pair: A(row, row - k) is A(row - k, row). The kernel selects the form at run time from a symmetry
     flag. The upper diagonal of the farther pair is stored in shared memory, with the rows before the block that the
     lower one needs. For the nearer pair, whose columns are the adjacent rows, values are exchanged between adjacent
     threads. Units of this form are the main diagonal, the upper one of the nearer pair, and the far ones.
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

  /* The whole matrix in shared memory, vectors recurred */
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

/* Data of a kernel for planning; methods, whose headers define how a kernel is made of List::kernels[I] */
struct BdiaghPersistentKernel;
struct BdiaghPersistentCg;
struct BdiaghPersistentCgOneSum;
struct BdiaghPersistentBcgs;

enum class BdiaghWhere { one, ranks }; /* GPUs: one, or several of one rank each */
/* rest: also off the diagonals; their columns reduce the shared memory for values */
enum class BdiaghEntries { diagonals, remainder };

template <class METHOD, BdiaghWhere WHERE, BdiaghEntries ENTRIES = BdiaghEntries::diagonals>
struct BdiaghPersistentList {
  using Kernel                    = BdiaghPersistentKernel;
  using Method                    = METHOD;
  using Row                       = BdiaghPersistentRow;
  static constexpr bool ranks     = WHERE == BdiaghWhere::ranks;
  static constexpr bool remainder = ENTRIES == BdiaghEntries::remainder;
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

/* Notes on the choices below, H200 */

/*
   One row: 288 threads, so that the last warp computes the scalars during the loads, 6 % faster than 256. Two forms at
   12 to 16 rows: 16 rows with half_ahead 2 10 % faster than with 0; at 8 and 17 rows they gain at most 3 %. Values that
   are not kept are hinted to be evicted first: 13 % faster at 1.0M rows than ordinary loads. In memory: 512 threads
   with 32 rows 5 to 9 % faster than 384 with 42; one place for p, x not cached.
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
   17 rows: units leave room for the columns of some thousand entries; ahead 3 is 9 % faster than 0; two forms gain
   nothing
*/
struct BdiaghCgRemainder : BdiaghPersistentList<BdiaghPersistentCg, BdiaghWhere::one, BdiaghEntries::remainder> {
  static constexpr Row kernels[] = {Row::carried(4),
                                    Row::carried(6),
                                    Row::exchanged(8).units(42).kept(8),
                                    Row::exchanged(12).units(27).kept(12).half_units(14).half_kept(12),
                                    Row::exchanged(16).units(19).kept(6).half_units(3).half_kept(16).half_ahead(2),
                                    Row::exchanged(17).units(12).kept(6).ahead(3),
                                    Row::carried(4).any(),
                                    Row::exchanged(15).kept(7).any()};
};
/* 16 rows in two forms gain nothing; kernels with 15 and 17 rows in two forms spill registers and are slower */
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
struct BdiaghCgRanksRemainder : BdiaghPersistentList<BdiaghPersistentCg, BdiaghWhere::ranks, BdiaghEntries::remainder> {
  static constexpr Row kernels[] = {Row::carried(4),
                                    Row::carried(5),
                                    Row::exchanged(9).units(45).kept(9),
                                    Row::exchanged(12).units(27).kept(12).half_units(14).half_kept(12),
                                    Row::exchanged(17).units(12).kept(6).ahead(3),
                                    Row::carried(4).any(),
                                    Row::exchanged(8).kept(8).any()};
};

/*
   With one sum per iteration: only if the matrix is in shared memory. Above that size an iteration has further
   barriers,
   and its time is dominated by the matrix; on several ranks with 4 rows per thread it is 12 % slower than with two sums
*/
struct BdiaghCgOneSum : BdiaghPersistentList<BdiaghPersistentCgOneSum, BdiaghWhere::one> {
  static constexpr Row kernels[] = {Row::carried(1).threads(288), Row::carried(4)};
};
struct BdiaghCgOneSumRanks : BdiaghPersistentList<BdiaghPersistentCgOneSum, BdiaghWhere::ranks> {
  static constexpr Row kernels[] = {Row::carried(2)};
};

/*
   15 rows: kept 5 is the fastest of 5, 7, 10, 12. 17 rows: ahead 2 is slower than 0 and 1, since two more vectors in
   registers spill
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
struct BdiaghBcgsRemainder : BdiaghPersistentList<BdiaghPersistentBcgs, BdiaghWhere::one, BdiaghEntries::remainder> {
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
/* 5 rows are no faster than 8, since they spill registers */
struct BdiaghBcgsRanks : BdiaghPersistentList<BdiaghPersistentBcgs, BdiaghWhere::ranks> {
  static constexpr Row kernels[] = {Row::carried(2),
                                    Row::carried(4),
                                    Row::exchanged(9).units(37).kept(9),
                                    Row::exchanged(16).units(6).kept(5),
                                    Row::carried(4).any(),
                                    Row::exchanged(8).kept(8).any()};
};
struct BdiaghBcgsRanksRemainder : BdiaghPersistentList<BdiaghPersistentBcgs, BdiaghWhere::ranks, BdiaghEntries::remainder> {
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
