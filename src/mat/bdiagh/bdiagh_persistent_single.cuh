/*
   What the persistent kernels with copies of seven-point grids in single precision share: their parameter, and a block's rows with what of the matrix lies in its shared memory. Knows no PETSc objects.
*/
#pragma once

#include "../../device/grid_reduce.cuh"
#include "../../pass/operator.hpp"
#include "../../pass/stored_pack.hpp"
#include "bdiagh_persistent_rows.cuh"
#include "bdiagh_single_tuning.hpp"

namespace heptane
{

/* A kernel's parameter. Columns lie offset[0], offset[1], which are near, and offset[2], which is far, before a row and behind it; near values lie in shared memory. */
struct BdiaghSinglePersistent {
  static constexpr int distances = 3;

  int           n, chunk; /* rows; rows of a block */
  int           offset[distances];
  const Single *near[4]; /* values at -offset[1], -offset[0], offset[0], offset[1]; of a symmetric matrix the last two alone */
  const Single *far[2];  /* at -offset[2], offset[2] */
  int           shift;   /* rows that values at -offset[2] lie earlier: offset[2] of a symmetric matrix, else 0 */
  int           windows; /* vectors in shared memory with the columns beside the block's rows */
  int           near_singles;
  /* Rows of a thread whose far values above and below, and whose weights, lie in shared memory */
  int                   above, below, weights;
  int                   partners; /* blocks whose rows a block's columns are, relative to its own number */
  int                   partner[4 * distances];
  FusedSinglePersistent v;
  FusedScalars         *scalars;
  Real                 *history;
  int                   history_length;

  /* Singles of shared memory: the vectors, the near values, of a symmetric matrix with those before the block's first row, then the rows' others, `threads` at a time */
  __host__ __device__ __forceinline__ int margin() const { return offset[1]; }
  __host__ __device__ __forceinline__ int window() const { return chunk + 2 * margin(); }
  __host__ __device__ __forceinline__ std::size_t singles() const
  {
    return static_cast<std::size_t>(windows) * window() + near_singles +
           static_cast<std::size_t>(BdiaghSinglePersistentTuning::threads) * (above + below + weights);
  }
};

/* rows: of a thread; upper: of a symmetric matrix without what lies below its diagonal */
template <int ROWS, bool UPPER>
struct BdiaghSingleVariant {
  static constexpr int  threads = BdiaghSinglePersistentTuning::threads, rows = ROWS, ahead = BdiaghSinglePersistentTuning::ahead;
  static constexpr bool upper = UPPER;
};

/* A block's rows, and what of the matrix lies in its shared memory */
template <class Variant>
struct BdiaghSingleBlock {
  static constexpr int threads = Variant::threads;

  const BdiaghSinglePersistent &P;
  const int                     start, rows;
  Single                       *near[4]; /* of row `start` */
  Single                       *above, *below, *weight;
  const CacheHint               stay = hint_stay();

  __device__ __forceinline__ BdiaghSingleBlock(const BdiaghSinglePersistent &P_, Single *shared)
    : P(P_), start(blockIdx.x * P.chunk), rows(max(0, min(P.chunk, P.n - start)))
  {
    Single *values = shared + P.windows * P.window();

    above  = values + P.near_singles;
    below  = above + threads * P.above;
    weight = below + threads * P.below;
    if constexpr (Variant::upper) {
      near[2] = values + P.offset[0];
      near[3] = near[2] + P.chunk + P.offset[1];
      near[1] = near[2] - P.offset[0];
      near[0] = near[3] - P.offset[1];
    } else {
#pragma unroll
      for (int k = 0; k < 4; k++) near[k] = values + k * P.chunk;
    }
  }

  __device__ __forceinline__ bool inside(int row) const
  {
    return static_cast<unsigned>(row) < static_cast<unsigned>(P.n);
  }

  /* Values, and zeros where there is no row */
  __device__ __forceinline__ void load_matrix() const
  {
#pragma unroll
    for (int k = Variant::upper ? 2 : 0; k < 4; k++) {
      const int first = Variant::upper ? -P.offset[k - 2] : 0;
      for (int l = first + static_cast<int>(threadIdx.x); l < P.chunk; l += threads) near[k][l] = inside(start + l) ? P.near[k][start + l] : Single(0);
    }
    for (int q = 0; q < Variant::rows; q++) {
      const int l = threadIdx.x + q * threads, row = start + l;
      if (q < P.above) above[l] = l < rows ? P.far[1][row] : Single(0);
      if (q < P.below) below[l] = l < rows && row >= P.shift ? P.far[0][row - P.shift] : Single(0);
      if (q < P.weights) weight[l] = l < rows && P.v.weight ? P.v.weight[row] : Single(1);
    }
  }
  /* f(place from the first own row on, row) of the columns beside the block's rows that are rows of the matrix */
  template <class F>
  __device__ __forceinline__ void for_margin(F &&f) const
  {
    for (int e = threadIdx.x; e < 2 * P.margin(); e += threads) {
      const int place = e < P.margin() ? e - P.margin() : e - P.margin() + P.chunk;
      if (inside(start + place)) f(place, start + place);
    }
  }

  __device__ __forceinline__ Single value_above(int q, int l) const
  {
    return q < P.above ? above[l] : load_hinted(P.far[1] + start + l, stay);
  }
  __device__ __forceinline__ Single value_below(int q, int l) const
  {
    if (q < P.below) return below[l];
    const int row = start + l - P.shift;
    return row >= 0 ? load_hinted(P.far[0] + row, stay) : Single(0);
  }
  __device__ __forceinline__ Single weight_of(int q, int l) const
  {
    if (q < P.weights) return weight[l];
    return P.v.weight ? load_hinted(P.v.weight + start + l, stay) : Single(1);
  }

  /*
     each(q, l, own, y) for all places of the thread: y = u + A u in row start + l, summed in the order of bdiagh_single_rows.hpp. window: u of row `start` and of those beside it, in shared memory;
     there: all of u, for the far columns
  */
  template <class Each>
  __device__ __forceinline__ void products(const Single *window, const Single *there, Each &&each) const
  {
    constexpr int rooms = Variant::ahead + 1;
    Single        a[rooms][2], u[rooms][2];
    const int     near0 = P.offset[0], near1 = P.offset[1], far = P.offset[2];
    const auto    bring = [&](int i, int q, int l) {
      const int low = start + l - far, high = start + l + far;
      u[i % rooms][0] = low >= 0 ? __ldcg(there + low) : Single(0);
      u[i % rooms][1] = high < P.n ? __ldcg(there + high) : Single(0);
      a[i % rooms][0] = value_below(q, l);
      a[i % rooms][1] = value_above(q, l);
    };
    for_all_places_ahead<Variant, false>(rows, bring, [&](int i, int q, int l, bool own) {
      const Single *c = window + l;
      Single        y = a[i % rooms][0] * u[i % rooms][0];
      y += near[0][l] * c[-near1];
      y += near[1][l] * c[-near0];
      y += near[2][l] * c[near0];
      y += near[3][l] * c[near1];
      y += a[i % rooms][1] * u[i % rooms][1];
      each(q, l, own, c[0] + y);
    });
  }
};

/* One thread: the norm of an iteration has been taken into S, which it stops for an update, and logged. most: the largest of them */
template <class Scalars>
__device__ __forceinline__ void bdiagh_after_norm(const BdiaghSinglePersistent &P, int it_before, Scalars &S, Real &most)
{
  most = S.dp > most ? S.dp : most;
  if (S.stop == FusedStop::no && S.dp <= P.v.factor * most) stop_at(S, FusedStop::limit, S.it);
  if (blockIdx.x == 0) log_norm(it_before, S, P.history, P.history_length);
}

/* One kernel: rows of a thread */
struct BdiaghSingleKernel {
  const void *kernel;
  int         rows;
};

/* Kernels of a method in the order in which they are tried */
const BdiaghSingleKernel *bdiagh_persistent_single_cg_kernels(int *number);
const BdiaghSingleKernel *bdiagh_persistent_single_bcgs_kernels(int *number);

} // namespace heptane
