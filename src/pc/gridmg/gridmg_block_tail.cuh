/*
   Steps of the last levels, several unknowns per cell, by a few thread blocks in one launch: what the kernels of the steps do, one after the other. Coefficients, x and b stay where they are; after each
   step all blocks wait for each other. What blocks and warps are is given, as in gridmg_tail.cuh.
*/
#pragma once

#include "gridmg_block_lines.cuh"
#include "gridmg_block_tail.hpp"

namespace heptane
{

/* Threads of a block: GridBlockShape::chunks() times its columns. Blocks: Rank(), Count(); Threads() of a block; Group() of Groups(): which warp this is among all, Lane() in it, Sum() over it; Together() */
template <int B, class Real, class Blocks>
__device__ __forceinline__ void grid_block_tail_links(const GridBlockTail<Real> &T, const GridStep &s, const GridLevel<Real> &L, const Blocks &blocks)
{
  const GridLinks<Real> K     = T.links[s.level];
  const GridLane        of    = blocks.Lane();
  const bool            enter = s.op == GridOp::enter;

  for (int r = (enter || !s.colour ? 0 : K.reds) + blocks.Group(); r < (enter || s.colour ? K.rows : K.reds); r += blocks.Groups()) {
    if (enter) grid_link_enter(L, K, r, of);
    else {
      const GridLinkRow<Real> row(K, r, of);
      const Real              product = blocks.Sum(grid_link_product(L, K, row));

      if (of.lane == 0) grid_link_balance(L, K, r, row.row, product);
    }
  }
}

template <int B, class Real, class Blocks>
__device__ __forceinline__ void grid_block_tail_restrict(const GridBlockTail<Real> &T, const GridStep &s, const GridLevel<Real> &L, const GridLevel<Real> &C,
                                                         const Blocks &blocks)
{
  const unsigned columns = static_cast<unsigned>(C.columns), own = blocks.Rank() * blocks.Threads() + threadIdx.x;
  const GridSums to = T.links[s.level + 1].right_side;
  const GridLane of = blocks.Lane();

  for (unsigned place = own; place < C.cells; place += blocks.Count() * blocks.Threads()) {
    const unsigned layer = place / columns;

    grid_restrict<B>(GridPacked<false>(), L, C, s.change ? L.d : nullptr, static_cast<int>(layer >> 1), static_cast<int>(layer & 1), place - layer * columns);
  }
  if (!to.count) return;
  blocks.Together();
  for (int t = blocks.Group(); t < to.count; t += blocks.Groups()) {
    const Real sum = blocks.Sum(grid_link_residual(L, T.links[s.level], to, t, of));

    if (of.lane == 0) C.b[to.place[t]] += sum;
  }
}

template <int B, class Real, class Blocks>
__device__ __forceinline__ void grid_run_block_tail(const GridBlockTail<Real> &T, GridBlockScan<B, Real> &scan, const Blocks &blocks)
{
  constexpr int columns = GridTuning::block_columns;

  for (int n = 0; n < T.steps; n++) {
    const GridStep        s = T.step[n];
    const GridLevel<Real> L = T.level[s.level], C = T.level[s.correct || s.op == GridOp::restrict || s.op == GridOp::prolong ? s.level + 1 : s.level];

    if (s.op == GridOp::solve)
      for (std::size_t first = blocks.Rank() * columns; first < L.columns; first += blocks.Count() * columns)
        grid_solve_block_lines<B, Real>(
          L, C, s, first, scan, [] {}, [] {});
    else if (s.op == GridOp::restrict) grid_block_tail_restrict<B>(T, s, L, C, blocks);
    else if (s.op == GridOp::prolong)
      for (std::size_t place = blocks.Rank() * blocks.Threads() + threadIdx.x; place < L.cells; place += blocks.Count() * blocks.Threads()) {
        const std::size_t layer = place / L.columns;

        grid_prolong<B>(L, C, static_cast<int>(layer >> 1), static_cast<int>(layer & 1), place - layer * L.columns);
      }
    else grid_block_tail_links<B>(T, s, L, blocks);
    blocks.Together();
  }
}

} // namespace heptane
