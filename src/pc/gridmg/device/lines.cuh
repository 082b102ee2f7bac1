/*
   The solution of lines by a thread block, one unknown per cell: adjacent columns, each divided into chunks of cells in
   the registers of a thread. A recurrence along the line is an affine map of the value that enters a chunk; a scan over
   the chunks composes the maps. Lines that are too long for a block are processed in panels.
*/
#pragma once

#include "../grid/plan.hpp"
#include "../grid/tuning.hpp"
#include "../rows/dense.hpp"
#include "across.cuh"
#include <type_traits>

namespace heptane
{

/* The map of a chunk: the value leaving it is z + slope * (entering value) */
template <class Real>
struct alignas(2 * sizeof(Real)) GridMap {
  Real z, slope;
};

/* The maps of the chunks of a block's columns, and of groups of chunks; two alternating copies, so that no thread
   overwrites data that is still read */
template <class Real, int CHUNKS>
struct GridScan {
  static constexpr int columns = GridTuning::columns, groups = 4, group = CHUNKS / groups;
  GridMap<Real>        chunk[2][CHUNKS][columns], together[2][groups][columns];

  /*
     Returns the value that enters chunk `order` if `carry` enters the first chunk; carry becomes the value that leaves
     the last one. Call with all threads; turn: a variable of the thread, initially 0.
  */
  __device__ __forceinline__ Real enter(int order, int column, GridMap<Real> own, int &turn, Real &carry)
  {
    const int of = order / group, first = of * group;
    Real      z = 0, slope = 1, entering = carry;

    chunk[turn][order][column] = own;
    __syncthreads();
    HEPTANE_UNROLL
    for (int q = 0; q < group - 1; q++) {
      if (first + q >= order) break;
      const GridMap<Real> map = chunk[turn][first + q][column];
      z                       = map.z + map.slope * z;
      slope *= map.slope;
    }
    if (order - first == group - 1) together[turn][of][column] = {own.z + own.slope * z, own.slope * slope};
    __syncthreads();
    HEPTANE_UNROLL
    for (int q = 0; q < groups; q++) {
      const GridMap<Real> map = together[turn][q][column];

      if (q < of) entering = map.z + map.slope * entering;
      carry = map.z + map.slope * carry;
    }
    turn = 1 - turn;
    return z + slope * entering;
  }
};

/* A chunk of a column in the registers of a thread. Threads: columns times CHUNKS, columns first. Values loaded for
   missing cells are not used. */
template <int CELLS, int CHUNKS, class Real>
struct GridChunk {
  static constexpr int panel = CELLS * CHUNKS; /* cells of a line that the block processes together */

  const GridLevel<Real> &L;
  const int              lane, number, colour;
  const bool             within; /* the column is one of the level */
  const unsigned         column;

  const bool solves; /* the column exists and has no inverse */
  int        turn     = 0;
  Real       z[CELLS] = {}, up[CELLS] = {}, low[CELLS] = {}, pivot[CELLS] = {}, across[CELLS][4] = {}; /* across: as stored */

  __device__ __forceinline__ GridChunk(const GridLevel<Real> &of, int c, std::size_t first, const int *lines = nullptr)
    : L(of), lane(static_cast<int>(threadIdx.x) % GridTuning::columns), number(static_cast<int>(threadIdx.x) / GridTuning::columns), colour(c),
      within(first + lane < of.columns), column(within ? static_cast<unsigned>(first) + lane : 0),
      solves(within && GridColumn(of, c, column).exists && !grid_has_inverse(of, lines, c, column))
  {}
  __device__ __forceinline__ GridColumn at() const { return GridColumn(L, colour, column); }
  __device__ __forceinline__ int        k(int p, int t) const { return p * panel + number * CELLS + t; }
  __device__ __forceinline__ bool       inside(int p, int t) const { return solves && k(p, t) < L.K; }
  __device__ __forceinline__ int        layer(int p, int t) const { return k(p, t) < L.K ? k(p, t) : L.K - 1; }
  __device__ __forceinline__ unsigned   place(int p, int t) const { return (2u * layer(p, t) + colour) * static_cast<unsigned>(L.columns) + column; }

  /* Coefficients of panel p, which are constant during a cycle; couplings across are optional; packed: see
     GridPacked */
  template <class Packed = GridPacked<false>>
  __device__ __forceinline__ void load(int p, bool alone, Packed packed = Packed())
  {
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      const unsigned c = place(p, t);

      pivot[t] = L.template entry<1>(grid_pivot, 0, 0)[c];
      low[t]   = L.template entry<1>(grid_below, 0, 0)[c];
      up[t]    = L.template entry<1>(grid_above, 0, 0)[c];
      if (!alone) L.template load_across<1>(packed, 0, 0, c, across[t]);
    }
  }
  /* z = P^-1 (z - couplings across the line times x), as in grid_line_rhs(); zero: x is zero, or with correct equal to
     x of the next coarser level */
  template <class Packed = GridPacked<false>>
  __device__ __forceinline__ void right_side(int p, const GridLevel<Real> &C, bool correct, const GridAcross &A, bool zero, Packed packed = Packed())
  {
    if (!zero || correct) {
      HEPTANE_UNROLL
      for (int t = 0; t < CELLS; t++) {
        const unsigned from = 2u * static_cast<unsigned>(L.columns) * layer(p, t);
        Real           x[4];

        HEPTANE_UNROLL
        for (int side = 0; side < 4; side++) x[side] = zero ? Real(0) : L.x[from + A.place[side]];
        if (correct) {
          const unsigned coarse = 2u * static_cast<unsigned>(C.columns) * layer(p, t);

          HEPTANE_UNROLL
          for (int side = 0; side < 4; side++) x[side] += C.x[coarse + A.coarse_place[side]];
        }
        L.unpack_across(packed, across[t]);
        HEPTANE_UNROLL
        for (int side = 0; side < 4; side++) z[t] -= across[t][side] * x[side];
      }
    }
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      if (!inside(p, t)) pivot[t] = low[t] = up[t] = 0;
      z[t] *= pivot[t];
    }
  }
  /* z = z - L z of the previous cell; carry: z before the panel, on return its last z */
  __device__ __forceinline__ void forward(GridScan<Real, CHUNKS> &scan, Real &carry)
  {
    Real end = 0, slope = 1;

    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      end = z[t] - low[t] * end;
      slope *= -low[t];
    }
    Real before = scan.enter(number, lane, {end, slope}, turn, carry);
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) {
      before = z[t] - low[t] * before;
      z[t]   = before;
    }
  }
  /* x of panel p in z: x = z - U x of the next cell; carry: x after the panel, on return its first x */
  __device__ __forceinline__ void backward(GridScan<Real, CHUNKS> &scan, Real &carry)
  {
    Real end = 0, slope = 1;

    HEPTANE_UNROLL
    for (int t = CELLS - 1; t >= 0; t--) {
      end = z[t] - up[t] * end;
      slope *= -up[t];
    }
    Real next = scan.enter(CHUNKS - 1 - number, lane, {end, slope}, turn, carry);
    HEPTANE_UNROLL
    for (int t = CELLS - 1; t >= 0; t--) {
      next = z[t] - up[t] * next;
      z[t] = next;
    }
  }
  /* For lines of several panels: stores z, and reads it again with `up` */
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

/* A source that computes no column data before give() */
struct GridPlain {
  struct Found {};
  template <class Chunk>
  __device__ __forceinline__ Found find(const Chunk &) const
  {
    return Found();
  }
};

/* Right-hand sides of lines from b */
struct GridStored : GridPlain {
  template <int CELLS, int CHUNKS, class Real>
  __device__ __forceinline__ void give(GridChunk<CELLS, CHUNKS, Real> &chunk, int p, Found) const
  {
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) chunk.z[t] = chunk.L.b[chunk.place(p, t)];
  }
  /* Of one cell, for lines with an inverse */
  template <class Real>
  __device__ __forceinline__ Real one(const GridLevel<Real> &L, const GridColumn &, std::size_t c, int, bool) const
  {
    return L.b[c];
  }
};

/* ... or the residual of the previous level, summed and stored in b. change: of its x, or x itself if it was zero.
   Packed: of F, see GridPacked */
template <class Real, class Packed = GridPacked<false>>
struct GridRestricted {
  GridLevel<Real> F;
  const Real     *change;

  /* Early only if registers are left: in chunks of 4 cells, whose threads have 128. Otherwise they would spill while
     coefficients are loaded. */
  template <int CELLS, int CHUNKS>
  __device__ __forceinline__ auto find(const GridChunk<CELLS, CHUNKS, Real> &chunk) const
  {
    if constexpr (CELLS == 4) return GridFinePair(F, chunk.at());
    else return GridPlain::Found();
  }
  template <int CELLS, int CHUNKS>
  __device__ __forceinline__ void give(GridChunk<CELLS, CHUNKS, Real> &chunk, int p, GridPlain::Found) const
  {
    give(chunk, p, GridFinePair(F, chunk.at()));
  }
  template <int CELLS, int CHUNKS>
  __device__ __forceinline__ void give(GridChunk<CELLS, CHUNKS, Real> &chunk, int p, const GridFinePair &fine) const
  {
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++) chunk.z[t] = fine.sum(Packed(), F, change, chunk.layer(p, t));
    HEPTANE_UNROLL
    for (int t = 0; t < CELLS; t++)
      if (chunk.inside(p, t)) chunk.L.b[chunk.place(p, t)] = chunk.z[t];
  }
  __device__ __forceinline__ Real one(const GridLevel<Real> &L, const GridColumn &at, std::size_t c, int k, bool keeps) const
  {
    const Real sum = GridFinePair(F, at).sum(Packed(), F, change, k);

    if (keeps) L.b[c] = sum;
    return sum;
  }
};

/* Stores the solution in x */
struct GridKept {
  bool change; /* that of x to d */

  template <int CELLS, int CHUNKS, class Real>
  __device__ __forceinline__ void take(const GridChunk<CELLS, CHUNKS, Real> &chunk, int p) const
  {
    chunk.store(p, change);
  }
};

/*
   Step s on GridTuning::columns columns of its colour from `first` on; C: the next coarser level, or any if the step
   does not correct. ready(): called before data of other steps is read; if it returns false, which it does for all
   threads of a block, no work is done. done(): called before x is stored. packed: of L, see GridPacked; lines: see
   GridDense, null: no column has an inverse
*/
template <int CELLS, int CHUNKS, class Real, class Source, class Sink, class Ready, class Done, class Packed = GridPacked<false>>
__device__ __forceinline__ void grid_solve_lines(const GridLevel<Real> &L, const GridLevel<Real> &C, Source &source, Sink &sink, const GridStep &s,
                                                 std::size_t first, GridScan<Real, CHUNKS> &scan, Ready ready, Done done, Packed packed = Packed(),
                                                 const int *lines = nullptr)
{
  GridChunk<CELLS, CHUNKS, Real> chunk(L, s.colour, first, lines);
  const GridAcross               across = GridAcross(L, C, s.correct, s.colour, chunk.column, chunk.at());
  const auto                     found  = source.find(chunk);
  const int                      panels = (L.K + chunk.panel - 1) / chunk.panel;
  Real *const                    room   = s.change ? L.d : L.x; /* the old x is needed until the end */
  Real                           carry  = 0;

  for (int p = 0; p < panels; p++) {
    chunk.load(p, s.zero && !s.correct, packed);
    if (p == 0 && !ready()) return;
    source.give(chunk, p, found);
    chunk.right_side(p, C, s.correct, across, s.zero, packed);
    chunk.forward(scan, carry);
    if (panels > 1) chunk.put(p, room);
  }
  carry = 0;
  for (int p = panels - 1; p >= 0; p--) {
    if (panels > 1) chunk.get(p, room);
    chunk.backward(scan, carry);
    if (p == panels - 1) done();
    sink.take(chunk, p);
  }
}

/*
   Chunks of a line and cells of a chunk at compile time, by the length of a line: f(cells, chunks). 16 chunks of 4
   cells are 6 % faster than 32 of 2 (prototype, H200). Places beyond the end of a line are loaded and not used; chunks
   of 5 cells waste few for the 65 or 129 cells of grids that were refined by halves.
*/
template <class F>
auto with_chunks(int K, F &&f)
{
  const auto places = [K](int cells) { return (K + 32 * cells - 1) / (32 * cells) * cells; }; /* places of a thread, in all panels */

  if (K <= 16) return f(std::integral_constant<int, 1>(), std::integral_constant<int, 16>());
  if (K <= 32) return f(std::integral_constant<int, 2>(), std::integral_constant<int, 16>());
  if (K <= 64) return f(std::integral_constant<int, 4>(), std::integral_constant<int, 16>());
  if (K <= 80) return f(std::integral_constant<int, 5>(), std::integral_constant<int, 16>());
  if (K <= 96) return f(std::integral_constant<int, 3>(), std::integral_constant<int, 32>());
  if (K <= 128) return f(std::integral_constant<int, 4>(), std::integral_constant<int, 32>());
  if (4 * places(5) <= 3 * places(8)) return f(std::integral_constant<int, 5>(), std::integral_constant<int, 32>());
  return f(std::integral_constant<int, 8>(), std::integral_constant<int, 32>());
}

} // namespace heptane
