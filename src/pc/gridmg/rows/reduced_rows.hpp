/*
   CG without red columns, one unknown per cell, arithmetic of a cell for host and device. A cycle ends with an exact
   solution of red columns, so residuals that are zero there stay zero, and the vectors of CG have black columns only.
   z has the precision of the cycle on black columns. On red columns it is computed in the precision of the solver, from
   the matrix, because products assume that it is exact. Both are stored here and not in the level, because the
   preconditioner may be applied between two iterations, for example by the first convergence test of PETSc.
*/
#pragma once

#include "cycle_rows.hpp"
#include "setup_rows.hpp"

namespace heptane
{

template <class Real>
struct GridReduced {
  /* the matrix: factors of lines in red columns, entries in black ones, with the diagonal in grid_pivot. x: z on red
     columns */
  GridLevel<Scalar> exact;
  GridLevel<Real>   level;
  GridNatural       natural;
  Scalar            scale = 1;                                             /* z is the level's z times this */
  Scalar           *r = nullptr, *w = nullptr, *p = nullptr, *x = nullptr; /* [black places] */
  Real             *z = nullptr;                                           /* [black places], without the scale */
  /* columns of each colour that enter the sums: in a slab the columns of its own rows */
  std::size_t owned_first = 0, owned_columns = 0;
  std::size_t first = 0, count = 0; /* columns of a launch: see Within() */

  HEPTANE_HD std::size_t black(int k, std::size_t column) const { return static_cast<std::size_t>(k) * exact.columns + column; }
  HEPTANE_HD std::size_t cell(int k, const GridColumn &C) const { return natural.cell(k, C.j, C.i); }
  /* For own rows and this number of overlap rows on each side */
  GridReduced Within(int overlap) const
  {
    const std::size_t more = static_cast<std::size_t>(overlap) * exact.H, end = owned_first + owned_columns + more;
    GridReduced       R = *this;

    R.first = owned_first > more ? owned_first - more : 0;
    R.count = (end < exact.columns ? end : exact.columns) - R.first;
    return R;
  }
  HEPTANE_HD bool owns(std::size_t column) const { return column - owned_first < owned_columns; }
};

/* Sum of the couplings across times value(index, column) of the neighbours, which have the other colour. If there is no
   neighbour, the coupling is zero and an existing cell is read. */
template <class F>
HEPTANE_HD Scalar grid_neighbour_sum(const GridLevel<Scalar> &E, int k, int colour, std::size_t column, const GridColumn &C, F value)
{
  const std::size_t c = E.at(k, colour, column), other = E.at(k, 1 - colour, 0);
  const long long   neighbour[] = {C.west, C.east, C.south, C.north};
  Scalar            a[4], v[4], sum = 0;

  HEPTANE_UNROLL
  for (int side = 0; side < 4; side++) {
    const std::size_t across = neighbour[side] >= 0 ? static_cast<std::size_t>(neighbour[side]) : column;

    a[side] = E.entry<1>(grid_west + side, 0, 0)[c];
    v[side] = value(other + across, across);
  }
  HEPTANE_UNROLL
  for (int side = 0; side < 4; side++) sum += a[side] * v[side];
  return sum;
}

/* w = A z + b w, p = z + b p of a black cell. Returns its contribution to (p, w). b = 0: w and p are uninitialised. */
template <class Real>
HEPTANE_HD Scalar grid_reduced_product(const GridReduced<Real> &R, Scalar b, int k, std::size_t column, const GridColumn &C)
{
  const GridLevel<Scalar> &E = R.exact;
  const std::size_t        c = E.at(k, 1, column), at = R.black(k, column);
  const std::size_t        before = k > 0 ? at - E.columns : at, after = k + 1 < E.K ? at + E.columns : at; /* couplings beyond the ends are zero */
  const Scalar             old_w = b != Scalar(0) ? R.w[at] : Scalar(0), old_p = b != Scalar(0) ? R.p[at] : Scalar(0);
  const Scalar             z = R.scale * static_cast<Scalar>(R.z[at]), below = R.scale * static_cast<Scalar>(R.z[before]);
  const Scalar             above = R.scale * static_cast<Scalar>(R.z[after]);
  Scalar                   w     = E.entry<1>(grid_pivot, 0, 0)[c] * z + E.entry<1>(grid_below, 0, 0)[c] * below + E.entry<1>(grid_above, 0, 0)[c] * above;

  w += grid_neighbour_sum(E, k, 1, column, C, [&](std::size_t place, std::size_t) { return E.x[place]; });
  const Scalar new_w = w + b * old_w, new_p = z + b * old_p;
  R.w[at] = new_w;
  R.p[at] = new_p;
  return new_p * new_w;
}

/* x += a p, r -= a w of a black cell. load() is separate, so that loads of several cells are in flight. */
struct GridUpdate {
  Scalar r, w, p, x;

  template <class Real>
  HEPTANE_HD void load(const GridReduced<Real> &R, std::size_t at)
  {
    r = R.r[at];
    w = R.w[at];
    p = R.p[at];
    x = R.x[at];
  }
  template <class Real>
  HEPTANE_HD void store(const GridReduced<Real> &R, Scalar a, std::size_t at)
  {
    r -= a * w;
    R.r[at] = r;
    R.x[at] = x + a * p;
  }
};

/* The right-hand side of a red cell that makes its residual zero: less its couplings times z */
template <class Real>
HEPTANE_HD Scalar grid_red_of_z(const GridReduced<Real> &R, int k, std::size_t column, const GridColumn &C)
{
  return -grid_neighbour_sum(R.exact, k, 0, column, C, [&](std::size_t, std::size_t beside) { return R.scale * static_cast<Scalar>(R.z[R.black(k, beside)]); });
}
/* ... at the start: the residual; at the end: the residual less the couplings times the increment of x on black
   columns */
template <class Real>
HEPTANE_HD Scalar grid_red_of_r(const GridReduced<Real> &R, const Scalar *r, int k, const GridColumn &C)
{
  return C.exists ? r[R.cell(k, C)] : Scalar(0);
}
template <class Real>
HEPTANE_HD Scalar grid_red_of_x(const GridReduced<Real> &R, const Scalar *r, int k, std::size_t column, const GridColumn &C)
{
  return grid_red_of_r(R, r, k, C) - grid_neighbour_sum(R.exact, k, 0, column, C, [&](std::size_t, std::size_t beside) { return R.x[R.black(k, beside)]; });
}

/* The start on black columns, after red lines have been solved for their residual (into exact.x): r less the couplings
   times this solution. The residual of the solver is not changed. */
template <class Real>
HEPTANE_HD Scalar grid_reduced_start(const GridReduced<Real> &R, const Scalar *r, int k, std::size_t column, const GridColumn &C)
{
  const Scalar there = C.exists ? r[R.cell(k, C)] : Scalar(0);

  return there - grid_neighbour_sum(R.exact, k, 1, column, C, [&](std::size_t place, std::size_t) { return R.exact.x[place]; });
}

/* The end at a cell of the solver: x = before + more; `left` is the remaining residual */
HEPTANE_HD void grid_reduced_finish(std::size_t cell, Scalar before, Scalar more, Scalar left, Scalar *x, Scalar *r)
{
  x[cell] = before + more;
  r[cell] = left;
}

/* A cell of `exact` from the unscaled matrix; factors are computed later. Couplings to fixed cells (grid_fixed()) are
   omitted: the residual is zero there. */
template <class Real>
HEPTANE_HD void grid_reduced_load(const GridMatrix &A, const GridReduced<Real> &R, int k, int colour, std::size_t column)
{
  const GridLevel<Scalar> &E = R.exact;
  const GridColumn         C(E, colour, column);

  (void)grid_load_cell<1>(A, E, k, colour, column); /* faults were found in the precision of the cycle */
  if (colour && C.exists) E.entry<1>(grid_pivot, 0, 0)[E.at(k, colour, column)] = A.at<1>(0, A.cell(k, C.j, C.i), 0, 0);
}

/* The same while the finest level of the cycle is loaded from the scaled matrix; returns the faults of the scaled
   matrix */
template <class Real>
HEPTANE_HD unsigned grid_reduced_load_both(const GridMatrix &A, const GridReduced<Real> &R, int k, int colour, std::size_t column)
{
  const GridLevel<Scalar> &E  = R.exact;
  const Scalar             by = 1 / A.scale;

  return grid_load_cell<1>(A, R.level, k, colour, column, [&](std::size_t to, const Scalar(&value)[grid_slots], Scalar sum) {
    HEPTANE_UNROLL
    for (int slot = 0; slot < grid_pivot; slot++) E.entry<1>(slot, 0, 0)[to] = by * value[slot];
    E.entry<1>(grid_pivot, 0, 0)[to] = by * (colour ? value[grid_pivot] : sum);
  });
}

} // namespace heptane
