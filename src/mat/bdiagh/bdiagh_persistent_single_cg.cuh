/*
   CG with S A S of a seven-point grid and vectors stored as Single in one kernel whose blocks are all resident. Knows no PETSc objects.
*/
#pragma once

#include "../../device/grid_reduce.cuh"
#include "../../pass/stored_pack.hpp"
#include "../../ksp/fusedcg/fusedcg_scalars.hpp"
#include "../../pass/operator.hpp"
#include "bdiagh_persistent_rows.cuh"
#include "bdiagh_single_tuning.hpp"

namespace heptane
{

/* The kernel's parameter. Of the diagonals above the main one the first two are near, their values lie in shared memory; the third is far. */
struct BdiaghSinglePersistent {
  static constexpr int diagonals = 3;

  int           n, chunk, margin; /* rows; rows of a block; columns of the near diagonals on either side of these */
  int           offset[diagonals];
  const Single *diagonal[diagonals];
  /* Rows of a thread whose values above and below, and whose weights, lie in shared memory */
  int                   above, below, weights;
  int                   partners; /* blocks whose rows a block's columns are, relative to its own number */
  int                   partner[4 * diagonals];
  FusedSinglePersistent v;
  FusedScalars         *scalars;
  Real                 *history;
  int                   history_length;

  /* Singles of shared memory: p, the near values with those before the block's first row, then the rows' others, `threads` at a time */
  __host__ __device__ __forceinline__ int window() const { return chunk + 2 * margin; }
  __host__ __device__ __forceinline__ int near(int k) const { return chunk + offset[k]; }
  __host__ __device__ __forceinline__ std::size_t singles() const
  {
    return static_cast<std::size_t>(window()) + near(0) + near(1) + static_cast<std::size_t>(BdiaghSinglePersistentTuning::threads) * (above + below + weights);
  }
};

template <int ROWS>
struct BdiaghSingleVariant {
  static constexpr int threads = BdiaghSinglePersistentTuning::threads, rows = ROWS, ahead = BdiaghSinglePersistentTuning::ahead;
};

/* A block's rows, and what of the matrix lies in its shared memory */
template <class Variant>
struct BdiaghSingleBlock {
  static constexpr int threads = Variant::threads;

  const BdiaghSinglePersistent &P;
  const int                     start, rows;
  Single *const                 p;     /* of row `start` */
  Single *const value0, *const value1; /* the near diagonals' of row `start` */
  Single *const above, *const below, *const weight;
  const CacheHint stay = hint_stay();

  __device__ __forceinline__ BdiaghSingleBlock(const BdiaghSinglePersistent &P_, Single *shared)
    : P(P_), start(blockIdx.x * P.chunk), rows(max(0, min(P.chunk, P.n - start))), p(shared + P.margin), value0(shared + P.window() + P.offset[0]),
      value1(value0 + P.chunk + P.offset[1]), above(value1 + P.chunk), below(above + threads * P.above), weight(below + threads * P.below)
  {}

  __device__ __forceinline__ bool inside(int row) const { return static_cast<unsigned>(row) < static_cast<unsigned>(P.n); }

  /* Values, and zeros where there is no row */
  __device__ __forceinline__ void load_matrix() const
  {
    const int first[2] = {-P.offset[0], -P.offset[1]};
#pragma unroll
    for (int k = 0; k < 2; k++) {
      Single *to = k ? value1 : value0;
      for (int l = first[k] + static_cast<int>(threadIdx.x); l < P.chunk; l += threads) to[l] = inside(start + l) ? P.diagonal[k][start + l] : Single(0);
    }
    for (int q = 0; q < Variant::rows; q++) {
      const int l = threadIdx.x + q * threads, row = start + l;
      if (q < P.above) above[l] = l < rows ? P.diagonal[2][row] : Single(0);
      if (q < P.below) below[l] = l < rows && row >= P.offset[2] ? P.diagonal[2][row - P.offset[2]] : Single(0);
      if (q < P.weights) weight[l] = l < rows && P.v.weight ? P.v.weight[row] : Single(1);
    }
  }
  /* f(place from the first own row on, row) of the columns beside the block's rows that are rows of the matrix */
  template <class F>
  __device__ __forceinline__ void for_margin(F &&f) const
  {
    for (int e = threadIdx.x; e < 2 * P.margin; e += threads) {
      const int place = e < P.margin ? e - P.margin : e - P.margin + P.chunk;
      if (inside(start + place)) f(place, start + place);
    }
  }

  __device__ __forceinline__ Single value_above(int q, int l) const
  {
    return q < P.above ? above[l] : load_hinted(P.diagonal[2] + start + l, stay);
  }
  __device__ __forceinline__ Single value_below(int q, int l) const
  {
    if (q < P.below) return below[l];
    const int row = start + l - P.offset[2];
    return row >= 0 ? load_hinted(P.diagonal[2] + row, stay) : Single(0);
  }
  __device__ __forceinline__ Single weight_of(int q, int l) const
  {
    if (q < P.weights) return weight[l];
    return P.v.weight ? load_hinted(P.v.weight + start + l, stay) : Single(1);
  }

  /* each(q, l, own, y) for all places of the thread: y = (S A S u)_(start + l), summed as by bdiagh_single_symmetric_row(), u in p and, at the far columns, in `there` */
  template <class Each>
  __device__ __forceinline__ void products(const Single *there, Each &&each) const
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
      const Single *c = p + l, *v0 = value0 + l, *v1 = value1 + l;
      Single        y = a[i % rooms][0] * u[i % rooms][0];
      y += v1[-near1] * c[-near1];
      y += v0[-near0] * c[-near0];
      y += v0[0] * c[near0];
      y += v1[0] * c[near1];
      y += a[i % rooms][1] * u[i % rooms][1];
      each(q, l, own, c[0] + y);
    });
  }
};

/*
   Computes  iterations of CG with S A S, whose preconditioner is the identity, until the scalars say stop, or the norm is `factor` times the largest since the last update:
               w = S A S p; (p, w)                    sum over the grid, nothing exchanged
               y += a p, r -= a w; (r, r), (n, n)     sum over the grid, nothing exchanged
               p = r + b p                            p exchanged, neighbours meet
   Threads   one for `rows` rows: y, r, w in registers, p in shared memory with the columns of the near diagonals
   Bytes     an iteration per row: 4 written and 8 read of p, 4 for each value of the far diagonal, above and below, and each weight that is not in shared memory
   Order     deterministic: a row as in bdiagh_single_rows.hpp; the rows of a thread, threads and blocks in a fixed order
   p is exchanged in two places in turn: what the slowest block still reads is not overwritten. Longer than 60 lines: vectors stay in registers from one pass to the next.
*/
template <class Variant>
__global__ void __launch_bounds__(Variant::threads, 1) bdiagh_persistent_single_cg_kernel(const __grid_constant__ BdiaghSinglePersistent P)
{
  using Reduce                         = GridReduce<Variant::threads>;
  constexpr int                      R = Variant::rows;
  extern __shared__ Single           dynamic_singles[];
  __shared__ typename Reduce::Shared reduce_shared;
  __shared__ CgScalars               S;
  __shared__ Real                    most;
  Reduce                             reduce(P.v.barrier, reduce_shared);
  BdiaghSingleBlock<Variant>         B(P, dynamic_singles);
  Single *const                      p = B.p;
  Single                             y[R], r[R], w[R];

  if (threadIdx.x == 0) {
    S    = *static_cast<const CgScalars *>(P.scalars);
    most = P.v.most;
  }
  __syncthreads();
  if (S.stop != FusedStop::no) return;
  {
    const Scalar       b = S.b;
    const SingleFactor factor(b);
    const auto         direction = [&](int row) { return b == Scalar(0) ? P.v.r[row] : factor.plus(P.v.r[row], P.v.p[row]); };

    for (int e = threadIdx.x; e < P.window(); e += Variant::threads) p[e - P.margin] = 0;
    B.load_matrix();
    __syncthreads();
    B.for_margin([&](int place, int row) { p[place] = direction(row); });
#pragma unroll
    for (int q = 0; q < R; q++) y[q] = r[q] = w[q] = 0;
    for_own_rows<Variant>(B.rows, [&](int q, int l) {
      const int row        = B.start + l;
      r[q]                 = P.v.r[row];
      y[q]                 = P.v.y[row];
      p[l]                 = direction(row);
      P.v.exchange[0][row] = p[l];
    });
    reduce.meet(P.partner, P.partners);
  }

  for (int turn = 0;; turn ^= 1) {
    double product[1] = {0}, squares[2] = {0, 0};

    B.products(P.v.exchange[turn], [&](int q, int l, bool own, Single row) {
      w[q] = row;
      product[0] += own ? static_cast<double>(p[l]) * static_cast<double>(row) : 0.;
    });
    reduce.template sum<1, false>(product, [&](const double(&s)[1]) { cg_after_product(S, static_cast<Scalar>(s[0])); });
    if (S.stop != FusedStop::no) break;

    const SingleFactor plus(S.a), minus(-S.a);
    for_own_rows<Variant>(B.rows, [&](int q, int l) {
      y[q]            = plus.plus(y[q], p[l]);
      r[q]            = minus.plus(r[q], w[q]);
      const double rq = static_cast<double>(r[q]), square = rq * rq;
      squares[0] += square;
      squares[1] += static_cast<double>(B.weight_of(q, l)) * square;
    });
    reduce.template sum<2, false>(squares, [&](const double(&s)[2]) {
      const int it = S.it;

      x_is_complete(S);
      cg_after_residual(S, static_cast<Scalar>(s[0]), static_cast<Scalar>(s[1]));
      most = fmax(most, S.dp);
      if (S.stop == FusedStop::no && S.dp <= P.v.factor * most) stop_at(S, FusedStop::limit, S.it); /* an update is due */
      if (blockIdx.x == 0) log_norm(it, S, P.history, P.history_length);
    });
    if (S.stop != FusedStop::no) break;

    const SingleFactor factor(S.b);
    Single *const      mine = P.v.exchange[turn ^ 1];
    for_own_rows<Variant>(B.rows, [&](int q, int l) {
      p[l]              = factor.plus(r[q], p[l]);
      mine[B.start + l] = p[l];
    });
    reduce.meet(P.partner, P.partners);
    B.for_margin([&](int place, int row) { p[place] = __ldcg(mine + row); });
    __syncthreads();
  }

  fence_device(); /* no block still reads what is overwritten now */
  __syncthreads();
  for_own_rows<Variant>(B.rows, [&](int q, int l) {
    P.v.y[B.start + l] = y[q];
    P.v.r[B.start + l] = r[q];
    P.v.p[B.start + l] = p[l];
  });
  if (threadIdx.x == 0) {
    S.settled = 1;
    if (blockIdx.x == 0) *static_cast<CgScalars *>(P.scalars) = S;
  }
}

} // namespace heptane
