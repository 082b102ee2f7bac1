/*
   The factors of a cell of a line, and the inverse of a block, by several threads, for host and device. The threads
   share memory for four blocks; the host is a single thread.
*/
#pragma once

#include "../../dense/gauss_jordan.hpp"
#include "../grid/level.hpp"

namespace heptane
{

/* A team of one thread; kernels have teams of several threads with the same interface */
struct GridOneThread {
  static constexpr int lane = 0, lanes = 1;

  HEPTANE_HD void sync() const {}                         /* all have come here */
  HEPTANE_HD bool any(bool value) const { return value; } /* of all that come here */
  /* The largest key(i) of begin, ..., end - 1 */
  template <class F>
  HEPTANE_HD unsigned largest(int begin, int end, F key) const
  {
    unsigned most = 0;

    for (int i = begin; i < end; i++) {
      const unsigned one = key(i);

      if (one > most) most = one;
    }
    return most;
  }
};

/*
   Shared memory in which the threads of a line factor a cell: blocks, row and column of an elimination step,
   permutation of the pivots. B: unknowns of a cell at compile time, or 0
*/
template <int B = 0>
struct GridFactorRoom {
  int     unknowns;
  Scalar *s, *inverse, *ratio, *block, *row, *column; /* inverse: its column order[s] is column s here; ratio: P^-1 s of the previous cell */
  int    *order;

  /* `order` has an even length, because the device compiler reads two numbers at once */
  HEPTANE_HD static constexpr std::size_t bytes(int b)
  {
    return sizeof(Scalar) * (4 * static_cast<std::size_t>(b) * b + 2 * b) + sizeof(int) * static_cast<std::size_t>((b + 3) / 4 * 4);
  }
  HEPTANE_HD GridFactorRoom(Scalar *at, int n)
    : unknowns(n), s(at), inverse(s + n * n), ratio(inverse + n * n), block(ratio + n * n), row(block + n * n), column(row + n),
      order(reinterpret_cast<int *>(column + n))
  {}
  HEPTANE_HD int b() const { return B > 0 ? B : unknowns; }
  /* Entry (p, q) of the product of the inverse with a block */
  HEPTANE_HD Scalar times(const Scalar *of, int p, int q) const
  {
    Scalar sum = 0;

    for (int t = 0; t < b(); t++) sum += inverse[p * b() + t] * of[order[t] * b() + q];
    return sum;
  }
};

/* f(p, q) for the entries of a block that this thread processes */
template <class Team, class F>
HEPTANE_HD void grid_each_entry(int b, const Team &team, F f)
{
  for (int e = team.lane; e < b * b; e += team.lanes) f(e / b, e % b);
}

/* Every pivot is used */
struct GridEveryPivot {
  HEPTANE_HD bool operator()(int, Scalar) const { return true; }
};

/*
   Replaces R.inverse by its inverse, by Gauss-Jordan elimination with partial pivoting. Returns false to all threads if
   it is singular. Call when all threads have stored their entries. usable(row, pivot): whether the pivot in this row of
   the block is used; the row and column of an unused pivot become zero.
*/
template <int B, class Team, class Usable = GridEveryPivot>
HEPTANE_HD bool grid_invert(const GridFactorRoom<B> &R, const Team &team, Usable usable = Usable())
{
  Scalar *const a = R.inverse;
  const int     b = R.b();
  Pivots        pivots(b);

  for (int s = team.lane; s < b; s += team.lanes) R.order[s] = s;
  team.sync();
  for (int k = 0; k < b; k++) {
    const int    p     = lane_of_key(team.largest(k, b, [&](int i) { return pivot_key(a[i * b + k], i); }));
    const Scalar pivot = a[p * b + k], d = usable(R.order[p], pivot) ? Scalar(1) / pivot : Scalar(0);
    pivots.see(k, pivot);
    team.sync(); /* row p is overwritten below */
    for (int s = team.lane; s < b; s += team.lanes) {
      const Scalar above = a[k * b + s], of_pivot = a[p * b + s];

      R.row[s]    = s == k ? d : of_pivot * d;
      R.column[s] = s == p ? a[k * b + k] : a[s * b + k]; /* of row s, after rows k and p are exchanged */
      if (p == k) continue;
      a[p * b + s] = above;
      if (s == k) {
        const int number = R.order[k];

        R.order[k] = R.order[p];
        R.order[p] = number;
      }
    }
    team.sync();
    grid_each_entry(b, team, [&](int i, int s) { a[i * b + s] = i == k ? R.row[s] : (s == k ? Scalar(0) : a[i * b + s]) - R.column[i] * R.row[s]; });
    team.sync();
  }
  return pivots.zero < 0 && pivots.nonfinite < 0 && !pivots.nearly_singular(b);
}

/*
   The factors of the cell at c of a line, as in GridLine::factor(): stores the inverse pivot and its products with the
   couplings along the line. Returns false if the pivot is singular, unless the cell is empty. first: the cell is the
   first of its line
*/
template <int B, class Real, class Team>
HEPTANE_HD bool grid_factor_cell(const GridLevel<Real> &L, std::size_t c, bool first, const GridFactorRoom<B> &R, const Team &team)
{
  const int b         = R.b();
  bool      something = false;

  grid_each_entry(b, team, [&](int p, int q) {
    const Scalar below = L.template entry<B>(grid_below, p, q)[c], above = L.template entry<B>(grid_above, p, q)[c];
    Scalar       sum = L.template entry<B>(grid_pivot, p, q)[c];
    Real         across[4];

    L.template across<B>(L.half, p, q, c, across);
    something |= sum != 0 || below != 0 || above != 0;
    HEPTANE_UNROLL
    for (int side = 0; side < 4; side++) {
      sum -= across[side];
      something |= across[side] != 0;
    }
    R.s[p * b + q]       = sum;
    R.inverse[p * b + q] = above;
    R.block[p * b + q]   = below;
  });
  something = team.any(something);
  grid_each_entry(b, team, [&](int p, int q) {
    Scalar sum = 0;

    for (int t = 0; t < b && !first; t++) sum += R.block[p * b + t] * R.ratio[t * b + q];
    R.s[p * b + q] -= sum;
    R.inverse[p * b + q] = R.s[p * b + q] - R.inverse[p * b + q];
  });
  const bool good = grid_invert(R, team);
  if (!good) grid_each_entry(b, team, [&](int p, int q) { R.inverse[p * b + q] = 0; });
  team.sync();
  grid_each_entry(b, team, [&](int p, int q) {
    R.ratio[p * b + q]                                = R.times(R.s, p, q);
    L.template entry<B>(grid_pivot, p, R.order[q])[c] = static_cast<Real>(R.inverse[p * b + q]);
    L.template entry<B>(grid_below, p, q)[c]          = static_cast<Real>(R.times(R.block, p, q));
  });
  team.sync();
  grid_each_entry(b, team, [&](int p, int q) { R.block[p * b + q] = L.template entry<B>(grid_above, p, q)[c]; });
  team.sync();
  grid_each_entry(b, team, [&](int p, int q) { L.template entry<B>(grid_above, p, q)[c] = static_cast<Real>(R.times(R.block, p, q)); });
  team.sync();
  return good || !something;
}

} // namespace heptane
