/*
   Lines of cells with more unknowns than are compiled, by a thread block: columns side by side, a thread for each row of a cell. What a line starts from is found for all cells at once; then the
   block goes along the line, forward and back. The number of unknowns is known at run time.
*/
#pragma once

#include "gridmg_general_rows.hpp"
#include "gridmg_plan.hpp"
#include "gridmg_tuning.hpp"

namespace heptane
{

/* The column of a thread, of those that a block has side by side, and the row of a cell that it has. Behind the last column it goes along with the first one, and stores nothing. */
struct GridRowThread {
  static constexpr int columns = GridTuning::general_columns;
  int                  lane, p;
  std::size_t          column;
  bool                 within;

  template <class Real>
  __device__ __forceinline__ GridRowThread(const GridLevel<Real> &L, std::size_t first)
    : lane(static_cast<int>(threadIdx.x) % columns), p(static_cast<int>(threadIdx.x) / columns), column(first + lane), within(column < L.columns)
  {
    if (!within) column = 0;
  }
};

/*
   What the lines of a colour start from at cells `layer`, `layer` + step, ... of the columns from `first` on: P^-1 (b - couplings across the line times x), into x; with the change, minus x of
   before into d. room: of 5 numbers a thread
*/
template <class Real>
__device__ __forceinline__ void grid_general_sides(const GridLevel<Real> &L, const GridLevel<Real> &C, const GridStep &s, std::size_t first, int layer,
                                                   int step, Real *room)
{
  const GridRowThread        own(L, first);
  const GridColumn           at(L, s.colour, own.column);
  const GridNeighbours<Real> N      = {L, s.correct ? &C : nullptr};
  const bool                 stores = own.within && at.exists;
  const int                  b = L.unknowns, columns = own.columns, mine = own.p * columns + own.lane;
  Real *const                r = room + 4 * b * columns; /* [component][column]; x of the neighbours before it: [side][component][column] */

  for (int k = layer; k < L.K; k += step) {
    const std::size_t c = L.at(k, s.colour, own.column), to = own.p * L.cells + c;
    Real              sum = L.b[to];

    if (!s.zero) {
      HEPTANE_UNROLL
      for (int side = 0; side < 4; side++) room[side * b * columns + mine] = grid_neighbour(N, k, s.colour, at, side, own.p);
      __syncthreads();
      sum += grid_row_across(L, c, own.p, [&](int side, int q) { return room[(side * b + q) * columns + own.lane]; });
    }
    r[mine] = sum;
    __syncthreads();
    const Real g = grid_row_product(L, grid_pivot, c, own.p, 0, [&](int q) { return r[q * columns + own.lane]; });
    if (stores && s.change) L.d[to] = -L.x[to];
    if (stores) L.x[to] = g;
    __syncthreads();
  }
}

/* A row of the factors of a cell, of which the first ones are loaded before they are wanted */
template <class Real>
struct GridFactorRow {
  static constexpr int ahead = GridTuning::general_ahead;
  Real                 value[ahead];

  __device__ __forceinline__ void load(const GridLevel<Real> &L, int slot, std::size_t c, int p)
  {
    HEPTANE_UNROLL
    for (int s = 0; s < ahead; s++) value[s] = s < L.unknowns ? L.template entry<0>(slot, p, s)[c] : Real(0);
  }
  template <class V>
  __device__ __forceinline__ Real times(const GridLevel<Real> &L, int slot, std::size_t c, int p, V v) const
  {
    Real sum = 0;

    HEPTANE_UNROLL
    for (int s = 0; s < ahead; s++)
      if (s < L.unknowns) sum += value[s] * v(s);
    return sum + grid_row_product(L, slot, c, p, ahead, v);
  }
};

/* The lines of the columns from `first` on, solved in x from what grid_general_sides() left there; change: x is added to d. room: of 2 numbers a thread */
template <class Real>
__device__ __forceinline__ void grid_general_lines(const GridLevel<Real> &L, int colour, bool change, std::size_t first, Real *room)
{
  const GridRowThread own(L, first);
  const bool          stores = own.within && GridColumn(L, colour, own.column).exists;
  const int columns = own.columns, half = L.unknowns * columns, mine = own.p * columns + own.lane; /* z of the cell before is in one half, then in the other */
  const std::size_t row  = own.p * L.cells;
  int               turn = 0;

  for (int way = 0; way < 2; way++) { /* from the first cell on, and back */
    const int           slot  = way ? grid_above : grid_below;
    constexpr int       ahead = GridTuning::general_cells<Real>;
    GridFactorRow<Real> factor[ahead];
    Real                z[ahead];
    const auto          place = [&](int n) { return L.at(way ? L.K - 1 - n : n, colour, own.column); };
    const auto          load  = [&](int n, int q) {
      if (n >= L.K) return;
      z[q] = L.x[row + place(n)];
      factor[q].load(L, slot, place(n), own.p);
    };

    HEPTANE_UNROLL
    for (int q = 0; q < ahead; q++) load(q, q);
    room[turn * half + mine] = 0;
    __syncthreads();
    for (int first_cell = 0; first_cell < L.K; first_cell += ahead) {
      HEPTANE_UNROLL
      for (int q = 0; q < ahead; q++) {
        const int n = first_cell + q;

        if (n >= L.K) break;
        const std::size_t here   = place(n);
        const Real       *before = room + turn * half;
        const Real        g      = z[q] - factor[q].times(L, slot, here, own.p, [&](int s) { return before[s * columns + own.lane]; });

        load(n + ahead, q);
        turn                     = 1 - turn;
        room[turn * half + mine] = g;
        if (stores) L.x[row + here] = g;
        if (stores && way && change) L.d[row + here] += g;
        __syncthreads();
      }
    }
    turn = 1 - turn; /* the half that nobody reads any more */
  }
}

} // namespace heptane
