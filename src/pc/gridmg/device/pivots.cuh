/*
   The factors of lines by a thread block, one unknown per cell: adjacent columns, each divided into chunks of cells in
   the registers of a thread. A cell maps the ratio P^-1 s of the previous cell to a fraction of linear terms. A chunk
   composes the maps of its cells, a thread per column composes the chunks, and each chunk then has its entering ratio.
   For M-matrices all terms have one sign. If the ratio that leaves a chunk differs from the one that enters the next,
   as after a cell without a pivot, one thread factors the whole line.
*/
#pragma once

#include "../grid/tuning.hpp"
#include "../rows/setup_rows.hpp"
#include <type_traits>

namespace heptane
{

/* t becomes (a t + b) / (c t + d) */
struct GridRatioMap {
  Scalar a = 1, b = 0, c = 0, d = 1;

  /* Composes the map of a cell after this one; common factors do not matter */
  HEPTANE_HD void then(const GridLineCell<1> &cell)
  {
    const Scalar low = -cell.below[0][0], s = cell.s[0][0], all = s - cell.above[0][0];
    const Scalar new_a = low * a + s * c, new_b = low * b + s * d, new_c = low * a + all * c, new_d = low * b + all * d;
    const Scalar size = std::fabs(new_c) + std::fabs(new_d), factor = static_cast<Scalar>(1 / static_cast<float>(size));

    if (!(cell.size > 0)) { /* an empty cell has the ratio zero */
      a = b = c = 0;
      d         = 1;
      return;
    }
    a = factor * new_a;
    b = factor * new_b;
    c = factor * new_c;
    d = factor * new_d;
  }
};

/* The maps of the chunks of a block's columns; later, in a and c, the ratio that enters each chunk, as a fraction; the
   ratio that leaves a panel */
template <int CHUNKS>
struct GridPivotScan {
  static constexpr int columns = GridTuning::columns;
  Scalar               a[CHUNKS][columns], b[CHUNKS][columns], c[CHUNKS][columns], d[CHUNKS][columns], carry[columns];
  int                  differs[columns];

  /* Called by one thread per column. As maps have denominators of size one, the fraction is rescaled only in some of
     the steps. */
  __device__ __forceinline__ void run(int lane)
  {
    Scalar above = carry[lane], under = 1;

    HEPTANE_UNROLL
    for (int q = 0; q < CHUNKS; q++) {
      const Scalar now_a = a[q][lane], now_b = b[q][lane], now_c = c[q][lane], now_d = d[q][lane];

      a[q][lane]             = above;
      c[q][lane]             = under;
      const Scalar new_above = now_a * above + now_b * under, new_under = now_c * above + now_d * under;

      above = new_above;
      under = new_under;
      if (q % 4 == 3) {
        const Scalar factor = static_cast<Scalar>(1 / static_cast<float>(std::fabs(above) + std::fabs(under)));

        above *= factor;
        under *= factor;
      }
    }
    differs[lane] = 0;
  }
};

/* Cells of a chunk, chunks of a panel, as compile-time constants by the length of a line: f(cells, chunks) */
template <class F>
auto with_pivot_chunks(int K, F &&f)
{
  if (K <= 32) return f(std::integral_constant<int, 2>(), std::integral_constant<int, 16>());
  if (K <= 64) return f(std::integral_constant<int, 4>(), std::integral_constant<int, 16>());
  if (K <= 96) return f(std::integral_constant<int, 3>(), std::integral_constant<int, 32>());
  return f(std::integral_constant<int, 4>(), std::integral_constant<int, 32>());
}

/* Cells from, ..., last - 1 of a column by one thread; ratio: of the previous cell; returns that of the last one */
template <class Real, class F>
__device__ __forceinline__ Scalar grid_factor_cells(const GridLevel<Real> &L, int colour, std::size_t column, int from, int last, Scalar ratio, F singular)
{
  GridLine<1>     line;
  GridLineCell<1> cell;

  line.ratio[0][0] = ratio;
  for (int k = from; k < last; k++) {
    const std::size_t c = L.at(k, colour, column);

    cell.load(L, c);
    if (!line.factor(L, c, cell)) singular(c);
  }
  return line.ratio[0][0];
}

/* Factors GridTuning::columns columns of a colour from `first` on; singular(c): called if the pivot of cell c is
   singular. Threads: columns times CHUNKS, columns first */
template <int CELLS, int CHUNKS, class Real, class F>
__device__ __forceinline__ void grid_factor_lines(const GridLevel<Real> &L, int colour, std::size_t first, GridPivotScan<CHUNKS> &scan, F singular)
{
  constexpr int     panel = CELLS * CHUNKS;
  const int         lane = static_cast<int>(threadIdx.x) % GridTuning::columns, number = static_cast<int>(threadIdx.x) / GridTuning::columns;
  const bool        within = first + lane < L.columns;
  const std::size_t column = within ? first + lane : 0;

  if (number == 0) scan.carry[lane] = 0;
  for (int from = 0; from < L.K; from += panel) {
    const int            k0 = from + number * CELLS, last = from + panel < L.K ? from + panel : L.K;
    GridRawCell<1, Real> raw[CELLS];
    GridLineCell<1>      cell[CELLS];
    GridRatioMap         map;
    GridLine<1>          line;
    Scalar               inverse[CELLS][1][1];
    bool                 good[CELLS];

    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) raw[t].load(L, L.at(k0 + t < L.K ? k0 + t : L.K - 1, colour, column));
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      cell[t].take(raw[t]);
      if (k0 + t < L.K) map.then(cell[t]);
    }
    scan.a[number][lane] = map.a;
    scan.b[number][lane] = map.b;
    scan.c[number][lane] = map.c;
    scan.d[number][lane] = map.d;
    __syncthreads();
    if (number == 0) scan.run(lane);
    __syncthreads();
    line.ratio[0][0] = scan.a[number][lane] / scan.c[number][lane];
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++)
      if (k0 + t < L.K) good[t] = line.pivot(cell[t], inverse[t]);
    if (k0 + CELLS < last) {
      const Scalar above = scan.a[number + 1][lane], leaves = line.ratio[0][0] * scan.c[number + 1][lane];

      if (within && !(std::fabs(leaves - above) <= 1e4 * dense_epsilon * std::fabs(above))) scan.differs[lane] = 1; /* by more than rounding */
    }
    __syncthreads();
    if (!scan.differs[lane]) {
      HEPTANE_UNROLL
      for (int t = 0; t < CELLS; t++) {
        const std::size_t c = L.at(k0 + t, colour, column);

        if (!within || k0 + t >= L.K) continue;
        GridLine<1>::put(L, c, cell[t], inverse[t]);
        if (!good[t]) singular(c);
      }
      if (k0 < last && k0 + CELLS >= last) scan.carry[lane] = line.ratio[0][0];
    } else if (number == 0) scan.carry[lane] = grid_factor_cells(L, colour, column, from, last, scan.carry[lane], singular);
    __syncthreads();
  }
}

} // namespace heptane
