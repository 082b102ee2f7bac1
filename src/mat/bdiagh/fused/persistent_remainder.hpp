/*
   The remainder of the rows of each block of a persistent kernel. A block's window of a vector is extended by the
   columns of its remainder outside the window. Long rows are cut into pieces, a warp per piece; a row of a few entries
   is summed by its thread. Planned on the host for one distribution of rows to blocks; the arithmetic is for host and
   device. No PETSc objects.
*/
#pragma once

#include "../format/bdiagh.hpp"
#include "persistent_cut.hpp"
#include "persistent_tuning.hpp"
#include <vector>

namespace heptane
{

/* How the rows are cut, and how many columns more the window of a block has on either side of its rows */
struct BdiaghWindow {
  BdiaghCut cut;
  int       below, above;

  bool operator==(const BdiaghWindow &w) const { return cut == w.cut && below == w.below && above == w.above; }
  /* The index of the first extra column, the same in all blocks: after the window of a block with the most rows */
  int extras() const { return below + cut.chunk + above; }
};

/* The most that a block has */
struct BdiaghRemainderSizes {
  int rows = 0, pieces = 0, extras = 0, entries = 0;
};

/*
   Rows and entries are numbered as in the list of the remainder, so that a block's are consecutive. Block b has the
   rows list[b] .. list[b + 1] - 1, the pieces piece[b] .. piece[b + 1] - 1 and the extra columns
   extra[b] .. extra[b + 1] - 1. Row k has the entries row_ptr[k] .. row_ptr[k + 1] - 1 and, unless its thread sums it,
   the pieces row_piece[k] .. row_piece[k + 1] - 1; piece i has the entries piece_ptr[2 i] .. piece_ptr[2 i + 1] - 1.
   Entry p has place place[p] in its block's window, whose extra columns begin at window.extras(). Bit row % 32 of
   exported[row / 32] says whether the row is an extra column of some block; such rows are numbered, exported_before[k]
   of them precede row 32 k, and extra column e has the number extra_number[e].
*/
struct BdiaghRemainderPlan {
  BdiaghWindow         window;
  BdiaghRemainderSizes most;
  std::vector<int>     list, piece, extra, row_ptr, row_piece, piece_ptr, extra_col, place, exported, exported_before, extra_number;
  int                  exported_rows = 0;
};

/* row[] ascending; row[k] has the columns col[ptr[k]] .. */
BdiaghRemainderPlan bdiagh_plan_remainder(const BdiaghWindow &window, const std::vector<int> &row, const std::vector<int> &ptr, const std::vector<int> &col);

/* A plan for use in a kernel */
struct BdiaghPersistentRemainder {
  const int           *row, *list, *piece, *extra, *row_ptr, *row_piece, *piece_ptr, *extra_col, *place, *exported, *exported_before, *extra_number;
  const Scalar        *values;
  BdiaghRemainderSizes most;
  int                  exported_rows;
  int                  kept; /* most.entries if a block's entries are in shared memory, else 0 */
};

/* Bytes of shared memory for that: sums of pieces, values, then the integers */
inline std::size_t bdiagh_remainder_bytes(const BdiaghRemainderSizes &most, int kept)
{
  const std::size_t scalars  = sizeof(Scalar) * (1ul * most.pieces + kept),
                    integers = sizeof(int) * (1ul * kept + most.extras + 2ul * most.pieces + 3ul * most.rows + 3);

  return (scalars + integers + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

/* A block's data of the remainder */
struct BdiaghBlockRemainder {
  int           rows, pieces, extras;
  Scalar       *sums;      /* [pieces] */
  const Scalar *values;    /* of the block's entries */
  const int    *place;     /* of the block's entries */
  const int    *extra;     /* [extras] extra_number of these columns */
  const int    *piece_ptr; /* [2 pieces] first entry and end */
  const int    *row_ptr;   /* [rows + 1], from 0 on */
  const int    *row_piece; /* [rows + 1], from 0 on */
  const int    *row;       /* [rows], from the block's first row on */
};

/* Copies the part of block b to shared[], each of `threads` callers its share; complete after all calls. One of them
   keeps the returned value. */
HEPTANE_HD BdiaghBlockRemainder bdiagh_load_remainder(const BdiaghPersistentRemainder &R, int b, int start, Scalar *shared, int thread, int threads)
{
  const int first = R.list[b], rows = R.list[b + 1] - first, piece = R.piece[b], pieces = R.piece[b + 1] - piece, extra = R.extra[b],
            extras = R.extra[b + 1] - extra, entry = R.row_ptr[first], entries = R.row_ptr[first + rows] - entry;
  Scalar *values = shared + R.most.pieces;
  int    *place = reinterpret_cast<int *>(values + R.kept), *number = place + R.kept, *piece_ptr = number + R.most.extras,
      *row_piece = piece_ptr + 2 * R.most.pieces, *row_ptr = row_piece + R.most.rows + 1, *row = row_ptr + R.most.rows + 1;

  for (int e = thread; e < rows; e += threads) row[e] = R.row[first + e] - start;
  for (int e = thread; e <= rows; e += threads) {
    row_ptr[e]   = R.row_ptr[first + e] - entry;
    row_piece[e] = R.row_piece[first + e] - piece;
  }
  for (int e = thread; e < 2 * pieces; e += threads) piece_ptr[e] = R.piece_ptr[2 * piece + e] - entry;
  for (int e = thread; e < extras; e += threads) number[e] = R.extra_number[extra + e];
  if (R.kept) {
    for (int e = thread; e < entries; e += threads) {
      values[e] = R.values[entry + e];
      place[e]  = R.place[entry + e];
    }
  }
  return {rows, pieces, extras, shared, R.kept ? values : R.values + entry, R.kept ? place : R.place + entry, number, piece_ptr, row_ptr, row_piece, row};
}

/* A lane's part of the sum of a piece; window: of the vector */
HEPTANE_HD Scalar bdiagh_piece_share(const BdiaghBlockRemainder &B, const Scalar *window, int piece, int lane)
{
  const int first = B.piece_ptr[2 * piece] + lane, end = B.piece_ptr[2 * piece + 1];
  Scalar    sum = 0;

  HEPTANE_UNROLL
  for (int i = 0; i < BdiaghPersistentTuning::piece_entries / 32; i++) {
    const int p = first + 32 * i;
    if (p < end) sum += B.values[p] * window[B.place[p]];
  }
  return sum;
}

/* The remainder's contribution to a row of the list, `row` rows after the block's first; requires the sums of the
   pieces */
HEPTANE_HD Scalar bdiagh_remainder_of_row(const BdiaghBlockRemainder &B, const Scalar *window, int row)
{
  int    k   = 0;
  Scalar sum = 0;

  HEPTANE_ROLLED
  for (int above = B.rows; above - k > 1;) { /* row[k] <= row < row[above] */
    const int middle = (k + above) / 2;
    if (B.row[middle] <= row) k = middle;
    else above = middle;
  }
  if (B.row_piece[k] == B.row_piece[k + 1]) {
    HEPTANE_ROLLED
    for (int p = B.row_ptr[k]; p < B.row_ptr[k + 1]; p++) sum += B.values[p] * window[B.place[p]];
  }
  HEPTANE_ROLLED
  for (int i = B.row_piece[k]; i < B.row_piece[k + 1]; i++) sum += B.sums[i];
  return sum;
}

/* Bit q says whether row thread + q * threads of the block has a remainder */
HEPTANE_HD unsigned bdiagh_rows_with_remainder(const BdiaghBlockRemainder &B, int thread, int threads)
{
  unsigned mine = 0;

  HEPTANE_ROLLED
  for (int k = 0; k < B.rows; k++)
    if (B.row[k] % threads == thread) mine |= 1u << B.row[k] / threads;
  return mine;
}

/* Bit q says whether row start + thread + q * threads, of the block's first `rows` rows, is an extra column of some
   block */
template <int PLACES>
HEPTANE_HD unsigned bdiagh_exported_rows(const int *exported, int start, int rows, int thread, int threads)
{
  unsigned mine = 0;

  for (int q = 0; q < PLACES; q++) {
    const int l = thread + q * threads, row = start + l;
    if (l < rows && exported[row / 32] >> row % 32 & 1) mine |= 1u << q;
  }
  return mine;
}

HEPTANE_HD int bdiagh_bits_of(unsigned word)
{
#if defined(__CUDA_ARCH__)
  return __popc(word);
#else
  return __builtin_popcount(word);
#endif
}

/* The number of a row that is an extra column of some block */
HEPTANE_HD int bdiagh_exported_index(const int *exported, const int *before, int row)
{
  return before[row / 32] + bdiagh_bits_of(static_cast<unsigned>(exported[row / 32]) & ((1u << row % 32) - 1));
}

} // namespace heptane
