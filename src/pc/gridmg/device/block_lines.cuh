/*
   Lines of several unknowns per cell, solved by a thread block: a thread has a chunk of cells of a column. A recurrence
   is an affine map of the value entering a chunk; one thread per column composes the maps. Long lines: in panels.
*/
#pragma once

#include "../grid/plan.hpp"
#include "../grid/tuning.hpp"
#include "../rows/dense.hpp"
#include "across.cuh"

namespace heptane
{

/* Division of the lines of a level: cells of a chunk, chunks of a panel, threads of a block */
template <int B, class Real>
struct GridBlockShape {
  static constexpr int cells = GridTuning::block_cells<B>, columns = GridTuning::block_columns;
  static constexpr int words   = B * B + B; /* of the map of a chunk */
  static constexpr int fits    = GridTuning::block_room / (words * static_cast<int>(sizeof(Real)));
  static constexpr int threads = fits >= 256 ? 256 : fits >= 128 ? 128 : 64;

  /* From this number of unknowns on, the recurrence has a thread per row, `rows` per column: see GridBlockScan */
  static constexpr bool by_rows = B > 4;
  static constexpr int  rows    = 8;
  static_assert(!by_rows || (B <= rows && columns * rows <= threads && columns * rows % 32 == 0), "whole warps go along the chunks");

  HEPTANE_HD static int chunks(int K) { return K < cells * (threads / columns) ? (K + cells - 1) / cells : threads / columns; }
  /* Threads of a block; threads without a chunk of a short line take part in the recurrence */
  HEPTANE_HD static int block(int K) { return columns * (by_rows && chunks(K) < rows ? rows : chunks(K)); }
};

/* Maps of all chunks of a block, end + slope (entering value); the entering values then replace `end` */
template <int B, class Real>
struct GridBlockScan {
  using Shape                 = GridBlockShape<B, Real>;
  static constexpr int stride = Shape::threads + (Shape::by_rows ? 1 : 0); /* padded against bank conflicts between rows */
  Real                 slope[B * B][stride], end[B][stride];

  /* From chunk `first` on in steps of `step`, for the column of this thread: replaces `end` by the value entering each
     chunk. carry: enters the first chunk, on return leaves the last one. */
  __device__ __forceinline__ void run(int lane, int chunks, int first, int step, Real (&carry)[B])
  {
    constexpr bool ahead = !Shape::by_rows; /* loads the map of the next chunk before the store for this one */
    Real           map[B][B], own[B];

    if constexpr (ahead) load(first * Shape::columns + lane, map, own);
    for (int c = 0; c < chunks; c++) {
      const int at = (first + c * step) * Shape::columns + lane;
      Real      next[B][B], then[B], leaves[B];

      if constexpr (!ahead) load(at, map, own);
      else if (c + 1 < chunks) load(at + step * Shape::columns, next, then);
      HEPTANE_UNROLL
      for (int p = 0; p < B; p++) {
        leaves[p] = own[p];
        HEPTANE_UNROLL
        for (int s = 0; s < B; s++) leaves[p] += map[p][s] * carry[s];
      }
      HEPTANE_UNROLL
      for (int p = 0; p < B; p++) {
        end[p][at] = carry[p];
        carry[p]   = leaves[p];
        if constexpr (ahead) {
          own[p] = then[p];
          HEPTANE_UNROLL
          for (int s = 0; s < B; s++) map[p][s] = next[p][s];
        }
      }
    }
  }

  /* The same by the first threads of the block, one per row of a column, in the order of sums of run(): each sum
     depends on one row only. carry: of the row. */
  __device__ __forceinline__ void run_rows(int chunks, int first, int step, Real &carry)
  {
    const int  thread = static_cast<int>(threadIdx.x), lane = thread / Shape::rows, p = thread % Shape::rows;
    const bool is_row = p < B;
    Real       map[B] = {}, own = 0;

    if (is_row) load_row(first * Shape::columns + lane, p, map, own);
    for (int c = 0; c < chunks; c++) {
      const int at      = (first + c * step) * Shape::columns + lane;
      Real      next[B] = {}, then = 0;

      if (is_row && c + 1 < chunks) load_row(at + step * Shape::columns, p, next, then); /* before the thread of the row overwrites it */
      if (is_row) end[p][at] = carry;
      __syncwarp();
      carry = own;
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) {
        carry += map[s] * end[s][at];
        map[s] = next[s];
      }
      own = then;
    }
  }

private:
  __device__ __forceinline__ void load_row(int at, int p, Real (&map)[B], Real &own) const
  {
    own = end[p][at];
    HEPTANE_UNROLL
    for (int s = 0; s < B; s++) map[s] = slope[p * B + s][at];
  }
  __device__ __forceinline__ void load(int at, Real (&map)[B][B], Real (&own)[B]) const
  {
    HEPTANE_UNROLL
    for (int p = 0; p < B; p++) {
      own[p] = end[p][at];
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) map[p][s] = slope[p * B + s][at];
    }
  }
};

/* A chunk of a column in a thread's registers; threads: columns first. Values of missing cells are not used. */
template <int B, class Real>
struct GridBlockChunk {
  using Shape                = GridBlockShape<B, Real>;
  static constexpr int cells = Shape::cells;

  const GridLevel<Real> &L;
  const int              lane, number, colour, chunks, panel; /* panel: cells of a line that the block processes together */
  const bool             within;                              /* the column is one of the level */
  const unsigned         column;
  const GridColumn       at;
  const bool             taken; /* it has an inverse, which solves it */
  Real                   z[cells][B] = {}, factor[cells][B][B] = {};

  __device__ __forceinline__ GridBlockChunk(const GridLevel<Real> &of, int c, std::size_t first, const int *lines = nullptr)
    : L(of), lane(static_cast<int>(threadIdx.x) % Shape::columns), number(static_cast<int>(threadIdx.x) / Shape::columns), colour(c),
      chunks(Shape::chunks(of.K)), panel(Shape::chunks(of.K) * cells), within(first + lane < of.columns),
      column(within ? static_cast<unsigned>(first) + lane : 0), at(of, c, column), taken(grid_has_inverse(of, lines, c, column))
  {}
  __device__ __forceinline__ int  k(int p, int t) const { return p * panel + number * cells + t; }
  __device__ __forceinline__ bool inside(int p, int t) const { return !taken && within && at.exists && k(p, t) < L.K; }
  __device__ __forceinline__ int  layer(int p, int t) const { return k(p, t) < L.K ? k(p, t) : L.K - 1; }
  __device__ __forceinline__ std::size_t place(int p, int t) const { return L.at(layer(p, t), colour, column); }

  /* The factors of one direction along the line, which are constant during a cycle */
  __device__ __forceinline__ void load(int p, int slot)
  {
    HEPTANE_UNROLL
    for (int t = 0; t < cells; t++) {
      const std::size_t c = place(p, t);

      HEPTANE_UNROLL
      for (int i = 0; i < B; i++) {
        HEPTANE_UNROLL
        for (int s = 0; s < B; s++) factor[t][i][s] = L.template entry<B>(slot, i, s)[c];
      }
    }
  }
  __device__ __forceinline__ void clear_outside(int p)
  {
    HEPTANE_UNROLL
    for (int t = 0; t < cells; t++) {
      HEPTANE_UNROLL
      for (int i = 0; i < B; i++) {
        if (!inside(p, t)) z[t][i] = 0;
        HEPTANE_UNROLL
        for (int s = 0; s < B; s++)
          if (!inside(p, t)) factor[t][i][s] = 0;
      }
    }
  }
  /* z = P^-1 (b - couplings across the line times x), as in grid_line_rhs() */
  template <class Packed>
  __device__ __forceinline__ void right_side(int p, const GridLevel<Real> &C, const GridAcross &A, bool correct, bool zero, Packed)
  {
    HEPTANE_UNROLL
    for (int t = 0; t < cells; t++) {
      const std::size_t c = place(p, t), from = 2 * L.columns * layer(p, t), coarse = 2 * C.columns * layer(p, t);
      Real              r[B];

      HEPTANE_UNROLL
      for (int i = 0; i < B; i++) {
        r[i]    = L.b[i * L.cells + c];
        z[t][i] = 0;
      }
      if (!zero) {
        Real pair[B][B];

        HEPTANE_UNROLL
        for (int side = 0; side < 4; side++) {
          HEPTANE_UNROLL
          for (int s = 0; s < B; s++) {
            Real x = L.x[s * L.cells + from + A.place[side]];

            if (correct) x += C.x[s * C.cells + coarse + A.coarse_place[side]];
            HEPTANE_UNROLL
            for (int i = 0; i < B; i++) {
              if constexpr (Packed::value) {
                if (side % 2 == 0) pair[s][i] = L.template entry<B>(grid_west + side, i, s)[c]; /* west and east, or south and north */
                Real both[2];

                grid_unpack(pair[s][i], both[0], both[1]);
                r[i] -= both[side % 2] * x;
              } else r[i] -= L.template entry<B>(grid_west + side, i, s)[c] * x;
            }
          }
        }
      }
      HEPTANE_UNROLL
      for (int i = 0; i < B; i++) {
        HEPTANE_UNROLL
        for (int s = 0; s < B; s++) z[t][i] += L.template entry<B>(grid_pivot, i, s)[c] * r[s];
      }
    }
  }
  /* One sweep along panel p: z = z - factor (z of the previous cell). carry: in scanning threads, z before the panel,
     then its last z. ascending: from the first cell on */
  template <bool ascending>
  __device__ __forceinline__ void go(GridBlockScan<B, Real> &scan, Real (&carry)[B])
  {
    const int at_scan = static_cast<int>(threadIdx.x);
    Real      before[B];

    publish<ascending>(scan);
    __syncthreads();
    if constexpr (Shape::by_rows) {
      if (static_cast<int>(threadIdx.x) < Shape::columns * Shape::rows) scan.run_rows(chunks, ascending ? 0 : chunks - 1, ascending ? 1 : -1, carry[0]);
    } else if (number == 0) scan.run(lane, chunks, ascending ? 0 : chunks - 1, ascending ? 1 : -1, carry);
    __syncthreads();
    HEPTANE_UNROLL
    for (int i = 0; i < B; i++) before[i] = scan.end[i][at_scan];
    HEPTANE_UNROLL
    for (int q = 0; q < cells; q++) {
      const int t = ascending ? q : cells - 1 - q;

      HEPTANE_UNROLL
      for (int i = 0; i < B; i++) {
        HEPTANE_UNROLL
        for (int s = 0; s < B; s++) z[t][i] -= factor[t][i][s] * before[s];
      }
      HEPTANE_UNROLL
      for (int i = 0; i < B; i++) before[i] = z[t][i];
    }
  }
  /* For lines of several panels: stores z, and reads it again */
  __device__ __forceinline__ void put(int p, Real *room) const
  {
    HEPTANE_UNROLL
    for (int t = 0; t < cells; t++) {
      HEPTANE_UNROLL
      for (int i = 0; i < B; i++)
        if (inside(p, t)) room[i * L.cells + place(p, t)] = z[t][i];
    }
  }
  __device__ __forceinline__ void get(int p, const Real *room)
  {
    HEPTANE_UNROLL
    for (int t = 0; t < cells; t++) {
      HEPTANE_UNROLL
      for (int i = 0; i < B; i++) z[t][i] = room[i * L.cells + place(p, t)];
    }
  }
  __device__ __forceinline__ void store(int p, bool change) const
  {
    HEPTANE_UNROLL
    for (int t = 0; t < cells; t++) {
      HEPTANE_UNROLL
      for (int i = 0; i < B; i++) {
        const std::size_t to = i * L.cells + place(p, t);

        if (!inside(p, t)) continue;
        if (change) L.d[to] = z[t][i] - L.x[to];
        L.x[to] = z[t][i];
      }
    }
  }

private:
  /* Stores the map of the chunk in the scan */
  template <bool ascending>
  __device__ __forceinline__ void publish(GridBlockScan<B, Real> &scan) const
  {
    const int own    = static_cast<int>(threadIdx.x);
    Real      end[B] = {}, slope[B][B] = {};

    HEPTANE_UNROLL
    for (int q = 0; q < cells; q++) {
      const int t = ascending ? q : cells - 1 - q;
      Real      z_new[B], slope_new[B][B];

      HEPTANE_UNROLL
      for (int i = 0; i < B; i++) {
        z_new[i] = z[t][i];
        HEPTANE_UNROLL
        for (int s = 0; s < B; s++) {
          if (q > 0) z_new[i] -= factor[t][i][s] * end[s];
          slope_new[i][s] = q > 0 ? Real(0) : -factor[t][i][s];
          HEPTANE_UNROLL
          for (int m = 0; m < B; m++)
            if (q > 0) slope_new[i][s] -= factor[t][i][m] * slope[m][s];
        }
      }
      HEPTANE_UNROLL
      for (int i = 0; i < B; i++) {
        end[i] = z_new[i];
        HEPTANE_UNROLL
        for (int s = 0; s < B; s++) slope[i][s] = slope_new[i][s];
      }
    }
    HEPTANE_UNROLL
    for (int i = 0; i < B; i++) {
      scan.end[i][own] = end[i];
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) scan.slope[i * B + s][own] = slope[i][s];
    }
  }
};

/*
   Step s on columns from `first` on; C: next coarser level, any if s does not correct. ready(), done(): called before
   data of other steps is read, before x is stored. lines: see GridDense, or null. Threads: GridBlockShape::block().
*/
template <int B, class Real, class Ready, class Done, class Packed = GridPacked<false>>
__device__ __forceinline__ void grid_solve_block_lines(const GridLevel<Real> &L, const GridLevel<Real> &C, const GridStep &s, std::size_t first,
                                                       GridBlockScan<B, Real> &scan, Ready ready, Done done, Packed packed = Packed(),
                                                       const int *lines = nullptr)
{
  GridBlockChunk<B, Real> chunk(L, s.colour, first, lines);
  const GridAcross        across(L, C, s.correct, s.colour, chunk.column, chunk.at);
  const int               panels   = (L.K + chunk.panel - 1) / chunk.panel;
  Real *const             room     = s.change ? L.d : L.x; /* the old x is needed until the end */
  Real                    carry[B] = {};

  for (int p = 0; p < panels; p++) {
    chunk.load(p, grid_below);
    if (p == 0) ready();
    chunk.right_side(p, C, across, s.correct, s.zero, packed);
    chunk.clear_outside(p);
    chunk.template go<true>(scan, carry);
    if (panels > 1) chunk.put(p, room);
  }
  HEPTANE_UNROLL
  for (int i = 0; i < B; i++) carry[i] = 0;
  for (int p = panels - 1; p >= 0; p--) {
    chunk.load(p, grid_above);
    if (panels > 1) chunk.get(p, room);
    chunk.clear_outside(p);
    chunk.template go<false>(scan, carry);
    if (p == panels - 1) done();
    chunk.store(p, s.change);
  }
}

} // namespace heptane
