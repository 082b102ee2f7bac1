/*
   Launches of the passes over black cells of CG without red columns: a thread processes a part of a line, and finds the
   neighbours of its column once.
*/
#pragma once

#include "../../../device/launch.hpp"
#include "../grid/tuning.hpp"
#include "../rows/reduced_rows.hpp"
#include <algorithm>

namespace heptane
{

/* Blocks of kernels with a thread for some black cells of a column: tiles of columns times parts of the lines */
struct GridFlat {
  std::size_t first, end; /* columns */
  unsigned    tiles, parts;
  int         layers; /* of a part */

  template <class Real>
  explicit GridFlat(const GridReduced<Real> &R, unsigned wanted = GridTuning::reduced_blocks)
    : first(R.first), end(R.first + R.count), tiles(blocks_for(R.count, GridTuning::threads)),
      parts(std::min<unsigned>((wanted + tiles - 1) / tiles, R.exact.K)), layers((R.exact.K + parts - 1) / parts)
  {}
  unsigned blocks() const { return tiles * parts; }
};

/* f(k, column, GridColumn) for the cells of this thread, of one colour */
template <class F>
__device__ __forceinline__ void for_flat_cells(const GridLevel<Scalar> &E, const GridFlat &flat, int colour, F f)
{
  const std::size_t column = flat.first + blockIdx.x % flat.tiles * static_cast<std::size_t>(GridTuning::threads) + threadIdx.x;
  const int         first = static_cast<int>(blockIdx.x / flat.tiles) * flat.layers, last = first + flat.layers < E.K ? first + flat.layers : E.K;

  if (column >= flat.end) return;
  const GridColumn C(E, colour, column);
  for (int k = first; k < last; k++) f(k, column, C);
}

} // namespace heptane
