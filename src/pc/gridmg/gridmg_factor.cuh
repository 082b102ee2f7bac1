/*
   The factors of a line by one thread.
*/
#pragma once

#include "gridmg_setup_rows.hpp"
#include "gridmg_tuning.hpp"
#include <type_traits>

namespace heptane
{

/* The cells of the next steps are loaded before those of this one are stored. singular(c): there is no pivot at place c */
template <int B, class Real, class F>
__device__ __forceinline__ void grid_factor_line(const GridLevel<Real> L, int colour, std::size_t column, F singular)
{
  using Ahead         = std::conditional_t<B == 1, GridRawCell<1, Real>, GridLineCell<B>>; /* blocks are less as they are factored */
  constexpr int ahead = B == 1 ? GridTuning::factors_ahead : 1;
  GridLine<B>   line;
  Ahead         next[ahead];

  HEPTANE_UNROLL
  for (int t = 0; t < ahead; t++)
    if (t < L.K) next[t].load(L, L.at(t, colour, column));
  for (int first = 0; first < L.K; first += ahead) {
    HEPTANE_UNROLL
    for (int t = 0; t < ahead; t++) {
      if (first + t >= L.K) break;
      const std::size_t c   = L.at(first + t, colour, column);
      const Ahead       now = next[t];
      GridLineCell<B>   cell;

      if (first + t + ahead < L.K) next[t].load(L, L.at(first + t + ahead, colour, column));
      if constexpr (B == 1) cell.take(now);
      else cell = now;
      if (!line.factor(L, c, cell)) singular(c);
    }
  }
}

} // namespace heptane
