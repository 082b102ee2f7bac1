/*
   CG with S A S of a seven-point grid and vectors stored as Single in one kernel whose blocks are all resident, on one
   GPU or several.
*/
#pragma once

#include "../fusedcg/mixed.hpp"
#include "../fusedcg/rounded.hpp"
#include "single_update.cuh"

namespace heptane
{

/*
   Computes  iterations of CG with S A S, whose preconditioner is the identity, until the scalars say stop, or the norm
             is `factor` times the largest since the last update; and updates, if the kernel makes them itself:
               w = S A S p; (p, w)                    sum over the grid, nothing exchanged
               y += a p, r -= a w; (r, r), (n, n)     sum over the grid, nothing exchanged
               p = r + b p                            p exchanged, neighbours meet
   Threads   one for `rows` rows: y, r, w in registers, p in shared memory with the columns of the near diagonals
   Bytes     an iteration per row: 4 written and 8 read of p, 4 for each value of the far diagonal, above and below, and
             each weight that is not on chip; an update: see bdiagh_single_update(), and 4 of r, and 28 to move vectors
             to memory and back
   Order     deterministic: a row as in format/single_rows.hpp; the rows of a thread, threads and blocks in a fixed
             order
   Several ranks: r of rows that other ranks need is sent before the second sum; the contribution of off-rank columns to
   w is recurred from it: see HaloPlaces. 16 bytes for each row sent.
   p alternates between two buffers, so that no block overwrites values that another still reads. Longer than 60 lines:
   vectors stay in registers from one pass to the next.
*/
template <class Variant>
__global__ void __launch_bounds__(Variant::threads, 1) bdiagh_persistent_single_cg_kernel(const __grid_constant__ BdiaghSinglePersistentOf<Variant> P)
{
  using Reduce                          = BdiaghPersistentReduce<Variant>;
  constexpr int                       R = Variant::rows;
  extern __shared__ Single            dynamic_singles[];
  __shared__ typename Reduce::Shared  reduce_shared;
  __shared__ CgScalars                S;
  __shared__ BdiaghUpdateState        update_state;
  Reduce                              reduce = bdiagh_persistent_reduce<Variant>(P, reduce_shared);
  BdiaghSingleBlock<Variant>          B(P, dynamic_singles);
  BdiaghPersistentHalo<Variant, 2, 1> halo(P, B.start, B.rows);
  constexpr int                       T = Variant::threads, A = Variant::weights_ahead;
  Single *const window = dynamic_singles + P.margin(), *const p = window + threadIdx.x;
  Single     y[R], r[R], w[R], weight[Variant::weights ? R : A];
  const bool weighted  = P.v.weight != nullptr;
  const auto weight_of = [&](int q) { return weighted && B.active(q) ? __ldg(P.v.weight + B.first + q * T) : Single(1); };

  if (threadIdx.x == 0) {
    S = *static_cast<const CgScalars *>(P.scalars);
    update_state.begin(P);
  }
  halo.begin(reduce.number());
  __syncthreads();
  if (S.stop != FusedStop::no) return;
  for (int e = threadIdx.x; e < Variant::window(P); e += T) dynamic_singles[e] = 0;
  B.load_matrix();
  if constexpr (Variant::weights) {
#pragma unroll
    for (int q = 0; q < R; q++) weight[q] = weight_of(q);
  }
  __syncthreads();

  for (bool continues = true; continues;) {
    {
      const Scalar       b = S.b;
      const SingleFactor factor(b);
      const auto         direction = [&](int row) { return b == Scalar(0) ? P.v.r[row] : factor.plus(P.v.r[row], P.v.p[row]); };

#pragma unroll
      for (int q = 0; q < R; q++) y[q] = r[q] = w[q] = 0;
      B.for_rows([&](int q, int row) {
        r[q]                 = P.v.r[row];
        y[q]                 = P.v.y[row];
        p[q * T]             = direction(row);
        P.v.exchange[0][row] = p[q * T];
      });
      halo.send_first(reduce.number(), [&](int q) { return p[q * T]; });
      halo.receive(reduce.number());
      reduce.neighbor_barrier(P.partner, P.partners, [] {});
    }

    for (int turn = 0;; turn ^= 1) {
      double product[1] = {0}, squares[2] = {0, 0};

      B.products(
        p, P.v.exchange[turn], [&] { B.load_margin(window, P.v.exchange[turn]); },
        [&](int q, Single row) {
          w[q] = row;
          if (B.active(q)) product[0] += static_cast<double>(p[q * T]) * static_cast<double>(row);
        });
      halo.update_halo([&](int q, Scalar received, Scalar(&carried)[1]) {
        carried[0] = received + S.b * carried[0];
        put_place(w, q, pick(w, q) + static_cast<Single>(carried[0]));
        product[0] += static_cast<double>(p[q * T]) * carried[0];
      });
      if constexpr (!Variant::weights) {
#pragma unroll
        for (int q = 0; q < A; q++) weight[q] = weight_of(q);
      }
      reduce.template sum<1, false>(product, [&](const double(&s)[1]) { cg_after_product(S, static_cast<Scalar>(s[0])); });
      if (S.stop != FusedStop::no) break;

      const SingleFactor plus(S.a), minus(-S.a);
#pragma unroll
      for (int q = 0; q < R; q++) {
        const Single now = weight[Variant::weights ? q : q % A];
        if (!Variant::weights && q + A < R) weight[q % A] = weight_of(q + A);
        if (B.active(q)) {
          y[q]            = plus.plus(y[q], p[q * T]);
          r[q]            = minus.plus(r[q], w[q]);
          const double rq = static_cast<double>(r[q]), square = rq * rq;
          squares[0] += square;
          squares[1] += static_cast<double>(now) * square;
        }
      }
      reduce.template sum<2, false>(
        squares,
        [&](const double(&s)[2]) {
          const int it = S.it;

          x_is_complete(S);
          cg_after_residual(S, static_cast<Scalar>(s[0]), static_cast<Scalar>(s[1]));
          bdiagh_after_norm(P, it, S, update_state.m.most, update_state.m.factor);
        },
        [] {}, [&] { halo.send(reduce.number(), [&](int q) { return pick(r, q); }); });
      if (S.stop != FusedStop::no) break;

      const SingleFactor factor(S.b);
      Single *const      mine = P.v.exchange[turn ^ 1];
      B.for_rows([&](int q, int row) {
        p[q * T]  = factor.plus(r[q], p[q * T]);
        mine[row] = p[q * T];
      });
      reduce.neighbor_barrier(P.partner, P.partners, [&] { halo.receive(reduce.number()); });
    }

    fence_device(); /* no block still reads the values overwritten below */
    __syncthreads();
    B.for_rows([&](int q, int row) {
      P.v.y[row] = y[q];
      P.v.r[row] = r[q];
      P.v.p[row] = p[q * T];
    });
    continues = false;
    if constexpr (!Variant::ranks)
      if (bdiagh_update_is_due(P, S)) {
        const BdiaghSingleUpdates &U = P.update;
        CgSingles                  vectors;

        vectors.y = P.v.y, vectors.r = P.v.r;
        continues = bdiagh_single_update(
          B, reduce, S, update_state, CgAddCorrection(U.inverse, vectors, U.x, update_state.m.keep ? U.kept : nullptr),
          CgRound(U.inverse, U.residual, vectors, U.norm_of_r, false), [](int) { return Scalar(1); },
          [&](CgScalars &now, const Scalar(&s)[2]) { cg_after_rounding(now, s[0], s[1], true); }, [](CgScalars &now) { cg_continue(now); });
      }
  }
  if (threadIdx.x == 0) {
    update_state.end(P);
    S.settled = 1;
    if (blockIdx.x == 0) *static_cast<CgScalars *>(P.scalars) = S;
  }
  halo.end(reduce);
}

struct BdiaghPersistentSingleCg {
  template <class List, int I>
  static BdiaghSingleKernel kernel()
  {
    using Variant = BdiaghSingleVariant<List, I>;
    return bdiagh_single_kernel_of<Variant>(bdiagh_persistent_single_cg_kernel<Variant>);
  }
};

} // namespace heptane
