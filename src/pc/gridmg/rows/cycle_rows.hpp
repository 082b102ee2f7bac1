/*
   The arithmetic of a cycle, for host and device: the right-hand side of a cell on a line, the recurrences along the
   line, restriction, correction. B: unknowns of a cell.
*/
#pragma once

#include "../grid/level.hpp"

namespace heptane
{

/* Access of a step to x of the columns of the other colour */
template <class Real>
struct GridNeighbours {
  const GridLevel<Real> &L;
  const GridLevel<Real> *coarse; /* its x is added, unless null */

  /* x of component s at place c of L, which is in column (j, i) */
  HEPTANE_HD Real at(std::size_t c, int s, int k, int j, int i) const
  {
    Real x = L.x[s * L.cells + c];

    if (coarse) x += coarse->x[s * coarse->cells + coarse->of_cell(k, j >> L.pair_j, i >> L.pair_i)];
    return x;
  }
};

/* Component s of x of the neighbour at a side of the cell (k, column), zero if there is none */
template <class Real>
HEPTANE_HD Real grid_neighbour(const GridNeighbours<Real> &N, int k, int colour, const GridColumn &C, int side, int s)
{
  const long long neighbour = side == 0 ? C.west : side == 1 ? C.east : side == 2 ? C.south : C.north;
  const int       step = side % 2 ? 1 : -1, j = C.j + (side < 2 ? 0 : step), i = C.i + (side < 2 ? step : 0);

  return neighbour >= 0 ? N.at(N.L.at(k, 1 - colour, 0) + neighbour, s, k, j, i) : Real(0);
}

/* sum -= couplings across the line of the cell at c times x of the neighbours, zero if there is none; packed: L.half,
   or GridPacked */
template <int B, class Real, class Packed>
HEPTANE_HD void grid_subtract(Packed packed, const GridLevel<Real> &L, std::size_t c, const Real (&x)[4][B], Real (&sum)[B])
{
  HEPTANE_UNROLL
  for (int p = 0; p < B; p++) {
    Real a[B][4];

    HEPTANE_UNROLL
    for (int s = 0; s < B; s++) L.template across<B>(packed, p, s, c, a[s]);
    HEPTANE_UNROLL
    for (int side = 0; side < 4; side++) {
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) sum[p] -= a[s][side] * x[side][s];
    }
  }
}

/* g = P^-1 (b - couplings across the line times x), the right-hand side of the recurrence. zero: x of the other colour
   is zero */
template <int B, class Real>
HEPTANE_HD void grid_line_rhs(const GridNeighbours<Real> &N, bool zero, int k, int colour, std::size_t column, const GridColumn &C, Real (&g)[B])
{
  const GridLevel<Real> &L = N.L;
  const std::size_t      c = L.at(k, colour, column);
  Real                   r[B];

  HEPTANE_UNROLL
  for (int p = 0; p < B; p++) r[p] = L.b[p * L.cells + c];
  if (!zero) {
    Real x[4][B];

    HEPTANE_UNROLL
    for (int side = 0; side < 4; side++) {
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) x[side][s] = grid_neighbour(N, k, colour, C, side, s);
    }
    grid_subtract<B>(L.half, L, c, x, r);
  }
  HEPTANE_UNROLL
  for (int p = 0; p < B; p++) {
    g[p] = 0;
    HEPTANE_UNROLL
    for (int s = 0; s < B; s++) g[p] += L.template entry<B>(grid_pivot, p, s)[c] * r[s];
  }
}

/* z = g - (factor in `slot` at c) z of the previous cell, or of the next one */
template <int B, class Real>
HEPTANE_HD void grid_line_step(const GridLevel<Real> &L, int slot, std::size_t c, const Real (&before)[B], Real (&z)[B])
{
  HEPTANE_UNROLL
  for (int p = 0; p < B; p++) {
    HEPTANE_UNROLL
    for (int s = 0; s < B; s++) z[p] -= L.template entry<B>(slot, p, s)[c] * before[s];
  }
}

/* f(c, sides) for the red cells of F in layer k of the aggregate that is a cell of C's column `at`: index of the cell,
   and indices of the neighbours across, -1 if there is none */
template <class Real, class F>
HEPTANE_HD void grid_each_red(const GridLevel<Real> &L, const GridColumn &at, int k, F f)
{
  const int i0 = L.pair_i ? 2 * at.i : at.i, j0 = L.pair_j ? 2 * at.j : at.j;
  const int i1 = L.pair_i && i0 + 1 < L.I ? i0 + 1 : i0, j1 = L.pair_j && j0 + 1 < L.J ? j0 + 1 : j0;

  for (int j = j0; at.exists && j <= j1; j++)
    for (int i = i0 + ((i0 + j) & 1); i <= i1; i += 2) {
      const std::size_t column = static_cast<std::size_t>(j) * L.H + (i >> 1);
      const GridColumn  red(L, 0, column);
      const long long   black = static_cast<long long>(L.at(k, 1, 0)), none = -1;
      const long long   sides[] = {red.west < 0 ? none : black + red.west, red.east < 0 ? none : black + red.east, red.south < 0 ? none : black + red.south,
                                 red.north < 0 ? none : black + red.north};

      f(L.at(k, 0, column), sides);
    }
}

/*
   The right-hand side of a cell of C, the next coarser level of F: the sum of the residuals of its cells. The residual
   is zero in black columns, which were solved last. In red columns, which were solved before, it follows from the
   change of x in black ones. change: of x, null if x was zero. packed: F.half, or GridPacked.
*/
template <int B, class Real, class Packed>
HEPTANE_HD void grid_restrict(Packed packed, const GridLevel<Real> &F, const GridLevel<Real> &C, const Real *change, int k, int colour, std::size_t column)
{
  const GridColumn at(C, colour, column);
  const Real      *d      = change ? change : F.x;
  Real             sum[B] = {};

  grid_each_red(F, at, k, [&](std::size_t c, const long long(&sides)[4]) {
    Real x[4][B];

    HEPTANE_UNROLL
    for (int side = 0; side < 4; side++) {
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) x[side][s] = sides[side] >= 0 ? d[s * F.cells + sides[side]] : Real(0);
    }
    grid_subtract<B>(packed, F, c, x, sum);
  });
  HEPTANE_UNROLL
  for (int p = 0; p < B; p++) C.b[p * C.cells + C.at(k, colour, column)] = sum[p];
}

/* x += x of the next level, at a cell */
template <int B, class Real>
HEPTANE_HD void grid_prolong(const GridLevel<Real> &F, const GridLevel<Real> &C, int k, int colour, std::size_t column)
{
  const GridColumn  at(F, colour, column);
  const std::size_t c = F.at(k, colour, column);

  if (!at.exists) return;
  HEPTANE_UNROLL
  for (int p = 0; p < B; p++) F.x[p * F.cells + c] += C.x[p * C.cells + C.of_cell(k, at.j >> F.pair_j, at.i >> F.pair_i)];
}

/* The index of a cell of the finest level in the vectors of the solver */
struct GridNatural {
  std::size_t stride[3]; /* in cells, along k, j, i */

  HEPTANE_HD std::size_t cell(int k, int j, int i) const { return k * stride[0] + j * stride[1] + i * stride[2]; }
};

/* b of the finest level from the solver, and y of the solver; its matrix is the matrix of the levels divided by
   `scale` */
template <int B, class Real>
HEPTANE_HD void grid_import(const GridLevel<Real> &L, const GridNatural &at, const Scalar *r, int k, int colour, std::size_t column)
{
  const GridColumn C(L, colour, column);

  for (int p = 0; p < B; p++) L.b[p * L.cells + L.at(k, colour, column)] = C.exists ? static_cast<Real>(r[at.cell(k, C.j, C.i) * B + p]) : Real(0);
}
template <int B, class Real>
HEPTANE_HD void grid_export(const GridLevel<Real> &L, const GridNatural &at, Scalar scale, Scalar *y, int k, int colour, std::size_t column)
{
  const GridColumn C(L, colour, column);

  if (!C.exists) return;
  for (int p = 0; p < B; p++) y[at.cell(k, C.j, C.i) * B + p] = scale * static_cast<Scalar>(L.x[p * L.cells + L.at(k, colour, column)]);
}

} // namespace heptane
