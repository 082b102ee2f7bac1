/*
   The entries of a level that lie beside its seven block diagonals (wells, faults): which there are, made once a pattern, and their arithmetic, for host and device. They are part of
   every residual; on the next level those within an aggregate vanish, those between neighbours join the diagonals, and the others are links again.

   A row whose line is solved takes what its links make of the x of that moment from its right-hand side before (balance). `b` keeps the right-hand side that the cycle had.
*/
#pragma once

#include "gridmg_level.hpp"
#include <cstdint>
#include <vector>

namespace heptane
{

/* Sums of sources: target t is at place[t] and gets sources source[ptr[t]] .. source[ptr[t + 1] - 1] in this order */
struct GridSums {
  int                 count = 0;
  const std::int64_t *place = nullptr;
  const int          *ptr = nullptr, *source = nullptr;
};

template <class Real>
struct GridLinks {
  int                 rows = 0, reds = 0, entries = 0; /* those of red columns come first */
  const std::int64_t *row = nullptr, *col = nullptr;   /* places in vectors of the level */
  const int          *ptr   = nullptr;
  Real               *value = nullptr; /* [entries] */
  Real               *b     = nullptr; /* [rows] */
  /* from the level before, of finest level: the matrix */
  GridSums values;     /* links of this level, sums of links of the one before */
  GridSums blocks;     /* places in coef that get links of the one before */
  GridSums right_side; /* places in b that get the residual of link rows of the one before */
};

/* The same on the host, where it is made */
struct GridSumsList {
  std::vector<std::int64_t> place;
  std::vector<int>          ptr{0}, source;

  void     Add(std::int64_t at, const std::vector<int> &from);
  GridSums View() const { return {static_cast<int>(place.size()), place.data(), ptr.data(), source.data()}; }
};
struct GridLinksList {
  std::vector<std::int64_t> row, col;
  std::vector<int>          ptr{0};
  int                       reds = 0;
  GridSumsList              values, blocks, right_side;
};

/* A scalar row or column of a level: component, and cell in the grid */
struct GridPlace {
  int component, k, j, i;
};
/* Entries of a level: from place to place; their number is that of the source */
struct GridEntry {
  GridPlace row, col;
};

/* The links of a level from entries; coarse: `entries` are the links of the level before, some of which become part of its blocks. links: the entries of the level, in the order of col[] */
GridLinksList grid_link_level(const GridLevel<float> &L, int B, const std::vector<GridEntry> &entries, bool coarse, std::vector<GridEntry> *links);
/* What entries of F are on the level behind it */
std::vector<GridEntry> grid_coarse_entries(const GridLevel<float> &F, const std::vector<GridEntry> &entries);
/* Where the residuals of link rows of F go in the right-hand side of C */
GridSumsList grid_link_residuals(const GridLevel<float> &F, const GridLevel<float> &C, const GridLinksList &links);

/* b = right-hand side of link row r */
template <class Real>
HEPTANE_HD void grid_link_enter(const GridLevel<Real> &L, const GridLinks<Real> &K, int r)
{
  K.b[r] = L.b[K.row[r]];
}

template <class Real>
HEPTANE_HD Real grid_link_product(const GridLevel<Real> &L, const GridLinks<Real> &K, int r)
{
  Real sum = 0;

  for (int e = K.ptr[r]; e < K.ptr[r + 1]; e++) sum += K.value[e] * L.x[K.col[e]];
  return sum;
}

template <class Real>
HEPTANE_HD void grid_link_balance(const GridLevel<Real> &L, const GridLinks<Real> &K, int r)
{
  L.b[K.row[r]] = K.b[r] - grid_link_product(L, K, r);
}

/* Target t of C's right-hand side: residuals of link rows of F, which are what links take of x now less what they took when the row was solved */
template <class Real>
HEPTANE_HD void grid_link_restrict(const GridLevel<Real> &F, const GridLinks<Real> &K, const GridSums &to, const GridLevel<Real> &C, int t)
{
  Real sum = 0;

  for (int q = to.ptr[t]; q < to.ptr[t + 1]; q++) {
    const int r = to.source[q];

    sum += (K.b[r] - F.b[K.row[r]]) - grid_link_product(F, K, r);
  }
  C.b[to.place[t]] += sum;
}

/* target t: value[t] = sum of scaled sources, or at[place[t]] += it */
template <class Real, class From>
HEPTANE_HD void grid_link_sum(const GridSums &S, const From *from, Scalar scale, bool add, Real *to, int t)
{
  Scalar sum = 0;

  for (int q = S.ptr[t]; q < S.ptr[t + 1]; q++) sum += scale * from[S.source[q]];
  if (add) to[S.place[t]] += static_cast<Real>(sum);
  else to[t] = static_cast<Real>(sum);
}

/* The links of row r added to, or taken from, the sums of its block row */
template <class Real>
HEPTANE_HD void grid_link_row_sum(const GridLevel<Real> &L, int B, const GridLinks<Real> &K, Real sign, int r)
{
  const std::int64_t cells = static_cast<std::int64_t>(L.cells);
  const int          p     = static_cast<int>(K.row[r] / cells);

  for (int e = K.ptr[r]; e < K.ptr[r + 1]; e++) {
    const int s = static_cast<int>(K.col[e] / cells);

    L.coef[((grid_pivot * B + p) * B + s) * cells + K.row[r] % cells] += sign * K.value[e];
  }
}

} // namespace heptane
