/*
   The arithmetic of the inverses of dense.hpp, for host and device: a row of the matrix of a line, and its elimination
   by blocks of rows: Gauss-Jordan with partial pivoting within a block, in the precision of the matrix. Threads share
   the work by GridLane, or as a team of factor_rows.hpp.
*/
#pragma once

#include "dense.hpp"
#include "factor_rows.hpp"
#include "setup_rows.hpp"

namespace heptane
{

/* Row k b + p of the matrix of a line, zero on entry: the blocks of its cell, before lines are factored */
template <class Real>
HEPTANE_HD void grid_dense_line_row(const GridLevel<Real> &L, int colour, std::size_t column, int k, int p, Scalar *row, GridLane of)
{
  const std::size_t c = L.at(k, colour, column);
  const int         b = L.unknowns;

  for (int s = of.lane; s < b; s += of.lanes) {
    const Scalar below = L.template entry<0>(grid_below, p, s)[c], above = L.template entry<0>(grid_above, p, s)[c];
    Scalar       diagonal = L.template entry<0>(grid_pivot, p, s)[c];
    Real         across[4];

    L.template across<0>(L.half, p, s, c, across);
    HEPTANE_UNROLL
    for (int side = 0; side < 4; side++) diagonal -= across[side];
    row[k * b + s] = diagonal - below - above;
    if (k > 0) row[(k - 1) * b + s] = below;
    if (k + 1 < L.K) row[(k + 1) * b + s] = above;
  }
}

/* Adds the remainder entries of the row, if it has some: r is its number among the rows of K. Call when all threads
   have stored the row. */
template <class Real>
HEPTANE_HD void grid_dense_remainder_row(const GridLevel<Real> &L, const GridRemainder<Real> &K, int r, Scalar *row, GridLane of)
{
  const std::int64_t cells = static_cast<std::int64_t>(L.cells);
  const unsigned     layer = 2 * static_cast<unsigned>(L.columns); /* indices of cells fit in 32 bits, indices of components need 64 */

  for (int e = K.ptr[r] + of.lane; e < K.ptr[r + 1]; e += of.lanes) {
    std::int64_t c = K.col[e];
    int          p = 0;

    for (; c >= cells; p++) c -= cells;
    row[static_cast<unsigned>(c) / layer * static_cast<unsigned>(L.unknowns) + p] += K.value[e];
  }
}

/* The sum of magnitudes of its entries, the reference for small pivots */
HEPTANE_HD Scalar grid_dense_row_size(const Scalar *row, int n, GridLane of)
{
  Scalar size = 0;

  for (int j = of.lane; j < n; j += of.lanes) size += std::fabs(row[j]);
  return size;
}

/* Rows first, ..., first + width - 1 of a line's matrix of n rows are eliminated together */
struct GridDenseStep {
  int n, first, width;

  /* The first step, of whole cells of b unknowns and at most `most` rows, and the next one; width 0: none */
  static GridDenseStep Begin(int n, int b, int most) { return {n, 0, n < most / b * b ? n : most / b * b}; }
  void                 Next()
  {
    first += width;
    if (width > n - first) width = n - first;
  }
  HEPTANE_HD bool has(int i) const { return i >= first && i < first + width; }
};

/*
   Computes in R.block the inverse of the block of a step, whose entries are in R.inverse. A pivot at rounding level of
   its row is skipped: its unknown and its contributions are zero, as for one cell of a singular system. size: of the
   rows of the block. Returns the number of skipped pivots. Call when all threads have stored their entries; R.block is
   visible to them after sync().
*/
template <class Team>
HEPTANE_HD int grid_dense_invert(const GridFactorRoom<> &R, const Scalar *size, const Team &team)
{
  int left_out = 0;

  (void)grid_invert(R, team, [&](int row, Scalar pivot) {
    const bool out = std::fabs(pivot) <= 16 * dense_epsilon * size[row]; /* false for NaN */

    left_out += out;
    return !out;
  });
  grid_each_entry(R.b(), team, [&](int i, int s) { R.block[i * R.b() + R.order[s]] = R.inverse[i * R.b() + s]; });
  return left_out;
}

/* Entry j of row t of a step, after the step, from column j of the rows of the step before it. Any other row becomes
   `before` minus the sum of its entries in the columns of the step times these; `before` is zero in these columns. */
template <class Row>
HEPTANE_HD Scalar grid_dense_step_entry(const GridDenseStep &s, const Scalar *block, int t, int j, Row before)
{
  Scalar sum = 0;

  if (s.has(j)) return block[t * s.width + j - s.first];
  for (int u = 0; u < s.width; u++) sum += block[t * s.width + u] * before(u);
  return sum;
}

/* An entry of the inverse in the precision of the cycle; out of range: zero, and *finite becomes false */
template <class Real>
HEPTANE_HD Real grid_dense_round(Scalar value, bool *finite)
{
  if (std::fabs(value) <= static_cast<Scalar>(grid_largest<Real>)) return static_cast<Real>(value);
  *finite = false;
  return 0;
}

} // namespace heptane
