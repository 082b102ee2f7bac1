/*
   The order of the tiles of a product in which some rows wait for ghosts: first the tiles of the longest run of rows
   without ghosts, which need no test, then the other tiles, whose ghosts have arrived meanwhile. For host and device;
   has no PETSc objects.
*/
#pragma once

#include "../pc_rows.hpp"

namespace heptane
{

struct HaloTiles {
  int  tiles = 0;            /* of all rows */
  int  first = 0, inner = 0; /* the tiles whose rows are all in the run: numbers 0 to inner - 1 of the order */
  bool backward = false;     /* each part in descending order */

  HEPTANE_HD HaloTiles(int rows, int per_tile, const RowRun &free, bool back) : tiles((rows + per_tile - 1) / per_tile), backward(back)
  {
    const int end = free.end == rows ? tiles : free.end / per_tile; /* the last tile may be short */

    first = (free.first + per_tile - 1) / per_tile;
    inner = end > first ? end - first : 0;
    if (!inner) first = 0;
  }
  /* The tile with number k in the order */
  HEPTANE_HD int operator()(int k) const
  {
    if (k < inner) return first + (backward ? inner - 1 - k : k);
    const int other = backward ? tiles - 1 - k : k - inner; /* of the tiles outside of the run, ascending */

    return other < first ? other : other + inner;
  }
};

/* The longest run of rows below `rows` that are not in the ascending list; the first of several */
inline RowRun longest_run_outside(const int list[], std::size_t count, int rows)
{
  RowRun longest;
  int    first = 0;

  for (std::size_t k = 0; k <= count; k++) {
    const int end = k < count ? list[k] : rows;

    if (end - first > longest.end - longest.first) longest = {first, end};
    first = end + 1;
  }
  return longest;
}

} // namespace heptane
