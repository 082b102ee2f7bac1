/*
   The persistent kernels in single precision that are compiled, in the form of lists.hpp.
*/
#pragma once

#include "../../mat/bdiagh/format/single_tuning.hpp"
#include "lists.hpp"

namespace heptane
{

/* How one kernel is built. A block has up to threads * rows rows, `rows` of each thread. */
struct BdiaghSingleFields {
  int threads = BdiaghSinglePersistentTuning::threads, rows = 0;
  /* rows of a thread whose far values before (below) and after (above) the main diagonal are stored in shared memory */
  int below = 0, above = 0;
  int stages = 0; /* rows of a thread whose values are in flight, if all values are streamed from memory; else 0 */
};

/* One kernel of a list, by the names of its fields */
struct BdiaghSingleRow : BdiaghSingleFields {
  using Fields = BdiaghSingleFields;

  constexpr BdiaghSingleRow set(int Fields::*field, int value) const
  {
    BdiaghSingleRow row = *this;
    row.*field          = value;
    return row;
  }
  constexpr BdiaghSingleRow        threads(int n) const { return set(&Fields::threads, n); }
  constexpr BdiaghSingleRow        below(int n) const { return set(&Fields::below, n); }
  constexpr BdiaghSingleRow        above(int n) const { return set(&Fields::above, n); }
  static constexpr BdiaghSingleRow on_chip(int rows) { return BdiaghSingleRow().set(&Fields::rows, rows); }
  static constexpr BdiaghSingleRow streamed(int rows, int stages)
  {
    return on_chip(rows).threads(BdiaghSinglePersistentTuning::streamed_threads).set(&Fields::stages, stages);
  }
};

struct BdiaghSingleKernel;
struct BdiaghPersistentSingleCg;
struct BdiaghPersistentSingleBcgs;

template <class METHOD, BdiaghWhere WHERE>
struct BdiaghSingleList {
  using Kernel                = BdiaghSingleKernel;
  using Method                = METHOD;
  using Row                   = BdiaghSingleRow;
  static constexpr bool ranks = WHERE == BdiaghWhere::ranks;
};

/* Symmetric matrices, stored without the lower triangle */
struct BdiaghSingleCg : BdiaghSingleList<BdiaghPersistentSingleCg, BdiaghWhere::one> {
  static constexpr bool upper     = true;
  static constexpr Row  kernels[] = {Row::on_chip(8).below(8).above(8), Row::on_chip(15).below(15).above(15), Row::on_chip(42).above(20).threads(384)};
};
/* 42 rows on two H100 are 4 % slower than a graph */
struct BdiaghSingleCgRanks : BdiaghSingleList<BdiaghPersistentSingleCg, BdiaghWhere::ranks> {
  static constexpr bool upper     = true;
  static constexpr Row  kernels[] = {Row::on_chip(8).below(8).above(8), Row::on_chip(20).below(18).above(20)};
};
struct BdiaghSingleBcgs : BdiaghSingleList<BdiaghPersistentSingleBcgs, BdiaghWhere::one> {
  static constexpr bool upper     = false;
  static constexpr Row  kernels[] = {Row::on_chip(8).below(8).above(8), Row::on_chip(16).above(14), Row::on_chip(18), Row::streamed(42, 3)};
};
struct BdiaghSingleBcgsRanks : BdiaghSingleList<BdiaghPersistentSingleBcgs, BdiaghWhere::ranks> {
  static constexpr bool upper     = false;
  static constexpr Row  kernels[] = {Row::on_chip(8).below(8).above(8), Row::on_chip(16).above(14), Row::on_chip(18)};
};

} // namespace heptane
