/*
   Lines with remainder entries (wells along the line) that are solved exactly by the inverse of their whole matrix:
   storage of these lines and inverses, and the steps of a cycle for them, for host and device. Row k B + p of such a
   line is component p of its cell k. Passed to kernels by value; uses no PETSc objects.
*/
#pragma once

#include "../grid/remainder.hpp"
#include "cycle_rows.hpp"

namespace heptane
{

/* Lines with an inverse on a level */
template <class Real>
struct GridDense {
  int        lines = 0, reds = 0, n = 0; /* lines of red columns are first; n: rows of a line */
  const int *line            = nullptr;  /* [2 * columns of a colour], red ones first: the number of a column's line here, -1: it has no inverse */
  const int *column          = nullptr;  /* [lines] the columns, as `line` counts them */
  const int *remainder_index = nullptr;  /* [lines * n] the number of a row among the rows with remainder entries, -1: it has none */
  Real      *inverse         = nullptr;  /* [lines * n * n], row by row */
  int        number          = 0;        /* number of the first line among the lines of all levels */

  HEPTANE_HD int   first(int colour) const { return colour ? reds : 0; }
  HEPTANE_HD int   last(int colour) const { return colour ? lines : reds; }
  std::size_t      reals() const { return static_cast<std::size_t>(lines) * n * n; }
  HEPTANE_HD Real *row(int line, int i) const { return inverse + (static_cast<std::size_t>(line) * n + i) * n; }
};

/* Whether a column has an inverse; line: see GridDense, null: there is none */
template <class Real>
HEPTANE_HD bool grid_has_inverse(const GridLevel<Real> &L, const int *line, int colour, std::size_t column)
{
  return line && line[colour * L.columns + column] >= 0;
}

/* Row p of the right-hand side of the cell (k, column) of a line: b - couplings across the line times x, as in
   grid_line_rhs() before the multiplication by the pivot; packed: L.half, or GridPacked */
template <int B, class Real, class Packed>
HEPTANE_HD Real grid_dense_right_side(Packed packed, const GridNeighbours<Real> &N, bool zero, int k, int colour, std::size_t column, const GridColumn &C,
                                      int p, Real b)
{
  const std::size_t c = N.L.at(k, colour, column);

  if (zero) return b;
  HEPTANE_UNROLL
  for (int s = 0; s < B; s++) {
    Real a[4];

    N.L.template across<B>(packed, p, s, c, a);
    HEPTANE_UNROLL
    for (int side = 0; side < 4; side++) b -= a[side] * grid_neighbour(N, k, colour, C, side, s);
  }
  return b;
}

/* The part of a row of the inverse that this thread loads: constant during a cycle, so it may be loaded before a step
   begins. product() returns a partial sum, to be added over the threads. */
template <class Real>
struct GridDenseRow {
  static constexpr int most = 8;
  const Real          *row;
  int                  first, n, lanes;
  Real                 value[most];

  HEPTANE_HD void load(const Real *of, int length, bool has, GridLane lane)
  {
    row   = of;
    first = lane.lane;
    lanes = lane.lanes;
    n     = has ? length : 0;
    HEPTANE_UNROLL
    for (int q = 0; q < most; q++) value[q] = first + q * lanes < n ? row[first + q * lanes] : Real(0);
  }
  HEPTANE_HD Real product(const Real *r) const
  {
    Real sum = 0;

    HEPTANE_UNROLL
    for (int q = 0; q < most; q++)
      if (first + q * lanes < n) sum += value[q] * r[first + q * lanes];
    for (int j = first + most * lanes; j < n; j += lanes) sum += row[j] * r[j];
    return sum;
  }
};

/* x of row i, and its change if the step stores it */
template <int B, class Real>
HEPTANE_HD void grid_dense_store(const GridLevel<Real> &L, bool change, int colour, std::size_t column, int i, Real x)
{
  const std::size_t to = i % B * L.cells + L.at(i / B, colour, column);

  if (change) L.d[to] = x - L.x[to];
  L.x[to] = x;
}

} // namespace heptane
