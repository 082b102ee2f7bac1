/*
   The solution of lines by a thread block, one unknown per cell: columns side by side, each divided into chunks of cells in the registers of a thread. A recurrence along the line is an
   affine map of what enters a chunk; a scan over the chunks composes them. Lines that are too long for a block go through it in panels.
*/
#pragma once

#include "gridmg_cycle_rows.hpp"
#include "gridmg_tuning.hpp"
#include <type_traits>

namespace heptane
{

/* z -> z + slope * (what enters), by chunk and column; two copies in turns */
template <class Real, int CHUNKS>
struct GridScan {
  static constexpr int columns = GridTuning::columns;
  Real                 z[2][CHUNKS][columns], slope[2][CHUNKS][columns];

  /* What enters the chunk of number `order` if `carry` enters the first one; carry becomes what leaves the last. To be called by all threads. */
  __device__ __forceinline__ Real enter(int order, int column, Real of_chunk, Real by, Real &carry)
  {
    int turn = 0;

    z[0][order][column]     = of_chunk;
    slope[0][order][column] = by;
    __syncthreads();
    HEPTANE_UNROLL
    for (int distance = 1; distance < CHUNKS; distance *= 2) {
      if (order >= distance) {
        of_chunk += by * z[turn][order - distance][column];
        by *= slope[turn][order - distance][column];
      }
      turn                       = 1 - turn;
      z[turn][order][column]     = of_chunk;
      slope[turn][order][column] = by;
      __syncthreads();
    }
    const Real entering = order ? z[turn][order - 1][column] + slope[turn][order - 1][column] * carry : carry;
    carry               = z[turn][CHUNKS - 1][column] + slope[turn][CHUNKS - 1][column] * carry;
    __syncthreads(); /* all have read before the next scan writes */
    return entering;
  }
};

/* A chunk of a column, in the registers of a thread. Threads: columns times CHUNKS, columns first */
template <int CELLS, int CHUNKS, class Real>
struct GridChunk {
  static constexpr int panel = CELLS * CHUNKS; /* cells of a line that go through the block together */

  const GridLevel<Real> &L;
  const int              lane, number, colour;
  const std::size_t      column;
  const GridColumn       at;
  const bool             solves; /* there is such a column */
  Real                   z[CELLS] = {}, up[CELLS] = {};

  __device__ __forceinline__ GridChunk(const GridLevel<Real> &of, int c, std::size_t first)
    : L(of), lane(threadIdx.x % GridTuning::columns), number(threadIdx.x / GridTuning::columns), colour(c), column(first + lane),
      at(of, c, column < of.columns ? column : 0), solves(column < of.columns && at.exists)
  {}
  __device__ __forceinline__ int  k(int p, int t) const { return p * panel + number * CELLS + t; }
  __device__ __forceinline__ bool inside(int p, int t) const { return solves && k(p, t) < L.K; }
  __device__ __forceinline__ std::size_t place(int p, int t) const { return L.at(k(p, t), colour, column); }

  /* z of panel p: z = g - L z of the cell before; carry: z before the panel, then its last. Leaves `up` of the panel. */
  __device__ __forceinline__ void forward(int p, const GridNeighbours<Real> &N, bool zero, GridScan<Real, CHUNKS> &scan, Real &carry)
  {
    Real g[CELLS], low[CELLS], end = 0, slope = 1;

    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      Real r[1] = {0};

      low[t] = up[t] = 0;
      if (inside(p, t)) {
        grid_line_rhs<1>(N, zero, k(p, t), colour, column, at, r);
        low[t] = L.template entry<1>(grid_below, 0, 0)[place(p, t)];
        up[t]  = L.template entry<1>(grid_above, 0, 0)[place(p, t)];
      }
      g[t] = r[0];
    }
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      end = g[t] - low[t] * end;
      slope *= -low[t];
    }
    Real before = scan.enter(number, lane, end, slope, carry);
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      before = g[t] - low[t] * before;
      z[t]   = before;
    }
  }
  /* x of panel p in z: x = z - U x of the cell behind; carry: x behind the panel, then its first */
  __device__ __forceinline__ void backward(GridScan<Real, CHUNKS> &scan, Real &carry)
  {
    Real end = 0, slope = 1;

    HEPTANE_UNROLL
    for (int t = CELLS - 1; t >= 0; t--) {
      end = z[t] - up[t] * end;
      slope *= -up[t];
    }
    Real behind = scan.enter(CHUNKS - 1 - number, lane, end, slope, carry);
    HEPTANE_UNROLL
    for (int t = CELLS - 1; t >= 0; t--) {
      behind = z[t] - up[t] * behind;
      z[t]   = behind;
    }
  }
  /* Of lines of several panels: z is stored, and read again with `up` */
  __device__ __forceinline__ void put(int p, Real *room) const
  {
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++)
      if (inside(p, t)) room[place(p, t)] = z[t];
  }
  __device__ __forceinline__ void get(int p, const Real *room)
  {
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      z[t]  = inside(p, t) ? room[place(p, t)] : Real(0);
      up[t] = inside(p, t) ? L.template entry<1>(grid_above, 0, 0)[place(p, t)] : Real(0);
    }
  }
  __device__ __forceinline__ void store(int p, bool change) const
  {
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      if (!inside(p, t)) continue;
      if (change) L.d[place(p, t)] = z[t] - L.x[place(p, t)];
      L.x[place(p, t)] = z[t];
    }
  }
};

/* Solves the columns first .. first + GridTuning::columns - 1 of a colour. change: that of x goes to L.d */
template <int CELLS, int CHUNKS, class Real>
__device__ __forceinline__ void grid_solve_lines(const GridNeighbours<Real> &N, bool zero, bool change, int colour, std::size_t first,
                                                 GridScan<Real, CHUNKS> &scan)
{
  GridChunk<CELLS, CHUNKS, Real> chunk(N.L, colour, first);
  const int                      panels = (N.L.K + chunk.panel - 1) / chunk.panel;
  Real *const                    room   = change ? N.L.d : N.L.x; /* x of before is wanted until the end */
  Real                           carry  = 0;

  for (int p = 0; p < panels; p++) {
    chunk.forward(p, N, zero, scan, carry);
    if (panels > 1) chunk.put(p, room);
  }
  carry = 0;
  for (int p = panels - 1; p >= 0; p--) {
    if (panels > 1) chunk.get(p, room);
    chunk.backward(scan, carry);
    chunk.store(p, change);
  }
}

/* Chunks of a line and cells of a chunk, by the length of a line: f(cells, chunks), both known to the compiler. 16 chunks of 4 cells are 6 % faster than 32 of 2: prototype, H200 */
template <class F>
auto with_chunks(int K, F &&f)
{
  if (K <= 16) return f(std::integral_constant<int, 1>(), std::integral_constant<int, 16>());
  if (K <= 32) return f(std::integral_constant<int, 2>(), std::integral_constant<int, 16>());
  if (K <= 64) return f(std::integral_constant<int, 4>(), std::integral_constant<int, 16>());
  if (K <= 96) return f(std::integral_constant<int, 3>(), std::integral_constant<int, 32>());
  if (K <= 128) return f(std::integral_constant<int, 4>(), std::integral_constant<int, 32>());
  return f(std::integral_constant<int, 8>(), std::integral_constant<int, 32>());
}

} // namespace heptane
