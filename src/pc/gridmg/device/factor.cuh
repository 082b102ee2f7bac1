/*
   The factors of a line by one thread.
*/
#pragma once

#include "../rows/setup_rows.hpp"

namespace heptane
{

/* The next cell is loaded before this one is stored. singular(c): called if the pivot of cell c is singular */
template <int B, class Real, class F>
__device__ __forceinline__ void grid_factor_line(const GridLevel<Real> L, int colour, std::size_t column, F singular)
{
  GridLine<B>     line;
  GridLineCell<B> next;

  if (L.K > 0) next.load(L, L.at(0, colour, column));
  for (int k = 0; k < L.K; k++) {
    const std::size_t c    = L.at(k, colour, column);
    GridLineCell<B>   cell = next;

    if (k + 1 < L.K) next.load(L, L.at(k + 1, colour, column));
    if (!line.factor(L, c, cell)) singular(c);
  }
}

} // namespace heptane
