/*
   Common parts of the persistent kernels for seven-point grids in single precision: their parameter, and a block's rows
   with its part of the matrix in shared memory. Without PETSc objects.
*/
#pragma once

#include "../../pass/offers/mixed_updates.hpp"
#include "../../pass/stored_pack.hpp"
#include "single_lists.hpp"
#include "skeleton.cuh"

namespace heptane
{

/*
   Data of a kernel that makes updates itself. Otherwise `on` is false, and only the state's factor and largest norm are
   used
*/
struct BdiaghSingleUpdates {
  static constexpr int diagonals = 7;

  bool            on;
  bool            norm_of_r; /* see FusedUpdatingPersistent, also for the following members */
  BdiaghDiagonals matrix;    /* in double precision */
  const Scalar   *rhs, *inverse;
  Scalar         *x, *kept, *residual, *sums;
  MixedState      state;
  MixedTest       test;
  MixedResult    *result;
};

/*
   A kernel's parameter. Columns are offset[0] and offset[1] (near) and offset[2] (far) before and after a row; near
   values are stored in shared memory.
*/
struct BdiaghSinglePersistent {
  static constexpr int distances = 3;

  int                   n, chunk; /* rows; rows of a block */
  int                   offset[distances];
  const Single         *near[4];  /* values at -offset[1], -offset[0], offset[0], offset[1]; if symmetric only the last two */
  const Single         *far[2];   /* at -offset[2], offset[2] */
  int                   shift;    /* rows by which values at -offset[2] are stored earlier: offset[2] if symmetric, else 0 */
  int                   partners; /* blocks whose rows a block's columns are, relative to its own number */
  int                   partner[8 * distances];
  FusedSinglePersistent v;
  BdiaghSingleUpdates   update;
  FusedScalars         *scalars;
  Real                 *history;
  int                   history_length;

  __host__ __device__ __forceinline__ int margin() const { return offset[1]; }
};

/* On several ranks */
struct BdiaghSinglePersistentOfRanks : BdiaghSinglePersistent {
  FusedRanks ranks;
  BdiaghCut  cut;
};
template <class Variant>
using BdiaghSinglePersistentOf = std::conditional_t<Variant::ranks, BdiaghSinglePersistentOfRanks, BdiaghSinglePersistent>;

/*
   Kernel I of a list whose values are on chip. upper: a symmetric matrix without the lower triangle; weights: whether
   the weights of the norm are in registers. Shared memory contains vectors with the columns next to the rows, near
   values (if symmetric, also values before the first row), then far values. Arrays have room for the largest number of
   rows of a block, so that addresses are the thread's address plus constants.
*/
template <class List, int I>
struct BdiaghSingleVariant {
  static constexpr BdiaghSingleFields is = List::kernels[I];

  static constexpr bool ranks = List::ranks, remainder = false, streamed = false, upper = List::upper;
  static constexpr int  threads = is.threads, rows = is.rows, places = threads * rows, below = is.below, above = is.above;
  static constexpr int  ahead = BdiaghSinglePersistentTuning::ahead, weights_ahead = BdiaghSinglePersistentTuning::weights_ahead, vectors = upper ? 1 : 2;
  static constexpr bool weights = rows <= BdiaghSinglePersistentTuning::weights_in_registers;

  static __host__ __device__ __forceinline__ int window(const BdiaghSinglePersistent &P) { return places + 2 * P.margin(); }
  static __host__ __device__ __forceinline__ int singles(const BdiaghSinglePersistent &P)
  {
    return vectors * window(P) + (upper ? 2 * places + P.offset[0] + P.offset[1] : 4 * places) + threads * (below + above);
  }
};

/* A block's rows; thread t has rows t, t + threads, ... */
template <class Variant>
struct BdiaghSingleRows {
  static constexpr int threads = Variant::threads;

  const BdiaghSinglePersistent &P;
  const int                     start, rows, first; /* first: row of the thread */
  const int                     left;               /* the thread has rows q with q * threads < left */

  __device__ __forceinline__ explicit BdiaghSingleRows(const BdiaghSinglePersistent &P_)
    : P(P_), start(blockIdx.x * P.chunk), rows(max(0, min(P.chunk, P.n - start))), first(start + static_cast<int>(threadIdx.x)),
      left(rows - static_cast<int>(threadIdx.x))
  {}
  __device__ __forceinline__ explicit BdiaghSingleRows(const BdiaghSinglePersistentOfRanks &P_)
    : P(P_), start(min(P_.cut.first(blockIdx.x), P_.n - 1)), rows(P_.cut.first(blockIdx.x + 1) - P_.cut.first(blockIdx.x)),
      first(start + static_cast<int>(threadIdx.x)), left(rows - static_cast<int>(threadIdx.x))
  {}

  __device__ __forceinline__ bool inside(int row) const { return static_cast<unsigned>(row) < static_cast<unsigned>(P.n); }
  __device__ __forceinline__ bool active(int q) const { return q * threads < left; }

  /*
     Copies the columns next to the block's rows, written to `there` by other blocks, to the window that begins with the
     block's first row. Called by all threads
  */
  __device__ __forceinline__ void load_margin(Single *window, const Single *there) const
  {
    for (int e = threadIdx.x; e < 2 * P.margin(); e += threads) {
      const int place = e < P.margin() ? e - P.margin() : e - P.margin() + rows;
      if (inside(start + place)) window[place] = __ldcg(there + start + place);
    }
    __syncthreads();
  }
  /* f(q, row) for the thread's rows */
  template <class F>
  __device__ __forceinline__ void for_rows(F &&f) const
  {
#pragma unroll
    for (int q = 0; q < Variant::rows; q++)
      if (active(q)) f(q, first + q * threads);
  }
};

/* The same with the block's part of the matrix in shared memory. Arrays begin with the thread's first row. */
template <class Variant>
struct BdiaghSingleBlock : BdiaghSingleRows<Variant> {
  using Rows = BdiaghSingleRows<Variant>;
  using Rows::first, Rows::inside, Rows::left, Rows::active, Rows::P, Rows::threads;

  Single *near[4];
  Single *below, *above;

  template <class Parameter>
  __device__ __forceinline__ BdiaghSingleBlock(const Parameter &P_, Single *shared) : Rows(P_)
  {
    Single *const values = shared + Variant::vectors * Variant::window(P) + threadIdx.x;

    if constexpr (Variant::upper) {
      near[2] = values + P.offset[0];
      near[3] = near[2] + Variant::places + P.offset[1];
      near[1] = near[2] - P.offset[0];
      near[0] = near[3] - P.offset[1];
      below   = near[3] + Variant::places;
    } else {
#pragma unroll
      for (int k = 0; k < 4; k++) near[k] = values + k * Variant::places;
      below = values + 4 * Variant::places;
    }
    above = below + threads * Variant::below;
  }

  /* Values, and zeros for places without a row */
  __device__ __forceinline__ void load_matrix() const
  {
#pragma unroll
    for (int k = Variant::upper ? 2 : 0; k < 4; k++) {
      const int before = Variant::upper ? P.offset[k - 2] : 0;
      for (int l = -before; l < Variant::places - static_cast<int>(threadIdx.x); l += threads)
        near[k][l] = inside(first + l) ? P.near[k][first + l] : Single(0);
    }
#pragma unroll
    for (int q = 0; q < Variant::rows; q++) {
      const int row = first + q * threads;
      if (q < Variant::below) below[q * threads] = active(q) && row >= P.shift ? P.far[0][row - P.shift] : Single(0);
      if (q < Variant::above) above[q * threads] = active(q) ? P.far[1][row] : Single(0);
    }
  }
  /*
     each(q, y) for all places of the thread, including places without rows: y = u + A u, summed in the order of
     format/single_rows.hpp. window: u of the thread's first row and of the adjacent columns in shared memory, valid
     after ready(); there: all of u, for the far columns
  */
  template <bool = true, class Ready, class Each> /* true: see BdiaghStreamedBlock */
  __device__ __forceinline__ void products(const Single *window, const Single *there, Ready &&ready, Each &&each) const
  {
    constexpr int rooms = Variant::ahead + 1, R = Variant::rows;
    const int     near0 = P.offset[0], near1 = P.offset[1], far = P.offset[2];
    /* a row q has the lower column if q * threads >= none_below, the upper one if q * threads < some_above */
    const int           none_below = far - first, some_above = P.n - far - first;
    const Single *const u_below = there + (first - far), *const u_above = there + (first + far), *const a_below = P.far[0] + (first - P.shift),
                        *const a_above = P.far[1] + first;
    Single                     a[rooms][2], u[rooms][2];
    const auto                 prefetch = [&](int q) {
      const bool has_below = q * threads >= none_below && q * threads < left, has_above = q * threads < some_above && q * threads < left;
      u[q % rooms][0] = has_below ? __ldcg(u_below + q * threads) : Single(0);
      u[q % rooms][1] = has_above ? __ldcg(u_above + q * threads) : Single(0);
      if (q < Variant::below) a[q % rooms][0] = below[q * threads];
      else a[q % rooms][0] = has_below ? __ldg(a_below + q * threads) : Single(0);
      if (q < Variant::above) a[q % rooms][1] = above[q * threads];
      else a[q % rooms][1] = has_above ? __ldg(a_above + q * threads) : Single(0);
    };
#pragma unroll
    for (int q = 0; q < Variant::ahead && q < R; q++) prefetch(q);
    ready();
#pragma unroll
    for (int q = 0; q < R; q++) {
      if (q + Variant::ahead < R) prefetch(q + Variant::ahead);
      const Single *c = window + q * threads;
      Single        y = a[q % rooms][0] * u[q % rooms][0];
      y += near[0][q * threads] * (c - near1)[0];
      y += near[1][q * threads] * (c - near0)[0];
      y += near[2][q * threads] * (c + near0)[0];
      y += near[3][q * threads] * (c + near1)[0];
      y += a[q % rooms][1] * u[q % rooms][1];
      each(q, c[0] + y);
    }
  }
};

/*
   Called by one thread, after the norm of an iteration has been stored in S: logs it, and stops for an update if it is
   `factor` times the largest one since the last update, most
*/
template <class Scalars>
__device__ __forceinline__ void bdiagh_after_norm(const BdiaghSinglePersistent &P, int it_before, Scalars &S, Real &most, Real factor)
{
  most = S.dp > most ? S.dp : most;
  if (S.stop == FusedStop::no && S.dp <= factor * most) stop_at(S, FusedStop::limit, S.it);
  if (blockIdx.x == 0) log_norm(it_before, S, P.history, P.history_length);
}

/* Data of a kernel for planning a launch */
struct BdiaghSingleKernel {
  const void *kernel;
  int         threads, rows;                       /* of a block, of a thread */
  int         shared;                              /* static bytes */
  int (*singles)(const BdiaghSinglePersistent &P); /* of dynamic shared memory */
};

template <class Variant>
BdiaghSingleKernel bdiagh_single_kernel_of(void (*kernel)(BdiaghSinglePersistentOf<Variant>))
{
  constexpr int shared = sizeof(typename GridReduce<Variant::threads>::Shared) + fused_scalars_bytes + 128 + 64 +
                         (Variant::ranks ? bdiagh_ranks_shared : 0); /* with a BdiaghUpdateState, and padding for alignment */

  return {reinterpret_cast<const void *>(kernel), Variant::threads, Variant::rows, shared, [](const BdiaghSinglePersistent &P) { return Variant::singles(P); }};
}

} // namespace heptane
