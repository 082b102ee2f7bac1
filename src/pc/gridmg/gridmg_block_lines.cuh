/*
   The recurrences along a line of several unknowns per cell, by one thread.
*/
#pragma once

#include "gridmg_cycle_rows.hpp"
#include "gridmg_tuning.hpp"

namespace heptane
{

/* What a step along a line of several unknowns per cell reads */
template <int B, class Real>
struct GridBlockCell {
  Real factor[B][B], z[B];

  __device__ __forceinline__ void load(const GridLevel<Real> &L, int slot, std::size_t c)
  {
    HEPTANE_UNROLL
    for (int p = 0; p < B; p++) {
      z[p] = L.x[p * L.cells + c];
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) factor[p][s] = L.template entry<B>(slot, p, s)[c];
    }
  }
};

/* One way along a line, in x: z -= factor z of the cell before. first: the cell that it begins with, step: 1 or -1. The cells of the next steps are loaded before that of this one is stored. */
template <int B, class Real>
__device__ __forceinline__ void grid_go_along(const GridLevel<Real> &L, int slot, int colour, std::size_t column, int first, int step)
{
  constexpr int          ahead = GridTuning::blocks_ahead<B>;
  GridBlockCell<B, Real> next[ahead];
  Real                   before[B] = {};

  HEPTANE_UNROLL
  for (int t = 0; t < ahead; t++)
    if (t < L.K) next[t].load(L, slot, L.at(first + t * step, colour, column));
  for (int q = 0; q < L.K; q += ahead) {
    HEPTANE_UNROLL
    for (int t = 0; t < ahead; t++) {
      if (q + t >= L.K) break;
      const std::size_t      c    = L.at(first + (q + t) * step, colour, column);
      GridBlockCell<B, Real> cell = next[t];

      if (q + t + ahead < L.K) next[t].load(L, slot, L.at(first + (q + t + ahead) * step, colour, column));
      HEPTANE_UNROLL
      for (int p = 0; p < B; p++) {
        HEPTANE_UNROLL
        for (int s = 0; s < B; s++) cell.z[p] -= cell.factor[p][s] * before[s];
      }
      HEPTANE_UNROLL
      for (int p = 0; p < B; p++) L.x[p * L.cells + c] = before[p] = cell.z[p];
    }
  }
}

} // namespace heptane
