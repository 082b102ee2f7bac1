/*
   Lines of several unknowns per cell by a thread block, as grid_solve_block_lines() has them, with other right-hand sides and other places for solutions.
*/
#pragma once

#include "../gridmg/gridmg_block_lines.cuh"
#include "lines_device.cuh"

namespace heptane
{

/* The factors of one way along the lines, which may be stored in another precision than that of the chunk */
template <int B, class Real, class Chunk>
__device__ __forceinline__ void lines_load_factors(const GridLevel<Real> &F, Chunk &chunk, int p, int slot)
{
  HEPTANE_UNROLL
  for (int t = 0; t < chunk.cells; t++) {
    const std::size_t c = chunk.place(p, t);

    HEPTANE_UNROLL
    for (int i = 0; i < B; i++) {
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) chunk.factor[t][i][s] = F.template entry<B>(slot, i, s)[c];
    }
  }
}

/*
   The columns of a colour from `first` on, with factors F; `line` is the same level in the precision of the solver, whose x is room for lines of several panels. right_side(chunk, k, c, r): that of a
   cell in layer k, at place c; take(chunk, k, z): its solution, of cells that exist. ready(): called before anything is read that other kernels write, nothing is done where it is false.
   Threads: GridBlockShape::block().
*/
template <int B, class Real, class Ready, class Right, class Take>
__device__ __forceinline__ void lines_solve_blocks(const GridLevel<Real> &F, const GridLevel<Scalar> &line, int colour, std::size_t first,
                                                   GridBlockScan<B, Scalar> &scan, Ready ready, Right right_side, Take take)
{
  GridBlockChunk<B, Scalar> chunk(line, colour, first);
  const int                 panels   = (line.K + chunk.panel - 1) / chunk.panel;
  Scalar                    carry[B] = {};

  for (int p = 0; p < panels; p++) {
    lines_load_factors<B>(F, chunk, p, grid_below);
    if (p == 0 && !ready()) return;
    HEPTANE_UNROLL
    for (int t = 0; t < chunk.cells; t++) {
      const std::size_t c = chunk.place(p, t);
      Scalar            r[B];

      right_side(chunk, chunk.layer(p, t), c, r);
      lines_start<B>(F, c, r, chunk.z[t]);
    }
    chunk.clear_outside(p);
    chunk.template go<true>(scan, carry);
    if (panels > 1) chunk.put(p, line.x);
  }
  HEPTANE_UNROLL
  for (int s = 0; s < B; s++) carry[s] = 0;
  for (int p = panels - 1; p >= 0; p--) {
    lines_load_factors<B>(F, chunk, p, grid_above);
    if (panels > 1) chunk.get(p, line.x);
    chunk.clear_outside(p);
    chunk.template go<false>(scan, carry);
    HEPTANE_UNROLL
    for (int t = 0; t < chunk.cells; t++)
      if (chunk.inside(p, t)) take(chunk, chunk.k(p, t), chunk.z[t]);
  }
}

} // namespace heptane
