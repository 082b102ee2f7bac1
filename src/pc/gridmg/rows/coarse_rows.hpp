/*
   A cell of a coarse level from the next finer level, for host and device. B: unknowns of a cell, or 0: a call then
   computes one row and reads GridLevel::unknowns.
*/
#pragma once

#include "../grid/level.hpp"

namespace heptane
{

/* Factor of the coupling of a coarse face between aggregates that begin at `first` and `first` + 2 along an axis of n
   fine cells: the distance of the centres has grown */
template <class Real>
HEPTANE_HD Real grid_face_factor(bool pair, int first, int n)
{
  return !pair ? Real(1) : first + 3 < n ? Real(0.5) : first + 2 < n ? Real(2) / 3 : Real(0);
}

/* Whether a cell of F has couplings */
template <class Real>
HEPTANE_HD bool grid_is_active(const GridLevel<Real> &F, std::size_t c)
{
  for (int p = 0; p < F.unknowns; p++)
    for (int s = 0; s < F.unknowns; s++) {
      Real across[4];

      F.template across<0>(F.half, p, s, c, across);
      if (across[0] != 0 || across[1] != 0 || across[2] != 0 || across[3] != 0) return true;
      if (F.template entry<0>(grid_below, p, s)[c] != 0 || F.template entry<0>(grid_above, p, s)[c] != 0) return true;
    }
  return false;
}

/* The sums of the block rows of a cell of C, at `to`, from the active cells of its aggregate; B = 0: one row only */
template <int B, class Real>
HEPTANE_HD void grid_coarse_sums(const GridLevel<Real> &F, const GridLevel<Real> &C, std::size_t to, const std::size_t (&from)[4], const bool (&has)[4],
                                 const bool (&active)[4], int row)
{
  for (int p = B > 0 ? 0 : row; p < (B > 0 ? B : row + 1); p++)
    for (int s = 0; s < C.template block<B>(); s++) {
      Real value[4], sum = 0;

      HEPTANE_UNROLL
      for (int q = 0; q < 4; q++) value[q] = F.template entry<B>(grid_pivot, p, s)[from[q]];
      HEPTANE_UNROLL
      for (int q = 0; q < 4; q++)
        if (has[q] && active[q]) sum += value[q];
      C.template entry<B>(grid_pivot, p, s)[to] = sum;
    }
}

/*
   A cell of C, the next coarser level of F. Blocks inside the aggregate vanish, parallel blocks are added, and the
   first column of blocks across its border is multiplied by the face factor. Cells without couplings are skipped. B =
   0: one row only. The loads of an entry are issued together for all cells of the aggregate; if it has fewer than four
   cells, another of its cells is read instead.
*/
template <int B, class Real>
HEPTANE_HD void grid_coarse_cell(const GridLevel<Real> &F, const GridLevel<Real> &C, int k, int colour, std::size_t column, int row = 0)
{
  const GridColumn  at(C, colour, column);
  const std::size_t to = C.at(k, colour, column);
  const int         i0 = at.exists ? at.i << F.pair_i : 0, j0 = at.exists ? at.j << F.pair_j : 0;
  const bool        more_i = F.pair_i && i0 + 1 < F.I, more_j = F.pair_j && j0 + 1 < F.J;
  const Real        factor[] = {grid_face_factor<Real>(F.pair_i, i0 - 2, F.I), grid_face_factor<Real>(F.pair_i, i0, F.I),
                                grid_face_factor<Real>(F.pair_j, j0 - 2, F.J), grid_face_factor<Real>(F.pair_j, j0, F.J)};
  std::size_t       from[4]; /* the cells, along i, then along j */
  bool              has[4], active[4] = {};

  HEPTANE_UNROLL
  for (int q = 0; q < 4; q++) {
    has[q]  = at.exists && (q % 2 == 0 || more_i) && (q < 2 || more_j);
    from[q] = F.of_cell(k, j0 + (q >= 2 && more_j), i0 + (q % 2 && more_i));
  }
  for (int p = B > 0 ? 0 : row; p < (B > 0 ? B : row + 1); p++)
    for (int s = 0; s < C.template block<B>(); s++) {
      Real value[4][grid_pivot], across[4][4], sum[grid_pivot] = {};

      HEPTANE_UNROLL
      for (int q = 0; q < 4; q++) {
        F.template load_across<B>(F.half, p, s, from[q], across[q]);
        value[q][grid_below] = F.template entry<B>(grid_below, p, s)[from[q]];
        value[q][grid_above] = F.template entry<B>(grid_above, p, s)[from[q]];
      }
      HEPTANE_UNROLL
      for (int q = 0; q < 4; q++) {
        F.unpack_across(F.half, across[q]);
        HEPTANE_UNROLL
        for (int side = 0; side < 4; side++) value[q][grid_west + side] = across[q][side];
      }
      HEPTANE_UNROLL
      for (int q = 0; q < 4; q++) {
        const bool begins_i = q % 2 == 0, begins_j = q < 2, ends_i = !begins_i || !more_i, ends_j = !begins_j || !more_j;

        if (!has[q]) continue;
        HEPTANE_UNROLL
        for (int slot = 0; slot < grid_pivot; slot++) {
          const bool outside = slot == grid_west ? begins_i : slot == grid_east ? ends_i : slot == grid_south ? begins_j : slot == grid_north ? ends_j : true;

          active[q] |= value[q][slot] != 0;
          if (outside) sum[slot] += value[q][slot];
        }
      }
      HEPTANE_UNROLL
      for (int side = 0; side < 4; side++)
        if (s == 0) sum[grid_west + side] *= factor[side];
      HEPTANE_UNROLL
      for (int side = 0; side < 4; side++) across[0][side] = sum[grid_west + side];
      C.template store_across<B>(p, s, to, across[0]);
      C.template entry<B>(grid_below, p, s)[to] = sum[grid_below];
      C.template entry<B>(grid_above, p, s)[to] = sum[grid_above];
    }
  if constexpr (B == 0) /* other rows count too */
    for (int q = 0; q < 4; q++) active[q] = has[q] && grid_is_active(F, from[q]);
  grid_coarse_sums<B>(F, C, to, from, has, active, row);
}

} // namespace heptane
