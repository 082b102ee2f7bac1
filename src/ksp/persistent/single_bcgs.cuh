/*
   BiCGStab with D A of a seven-point grid and vectors stored as Single in one kernel whose blocks are all resident, on
   one GPU or several.
*/
#pragma once

#include "../fusedbcgs/carried.hpp"
#include "single_streamed.cuh"

namespace heptane
{

/*
   Computes  iterations of BiCGStab with D A, whose preconditioner is the identity, until the scalars say stop, or the
             norm is `factor` times the largest since the last update:
               v = D A p; (v, r0), and (r, r) of the iteration before    sum over the grid
               s = r - alpha v                                           s exchanged, neighbours meet
               t = D A s; (t, s), (t, t), (r0, t), (r0, s)               sum over the grid
               y += alpha p + omega s, r = s - omega t,
               p = r + beta (p - omega v)                                p exchanged, neighbours meet
   Threads   one for `rows` rows: y, r0, v, t in registers; p, and r (which is s in turn), in shared memory with the
             columns of the near diagonals; streamed: r0 in shared memory
   Bytes     an iteration per row: 8 written and 16 read of s and p, 8 for each value of the far diagonals that is not
             in shared memory; streamed: 48 for all values
   Order     deterministic: a row as in format/single_rows.hpp; the rows of a thread, threads and blocks in a fixed
             order
   Several ranks: v and t of rows that other ranks need are sent before the sums; the contributions of off-rank columns
   to v and t are recurred from them: see HaloPlaces. 16 bytes for each row and product.
   The norm of an iteration is tested together with the first sum of the next one, before anything but v has changed.
   Longer than 60 lines: vectors stay in registers from one pass to the next.
*/
template <class Variant>
__global__ void __launch_bounds__(Variant::threads, 1) bdiagh_persistent_single_bcgs_kernel(const __grid_constant__ BdiaghSinglePersistentOf<Variant> P)
{
  using Reduce                                           = BdiaghPersistentReduce<Variant>;
  constexpr int                                        R = Variant::rows;
  extern __shared__ Single                             dynamic_singles[];
  __shared__ typename Reduce::Shared                   reduce_shared;
  __shared__ BcgsScalars                               S;
  __shared__ Real                                      most;
  Reduce                                               reduce = bdiagh_persistent_reduce<Variant>(P, reduce_shared);
  BdiaghSingleBlockOf<Variant>                         B(P, dynamic_singles);
  BdiaghPersistentHalo<Variant, 1, BcgsCarried::parts> halo(P, B.start, B.rows);
  constexpr int                                        T = Variant::threads;
  Single *const window_p = dynamic_singles + P.margin(), *const window_r = window_p + Variant::window(P);
  Single *const p = window_p + threadIdx.x, *const r = window_r + threadIdx.x, *const of_s = P.v.exchange[0];
  Single     y[R], kept_r0[Variant::streamed ? 1 : R], v[R], t[R];
  double     square    = 0; /* this thread's part of (r, r) */
  bool       completed = false;
  const auto r0        = [&](int q) -> Single        &{
    if constexpr (Variant::streamed) return B.vector[q * T];
    else return kept_r0[q];
  };

  if (threadIdx.x == 0) {
    S    = *static_cast<const BcgsScalars *>(P.scalars);
    most = P.v.most;
  }
  halo.begin(reduce.number());
  __syncthreads();
  if (S.stop != FusedStop::no) return;
  for (int e = threadIdx.x; e < 2 * Variant::window(P); e += T) dynamic_singles[e] = 0;
  B.load_matrix();
  __syncthreads();
#pragma unroll
  for (int q = 0; q < R; q++) y[q] = r0(q) = v[q] = t[q] = 0;
  B.for_rows([&](int q, int row) {
    y[q]     = P.v.y[row];
    r0(q)    = P.v.r0[row];
    p[q * T] = P.v.p[row];
    r[q * T] = P.v.r[row];
  });
  __syncthreads();
  if constexpr (Variant::ranks) {
    bdiagh_send_two(
      halo, reduce, [&](int q) { return p[q * T]; }, [](int, Scalar z, Scalar(&c)[BcgsCarried::parts]) { c[BcgsCarried::of_p] = z; },
      [&](int q) { return r[q * T]; });
  }

  for (;;) {
    double         first[2] = {0, square}, second[4] = {0, 0, 0, 0};
    const unsigned incomplete = halo.receives(); /* rows whose products are not complete before the halo is added */

    B.template products<true>(
      p, P.v.p, [&] { B.load_margin(window_p, P.v.p); },
      [&](int q, Single row) {
        v[q] = row;
        if (B.active(q) && !(incomplete >> q & 1)) first[0] += static_cast<double>(row) * static_cast<double>(r0(q));
      });
    halo.update_halo([&](int q, Scalar z, Scalar(&c)[BcgsCarried::parts]) {
      const Single vq = static_cast<Single>(pick(v, q) + BcgsCarried::to_p(S, completed, z, c));
      put_place(v, q, vq);
      first[0] += static_cast<double>(vq) * static_cast<double>(pick(kept_r0, q));
    });
    reduce.template sum<2, false>(
      first,
      [&](const double(&s)[2]) {
        if (completed) {
          const int it = S.it;

          bcgs_after_update(S, static_cast<Scalar>(s[1]));
          bdiagh_after_norm(P, it, S, most, P.v.factor);
        }
        if (S.stop == FusedStop::no) bcgs_after_first(S, static_cast<Scalar>(s[0]));
      },
      [] {}, [&] { halo.send(reduce.number(), [&](int q) { return pick(v, q); }); });
    if (S.stop != FusedStop::no) break;

    const Scalar       alpha = S.alpha;
    const SingleFactor minus_alpha(-alpha), plus_alpha(alpha);
    B.for_rows([&](int q, int row) {
      r[q * T]  = minus_alpha.plus(r[q * T], v[q]);
      of_s[row] = r[q * T];
    });
    reduce.neighbor_barrier(P.partner, P.partners, [&] { halo.receive(reduce.number()); });

    B.template products<false>(
      r, of_s, [&] { B.load_margin(window_r, of_s); },
      [&](int q, Single row) {
        t[q] = row;
        if (B.active(q)) {
          const double h = static_cast<double>(r0(q)), s = static_cast<double>(r[q * T]);
          second[3] += h * s;
          if (!(incomplete >> q & 1)) {
            const double tq = static_cast<double>(row);
            second[0] += tq * s;
            second[1] += tq * tq;
            second[2] += h * tq;
          }
        }
      });
    halo.update_halo([&](int q, Scalar z, Scalar(&c)[BcgsCarried::parts]) {
      put_place(t, q, static_cast<Single>(pick(t, q) + BcgsCarried::to_s(alpha, z, c)));
      const double h = static_cast<double>(pick(kept_r0, q)), tq = static_cast<double>(pick(t, q)), s = static_cast<double>(r[q * T]);
      second[0] += tq * s;
      second[1] += tq * tq;
      second[2] += h * tq;
    });
    reduce.template sum<4, false>(
      second,
      [&](const double(&s)[4]) {
        const Scalar sums[4] = {static_cast<Scalar>(s[0]), static_cast<Scalar>(s[1]), static_cast<Scalar>(s[2]), static_cast<Scalar>(s[3])};
        bcgs_after_second(S, sums);
      },
      [] {}, [&] { halo.send(reduce.number(), [&](int q) { return pick(t, q); }); });
    if (S.stop != FusedStop::no) {
      B.for_rows([&](int q, int) { r[q * T] = plus_alpha.plus(r[q * T], v[q]); }); /* restores r from s */
      break;
    }

    const SingleFactor plus_omega(S.omega), minus_omega(-S.omega), plus_beta(S.beta);
    square = 0;
    B.for_rows([&](int q, int row) {
      const Single s = r[q * T], pl = p[q * T], rl = minus_omega.plus(s, t[q]);
      const double wide = static_cast<double>(rl);

      y[q] = plus_omega.plus(plus_alpha.plus(y[q], pl), s);
      square += wide * wide;
      r[q * T]   = rl;
      p[q * T]   = plus_beta.plus(rl, minus_omega.plus(pl, v[q]));
      P.v.p[row] = p[q * T];
    });
    reduce.neighbor_barrier(P.partner, P.partners, [&] { halo.receive(reduce.number()); });
    completed = true;
  }

  if constexpr (Variant::streamed) streamed_wait<0>();
  B.for_rows([&](int q, int row) {
    P.v.y[row] = y[q];
    P.v.r[row] = r[q * T];
  });
  if (threadIdx.x == 0) {
    S.settled = 1;
    if (blockIdx.x == 0) *static_cast<BcgsScalars *>(P.scalars) = S;
  }
  halo.end(reduce);
}

struct BdiaghPersistentSingleBcgs {
  template <class List, int I>
  static BdiaghSingleKernel kernel()
  {
    using Variant = std::conditional_t<List::kernels[I].stages != 0, BdiaghStreamedVariant<List, I>, BdiaghSingleVariant<List, I>>;
    return bdiagh_single_kernel_of<Variant>(bdiagh_persistent_single_bcgs_kernel<Variant>);
  }
};

} // namespace heptane
