/*
   The neighbours of a column, found once per column: its neighbours of the other colour, and the red columns of the
   previous level that contribute to the right-hand side of a coarse column.
*/
#pragma once

#include "../rows/cycle_rows.hpp"

namespace heptane
{

/* Indices of the columns across from a column, in layer 0 of the level and of the next coarser one. If there is none,
   an existing column is used: its coefficient is zero, and loads stay independent of tests. */
struct alignas(16) GridAcross {
  unsigned place[4], coarse_place[4];

  template <class Real>
  __device__ __forceinline__ GridAcross(const GridLevel<Real> &L, const GridLevel<Real> &coarse, bool correct, int colour, unsigned column,
                                        const GridColumn &at)
  {
    const unsigned  other       = (1 - colour) * static_cast<unsigned>(L.columns);
    const long long neighbour[] = {at.west, at.east, at.south, at.north};
    const int       i           = at.i < L.I ? at.i : L.I - 1;

    HEPTANE_UNROLL
    for (int side = 0; side < 4; side++) {
      const bool has  = neighbour[side] >= 0;
      const int  step = !has ? 0 : side % 2 ? 1 : -1;

      place[side]        = other + (has ? static_cast<unsigned>(neighbour[side]) : column);
      coarse_place[side] = 0;
      if (correct)
        coarse_place[side] = static_cast<unsigned>(coarse.of_cell(0, (at.j + (side < 2 ? 0 : step)) >> L.pair_j, (i + (side < 2 ? step : 0)) >> L.pair_i));
    }
  }
};

/* The fine cells of red columns that contribute to the right-hand side of the coarse cells of a column: at most one in
   each of two rows, in layer 0 */
struct GridFinePair {
  unsigned place[2], other[2][4];
  bool     has[2];

  template <class Real>
  __device__ __forceinline__ GridFinePair(const GridLevel<Real> &F, const GridColumn &at)
  {
    const int i0 = F.pair_i ? 2 * at.i : at.i, j0 = F.pair_j ? 2 * at.j : at.j;

    HEPTANE_UNROLL
    for (int q = 0; q < 2; q++) {
      const int j = j0 + q, i = i0 + ((i0 + j) & 1);

      has[q]                  = at.exists && (q == 0 || F.pair_j) && j < F.J && i <= i0 + F.pair_i && i < F.I;
      const unsigned   column = has[q] ? static_cast<unsigned>(j * F.H + (i >> 1)) : 0;
      const GridColumn red(F, 0, column);
      const GridAcross across(F, F, false, 0, column, red);

      place[q] = column;
      HEPTANE_UNROLL
      for (int side = 0; side < 4; side++) other[q][side] = across.place[side];
    }
  }
  /* The sum of grid_restrict() in layer k */
  template <class Packed, class Real>
  __device__ __forceinline__ Real sum(Packed packed, const GridLevel<Real> &F, const Real *d, int k) const
  {
    const unsigned layer = 2 * static_cast<unsigned>(F.columns) * static_cast<unsigned>(k);
    Real           a[2][4], x[2][4], total = 0;

    HEPTANE_UNROLL
    for (int q = 0; q < 2; q++) {
      F.template load_across<1>(packed, 0, 0, layer + place[q], a[q]);
      HEPTANE_UNROLL
      for (int side = 0; side < 4; side++) x[q][side] = d[layer + other[q][side]];
    }
    HEPTANE_UNROLL
    for (int q = 0; q < 2; q++) F.unpack_across(packed, a[q]);
    HEPTANE_UNROLL
    for (int q = 0; q < 2; q++) {
      HEPTANE_UNROLL
      for (int side = 0; side < 4; side++)
        if (has[q]) total -= a[q][side] * x[q][side];
    }
    return total;
  }
};

} // namespace heptane
