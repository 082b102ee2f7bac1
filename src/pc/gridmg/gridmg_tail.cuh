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

/* The coefficients of the levels to shared memory, or the vectors behind them, which other kernels write. The pieces of a level meet within 16 bytes: what lies there is copied with both. */
template <int THREADS, class Real>
__device__ __forceinline__ void grid_copy_levels(const GridTail<Real> &T, Real *to, bool vectors)
{
  constexpr std::size_t quad = sizeof(GridQuad) / sizeof(Real);

  for (int l = 0; l < T.levels; l++) {
    const GridLevel<Real> &L     = T.level[l];
    const std::size_t      first = static_cast<std::size_t>(L.coef - T.memory), middle = static_cast<std::size_t>(L.x - T.memory);
    const std::size_t      end  = l + 1 < T.levels ? static_cast<std::size_t>(T.level[l + 1].coef - T.memory) : T.reals;
    const std::size_t      from = vectors ? middle / quad * quad : first, upto = vectors ? end : middle / quad * quad;

    grid_copy<THREADS>(to + from, T.memory + from, upto - from);
  }
}

/* What the block finds out about the columns before it begins: the levels one after the other, both colours */
struct GridTabled {
  static constexpr bool pads = true;
  const GridAcross     *of_level;

  template <int CELLS, int CHUNKS, class Real>
  __device__ __forceinline__ GridAcross across(const GridChunk<CELLS, CHUNKS, Real> &chunk, const GridLevel<Real> &, bool) const
  {
    return of_level[chunk.colour * static_cast<unsigned>(chunk.L.columns) + chunk.column];
  }
  template <int CELLS, int CHUNKS, class Real>
  __device__ __forceinline__ void give(GridChunk<CELLS, CHUNKS, Real> &chunk, int p) const
  {
    GridStored().give(chunk, p);
  }
};

/* Of shared memory: the levels' memory, the levels, the table */
template <class Real>
std::size_t grid_tail_bytes(const GridTail<Real> &T)
{
  return T.reals * sizeof(Real) + (T.levels * sizeof(GridLevel<Real>) + sizeof(GridQuad) - 1) / sizeof(GridQuad) * sizeof(GridQuad) +
         T.columns * sizeof(GridAcross) + T.levels * sizeof(int);
}

template <int THREADS, class Real>
__device__ __forceinline__ void grid_fill_table(const GridTail<Real> &T, GridAcross *table, int *begin)
{
  int from = 0;

  for (int l = 0; l < T.levels; l++) {
    const GridLevel<Real> L = T.level[l], C = T.level[l + 1 < T.levels ? l + 1 : l];
    const int             columns = static_cast<int>(L.columns);

    if (threadIdx.x == 0) begin[l] = from;
    for (int k = threadIdx.x; k < 2 * columns; k += THREADS) {
      const int      colour = k >= columns;
      const unsigned column = static_cast<unsigned>(k - colour * columns);

      table[from + k] = GridAcross(L, C, l + 1 < T.levels, colour, column, GridColumn(L, colour, column));
    }
    from += 2 * columns;
  }
}

/* room: of grid_tail_bytes(). The block has GridTuning::columns * CHUNKS threads; restrict and solve are the only steps, because levels with links are not here.
   ready(): called before anything is read that other kernels write */
template <int CELLS, int CHUNKS, class Real, class Ready>
__device__ __forceinline__ void grid_run_tail(const GridTail<Real> &T, GridQuad *room, GridScan<Real, CHUNKS> &scan, Ready ready)
{
  constexpr int          threads = GridTuning::columns * CHUNKS;
  Real *const            mine    = reinterpret_cast<Real *>(room);
  GridLevel<Real> *const levels  = reinterpret_cast<GridLevel<Real> *>(mine + T.reals);

  constexpr std::size_t quad  = sizeof(GridQuad);
  GridAcross *const     table = reinterpret_cast<GridAcross *>(room + (T.reals * sizeof(Real) + T.levels * sizeof(GridLevel<Real>) + quad - 1) / quad);
  int *const            begin = reinterpret_cast<int *>(table + T.columns);

  grid_copy_levels<threads>(T, mine, false);
  grid_fill_table<threads>(T, table, begin);
  for (int l = threadIdx.x; l < T.levels; l += threads) levels[l] = T.level[l];
  ready();
  grid_copy_levels<threads>(T, mine, true);
  GridStep next = T.step[0];
  __syncthreads();
  for (int n = 0; n < T.steps; n++) {
    const GridStep        s    = next;
    const int             l    = s.level - T.first;
    const bool            last = l + 1 == T.levels;
    const GridLevel<Real> L = grid_moved(levels[l], T.memory, mine), C = grid_moved(levels[last ? l : l + 1], T.memory, mine);

    if (n + 1 < T.steps) next = T.step[n + 1]; /* on its way meanwhile */
    if (s.op == GridOp::solve) {
      const auto none   = [] { return true; };
      GridTabled source = {table + begin[l]};
      GridKept   sink   = {s.change};
      int        bits   = 0;

      while ((1 << bits) < GridTuning::columns && (1u << bits) < static_cast<unsigned>(L.columns)) bits++;
      for (std::size_t first = 0; first < L.columns; first += GridTuning::columns)
        grid_solve_lines<CELLS, CHUNKS>(L, C, source, sink, s, first, scan, none, none, bits);
    } else {
      const unsigned columns = static_cast<unsigned>(C.columns);

      for (unsigned place = threadIdx.x; place < C.cells; place += threads) {
        const unsigned row = place / columns;

        grid_restrict<1>(L, C, s.change ? L.d : nullptr, static_cast<int>(row >> 1), static_cast<int>(row & 1), place - row * columns);
      }
    }
    __syncthreads();
  }
  for (int l = 0; l < (T.keep ? T.levels : 1); l++) { /* x, b and d lie behind each other */
    const std::size_t from = static_cast<std::size_t>(levels[l].x - T.memory), vectors = !T.keep ? 1 : levels[l].d ? 3 : 2;

    for (std::size_t k = threadIdx.x; k < levels[l].cells * vectors; k += threads) T.memory[from + k] = mine[from + k];
  }
}

} // namespace heptane
