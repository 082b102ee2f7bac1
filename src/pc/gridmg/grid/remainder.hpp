/*
   Remainder entries: the entries of a level outside its seven block diagonals (wells, faults). Their lists, made once
   per pattern, and their arithmetic, for host and device. Remainder entries are part of every residual. On the next
   level, remainder entries within an aggregate vanish, remainder entries between neighbours are added to the diagonals,
   and all other entries stay. Before a line is solved, the product of its remainder entries with the current x is
   subtracted from its right-hand side (balance). `b` keeps the right-hand side of the cycle.
*/
#pragma once

#include "level.hpp"
#include <cstdint>
#include <vector>

namespace heptane
{

/* Sums of sources: target t, at place[t], is the sum of source[ptr[t]] .. source[ptr[t + 1] - 1] in this order */
struct GridSums {
  int                 count = 0;
  const std::int64_t *place = nullptr;
  const int          *ptr = nullptr, *source = nullptr;
};

template <class Real>
struct GridRemainder {
  int                 rows = 0, reds = 0, entries = 0; /* remainder entries of red columns are first */
  bool                closed = false;                  /* the entries lead only to rows that have some, as entries of wells do */
  const std::int64_t *row = nullptr, *col = nullptr;   /* places in vectors of the level */
  const int          *ptr   = nullptr;
  Real               *value = nullptr; /* [entries] */
  Real               *b     = nullptr; /* [rows] */
  /* from the previous level, on the finest level from the matrix */
  GridSums values;     /* values of this level: sums of values of the previous level */
  GridSums blocks;     /* entries of coef to which remainder entries of the previous level are added */
  GridSums right_side; /* entries of b to which residuals of remainder rows of the previous level are added */
};

/* GridSums in host memory, in which it is built */
struct GridSumsList {
  std::vector<std::int64_t> place;
  std::vector<int>          ptr{0}, source;

  GridSums View() const { return {static_cast<int>(place.size()), place.data(), ptr.data(), source.data()}; }
};
struct GridRemainderList {
  std::vector<std::int64_t> row, col;
  std::vector<int>          ptr{0};
  int                       reds = 0;
  GridSumsList              values, blocks, right_side;
};

/* A scalar row or column of a level: component, and cell in the grid */
struct GridPlace {
  int component, k, j, i;
};
/* An entry of a level: from place to place; it has the number of its source */
struct GridEntry {
  GridPlace row, col;
};

/* The remainder entries of a level from its entries; coarse: `entries` are the remainder entries of the previous level,
   some of which become part of the blocks of this one. remainder: the entries of the level, in the order of col[] */
GridRemainderList grid_remainder_level(const GridLevel<float> &L, int B, const std::vector<GridEntry> &entries, bool coarse, std::vector<GridEntry> *remainder);
/* Entries of F restricted to the next level */
std::vector<GridEntry> grid_coarse_entries(const GridLevel<float> &F, const std::vector<GridEntry> &entries);
/* Targets of the residuals of the remainder rows of F in the right-hand side of C */
GridSumsList grid_remainder_residuals(const GridLevel<float> &F, const GridLevel<float> &C, const GridRemainderList &remainder);

/*
   A row of a well has a remainder entry for each cell of the well, so the remainder entries of a row are divided among
   `lanes` threads; `lane` is the number of this one. The host has one lane. Functions return partial sums, to be added
   over the threads; results are stored by all threads alike, or by the first.
*/
struct GridLane {
  int lane = 0, lanes = 1;
};

/* The remainder entries of row r that this thread loads, up to `most`: constant during a cycle, so they may be loaded
   before a step begins */
template <class Real>
struct GridRemainderRow {
  static constexpr int most = 8;
  int                  first, last, lanes;
  std::int64_t         row, col[most];
  Real                 value[most];

  HEPTANE_HD GridRemainderRow(const GridRemainder<Real> &K, int r, GridLane of) : first(K.ptr[r] + of.lane), last(K.ptr[r + 1]), lanes(of.lanes), row(K.row[r])
  {
    HEPTANE_UNROLL
    for (int q = 0; q < most; q++) {
      const bool has = first + q * lanes < last;

      col[q]   = has ? K.col[first + q * lanes] : 0;
      value[q] = has ? K.value[first + q * lanes] : Real(0);
    }
  }
  /* f(entry's column, value) in order */
  template <class F>
  HEPTANE_HD void each(const GridRemainder<Real> &K, F f) const
  {
    HEPTANE_UNROLL
    for (int q = 0; q < most; q++)
      if (first + q * lanes < last) f(col[q], value[q]);
    for (int e = first + most * lanes; e < last; e += lanes) f(K.col[e], K.value[e]);
  }
};

/* First step of a cycle: b = right-hand side of remainder row r, and x = 0 in the columns of remainder entries, since
   their lines may be solved after this row's */
template <class Real>
HEPTANE_HD void grid_remainder_enter(const GridLevel<Real> &L, const GridRemainder<Real> &K, int r, GridLane of = {})
{
  if (of.lane == 0) {
    K.b[r] = L.b[K.row[r]];
    if (K.closed) L.x[K.row[r]] = 0;
  }
  for (int e = K.ptr[r] + of.lane; !K.closed && e < K.ptr[r + 1]; e += of.lanes) L.x[K.col[e]] = 0;
}

template <class Real>
HEPTANE_HD Real grid_remainder_product(const GridLevel<Real> &L, const GridRemainder<Real> &K, const GridRemainderRow<Real> &remainder)
{
  Real sum = 0;

  remainder.each(K, [&](std::int64_t col, Real value) { sum += value * L.x[col]; });
  return sum;
}
template <class Real>
HEPTANE_HD Real grid_remainder_product(const GridLevel<Real> &L, const GridRemainder<Real> &K, int r, GridLane of = {})
{
  return grid_remainder_product(L, K, GridRemainderRow<Real>(K, r, of));
}

/* product: grid_remainder_product() of row r, whose index in vectors is `row` */
template <class Real>
HEPTANE_HD void grid_remainder_balance(const GridLevel<Real> &L, const GridRemainder<Real> &K, int r, std::int64_t row, Real product)
{
  L.b[row] = K.b[r] - product;
}

/* Contribution to target t of the right-hand side of C: residuals of remainder rows of F, the product of the remainder
   entries with the current x less the product at the time the row was solved */
template <class Real>
HEPTANE_HD Real grid_remainder_residual(const GridLevel<Real> &F, const GridRemainder<Real> &K, const GridSums &to, int t, GridLane of = {})
{
  Real sum = 0;

  for (int q = to.ptr[t]; q < to.ptr[t + 1]; q++) {
    const int r = to.source[q];

    if (of.lane == 0) sum += K.b[r] - F.b[K.row[r]];
    sum -= grid_remainder_product(F, K, r, of);
  }
  return sum;
}

/* target t: value[t] = sum of scaled sources, or at[place[t]] += it */
template <class Real, class From>
HEPTANE_HD void grid_remainder_sum(const GridSums &S, const From *from, Scalar scale, bool add, Real *to, int t)
{
  Scalar sum = 0;

  for (int q = S.ptr[t]; q < S.ptr[t + 1]; q++) sum += scale * from[S.source[q]];
  if (add) to[S.place[t]] += static_cast<Real>(sum);
  else to[t] = static_cast<Real>(sum);
}

/* The sum of the remainder entries of row r that lead to component s */
template <class Real>
HEPTANE_HD Real grid_remainder_row_sum(const GridLevel<Real> &L, const GridRemainder<Real> &K, int r, int s, GridLane of = {})
{
  const std::int64_t cells = static_cast<std::int64_t>(L.cells), first = s * cells, end = first + cells;
  Real               sum = 0;

  for (int e = K.ptr[r] + of.lane; e < K.ptr[r + 1]; e += of.lanes)
    if (K.col[e] >= first && K.col[e] < end) sum += K.value[e];
  return sum;
}

/* Adds it to the sum of the block row */
template <class Real>
HEPTANE_HD void grid_remainder_add_row_sum(const GridLevel<Real> &L, int B, const GridRemainder<Real> &K, int r, int s, Real sum)
{
  const std::int64_t cells = static_cast<std::int64_t>(L.cells), p = K.row[r] / cells;

  L.coef[((L.stored(grid_pivot) * B + p) * B + s) * cells + K.row[r] % cells] += sum;
}

} // namespace heptane
