/*
   The last levels of a cycle in one thread block, one unknown per cell: their coefficients and vectors lie in one piece of memory, which is copied to shared memory; a step there takes less
   time than a launch.
*/
#pragma once

#include "gridmg_lines.cuh"
#include "gridmg_system.hpp"

namespace heptane
{

struct alignas(16) GridQuad {
  unsigned v[4];
};

/* n reals, a multiple of 16 bytes, copied by so many threads */
template <int THREADS, class Real>
__device__ __forceinline__ void grid_copy(Real *to, const Real *from, std::size_t n)
{
  for (std::size_t k = threadIdx.x; k < n * sizeof(Real) / sizeof(GridQuad); k += THREADS)
    reinterpret_cast<GridQuad *>(to)[k] = reinterpret_cast<const GridQuad *>(from)[k];
}

/* The levels and vectors as they are in shared memory */
template <class Real>
__device__ __forceinline__ GridLevel<Real> grid_moved(GridLevel<Real> L, const Real *from, Real *to)
{
  L.coef = to + (L.coef - from);
  L.x    = to + (L.x - from);
  L.b    = to + (L.b - from);
  L.d    = L.d ? to + (L.d - from) : nullptr;
  return L;
}

/* room: of T.reals reals and T.levels levels. The block has GridTuning::columns * CHUNKS threads; restrict and solve are the only steps, because levels with links are not here */
template <int CELLS, int CHUNKS, class Real>
__device__ __forceinline__ void grid_run_tail(const GridTail<Real> &T, GridQuad *room, GridScan<Real, CHUNKS> &scan)
{
  constexpr int          threads = GridTuning::columns * CHUNKS;
  Real *const            mine    = reinterpret_cast<Real *>(room);
  GridLevel<Real> *const levels  = reinterpret_cast<GridLevel<Real> *>(mine + T.reals);

  grid_copy<threads>(mine, T.memory, T.reals);
  for (int l = threadIdx.x; l < T.levels; l += threads) levels[l] = grid_moved(T.level[l], T.memory, mine);
  __syncthreads();
  for (int n = 0; n < T.steps; n++) {
    const GridStep         s = T.step[n];
    const GridLevel<Real>  L = levels[s.level - T.first];
    const GridLevel<Real> *C = levels + (s.level - T.first + 1); /* read only where there is one */

    if (s.op == GridOp::solve) {
      const GridNeighbours<Real> N = {L, s.correct ? C : nullptr};

      for (std::size_t first = 0; first < L.columns; first += GridTuning::columns) grid_solve_lines<CELLS, CHUNKS>(N, s.zero, s.change, s.colour, first, scan);
    } else {
      for (std::size_t place = threadIdx.x; place < C->cells; place += threads)
        grid_restrict<1>(L, *C, s.change ? L.d : nullptr, static_cast<int>(place / (2 * C->columns)), static_cast<int>(place / C->columns & 1),
                         place % C->columns);
    }
    __syncthreads();
  }
  for (int l = 0; l < (T.keep ? T.levels : 1); l++) { /* x, b and d lie behind each other */
    const std::size_t from = static_cast<std::size_t>(levels[l].x - mine), vectors = !T.keep ? 1 : levels[l].d ? 3 : 2;

    for (std::size_t k = threadIdx.x; k < levels[l].cells * vectors; k += threads) T.memory[from + k] = mine[from + k];
  }
}

} // namespace heptane
