/*
   The work of a thread block on the last levels of a cycle: see rows/tail.hpp.
*/
#pragma once

#include "across.cuh"
#include "tail_warp.cuh"

namespace heptane
{

/* n reals, a multiple of 16 bytes, copied by THREADS threads; several loads are in flight */
template <int THREADS, class Real>
__device__ __forceinline__ void grid_copy(Real *to, const Real *from, std::size_t n)
{
  constexpr int     together = 4;
  const std::size_t quads    = n * sizeof(Real) / sizeof(GridQuad);
  GridQuad          v[together];

  for (std::size_t first = threadIdx.x; first < quads; first += together * THREADS) {
    HEPTANE_UNROLL
    for (int t = 0; t < together; t++)
      if (first + t * THREADS < quads) v[t] = reinterpret_cast<const GridQuad *>(from)[first + t * THREADS];
    HEPTANE_UNROLL
    for (int t = 0; t < together; t++)
      if (first + t * THREADS < quads) reinterpret_cast<GridQuad *>(to)[first + t * THREADS] = v[t];
  }
}

/* The neighbours of a line */
template <class Real>
__device__ __forceinline__ void grid_find_lines(const GridTail<Real> &T, const GridTailLevel<Real> *level, int l, int colour, unsigned column, GridTailLine *to)
{
  const GridTailLevel<Real> &at   = level[l];
  const bool                 last = l + 1 == T.levels;
  const GridColumn           C    = GridColumn(at.L, colour, column);
  const GridAcross           A    = GridAcross(at.L, level[last ? l : l + 1].L, !last, colour, column, C);

  for (int side = 0; side < 4; side++) {
    to->place[side]        = at.reference(A.place[side]);
    to->coarse_place[side] = last ? 0 : level[l + 1].reference(A.coarse_place[side]);
  }
  if (!l) return;
  const GridFinePair fine(level[l - 1].L, C);
  for (int q = 0; q < 2; q++) {
    to->red[q] = level[l - 1].reference(fine.place[q]) | (fine.has[q] ? 0 : grid_no_line);
    for (int side = 0; side < 4; side++) to->fine_place[q][side] = level[l - 1].reference(fine.other[q][side]);
  }
}

/* f(level, colour, column, line) for the lines of a block, divided among THREADS threads */
template <int THREADS, class Real, class F>
__device__ __forceinline__ void for_tail_lines(const GridTail<Real> &T, const GridTailLevel<Real> *level, int block, F f)
{
  for (int l = 0; l < T.levels; l++) {
    const int mine = level[l].count(block);

    for (int k = threadIdx.x; k < 2 * mine; k += THREADS) {
      const int colour = k >= mine, n = k - colour * mine;

      f(l, colour, static_cast<unsigned>(level[l].first(block) + n), level[l].line + colour * level[l].of_rank + n);
    }
  }
}

/* f(line, cell of a line, its index in the level) for the cells of the first level in this block, `together` at a time:
   value = load(...) of all, then store(..., value) of all */
template <int CELLS, int THREADS, class Real, class Load, class Store>
__device__ __forceinline__ void for_tail_cells(const GridTailLevel<Real> &level, int block, Load load, Store store)
{
  constexpr int  together = 6;
  const unsigned mine = static_cast<unsigned>(level.count(block)), first = static_cast<unsigned>(level.first(block)), all = 2 * mine * level.L.K;
  Real           value[together];
  int            line[together], k[together];
  unsigned       place[together];

  for (unsigned begin = threadIdx.x; begin < all; begin += together * THREADS) {
    HEPTANE_UNROLL
    for (int t = 0; t < together; t++) {
      const unsigned e = begin + t * THREADS < all ? begin + t * THREADS : all - 1, layer = e / (2 * mine), n = e - layer * 2 * mine, colour = n >= mine;

      line[t]  = level.line + static_cast<int>(colour * level.of_rank + n - colour * mine);
      k[t]     = static_cast<int>(layer);
      place[t] = static_cast<unsigned>(level.L.at(k[t], static_cast<int>(colour), first + n - colour * mine));
      value[t] = load(line[t], k[t], place[t]);
    }
    HEPTANE_UNROLL
    for (int t = 0; t < together; t++)
      if (begin + t * THREADS < all) store(line[t], k[t], place[t], value[t]);
  }
}

/* The lines of a step that this warp has */
template <int CELLS, int WARPS, class Real, class Blocks>
__device__ __forceinline__ void grid_tail_step(const GridTail<Real> &T, const GridTailRoom<Real> &R, const Blocks &blocks, const GridTailStep &s)
{
  const GridTailLevel<Real>              &level = R.level[s.level];
  const int                               mine  = level.count(blocks.Rank());
  const GridTailWarp<CELLS, Real, Blocks> warp  = {T, R, blocks, s, static_cast<int>(threadIdx.x) % 32};

  for (int n = static_cast<int>(threadIdx.x) / 32; n < mine; n += WARPS) warp.solve(level.line + s.colour * level.of_rank + n);
}

/*
   room: memory of grid_tail_bytes(). The block has 32 WARPS threads. ready(): called before data of other kernels is
   read
*/
template <int CELLS, int WARPS, class Real, class Blocks, class Ready>
__device__ __forceinline__ void grid_run_tail(const GridTail<Real> &T, GridQuad *room, const Blocks &blocks, Ready ready)
{
  constexpr int            threads = 32 * WARPS;
  const GridTailRoom<Real> R(T, room);
  const int                block = blocks.Rank();

  for (int l = threadIdx.x; l < T.levels; l += threads) R.level[l] = T.level[l];
  blocks.template CopyAsync<threads>(R.at, T.image + block * T.image_of(), T.image_of());
  for (std::size_t n = T.image_of() + threadIdx.x; n < T.reals(); n += threads)
    R.at[n] = 0; /* also after the ends of lines: a number that is multiplied by zero must be finite */
  __syncthreads();
  for_tail_lines<threads>(T, R.level, block,
                          [&](int l, int colour, unsigned column, int line) { grid_find_lines(T, R.level, l, colour, column, R.line + line); });
  GridTailStep next = T.step[0];
  __syncthreads();
  ready();
  for_tail_cells<CELLS, threads>(
    R.level[0], block, [&](int, int, unsigned place) { return R.level[0].L.b[place]; },
    [&](int line, int k, unsigned, Real v) { R.at[T.vector_at(line) + T.length + grid_tail_place<CELLS>(k)] = v; });
  blocks.WaitCopies();
  blocks.Together();
  for (int n = 0; n < T.steps; n++) {
    const GridTailStep s    = next;
    const bool         last = n + 1 == T.steps;

    if (!last) next = T.step[n + 1]; /* prefetched */
    if (s.near && block == 0) grid_tail_step<CELLS, WARPS>(T, R, blocks.Alone(), s);
    if (!s.near && (!s.alone || block == 0)) grid_tail_step<CELLS, WARPS>(T, R, blocks, s);
    if (last || !s.alone || !next.alone) blocks.Together();
    else if (block == 0) __syncthreads();
  }
  for_tail_cells<CELLS, threads>(
    R.level[0], block, [&](int line, int k, unsigned) { return R.at[T.vector_at(line) + grid_tail_place<CELLS>(k)]; },
    [&](int, int, unsigned place, Real v) { R.level[0].L.x[place] = v; });
}

/* Real n of the image of a block: a coefficient of one of its lines, zero if there is no cell */
template <int CELLS, class Real>
HEPTANE_HD Real grid_tail_coefficient(const GridTail<Real> &T, const GridTailLevel<Real> *levels, int block, std::size_t n)
{
  const int line = static_cast<int>(n / (static_cast<std::size_t>(grid_slots) * T.length)), slot = static_cast<int>(n / T.length % grid_slots);
  const int at = static_cast<int>(n % T.length), k = at / (32 * CELLS) * (32 * CELLS) + at % 32 * CELLS + at / 32 % CELLS;

  for (int l = 0; l < T.levels; l++) {
    const GridTailLevel<Real> &level = levels[l];
    const int                  in    = line - level.line;

    if (in < 0 || in >= 2 * level.of_rank || block < level.rank || block >= level.rank + level.ranks) continue;
    const int colour = in >= level.of_rank, column = in - colour * level.of_rank;
    if (column >= level.count(block) || k >= level.L.K || at == T.length - 1) return 0;
    const std::size_t c = level.L.at(k, colour, static_cast<std::size_t>(level.first(block) + column));
    Real              across[4];

    if (slot < grid_west || slot > grid_north) return level.L.template entry<1>(slot, 0, 0)[c];
    level.L.template across<1>(level.L.half, 0, 0, c, across);
    return across[slot - grid_west];
  }
  return 0;
}

} // namespace heptane
