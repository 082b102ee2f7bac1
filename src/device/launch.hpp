/*
   Launch arithmetic: grids that cover n elements.
*/
#pragma once

#include <cstddef>

namespace heptane
{

/* Blocks of `threads` that cover n; 0 if n == 0: no launch */
inline unsigned blocks_for(std::size_t n, int threads)
{
  return static_cast<unsigned>((n + threads - 1) / threads);
}

} // namespace heptane
