/*
   BiCGStab, preconditioned from the left, in one kernel whose blocks are all resident, on one rank or on each of
   several; matrix in the block-diagonal format.
*/
#pragma once

#include "../fusedbcgs/carried.hpp"
#include "skeleton.cuh"

namespace heptane
{

/*
   Loads from a vector that other blocks have written before a barrier. With several unknowns per cell the rows of a
   cell load the same columns: the first load reads the second-level cache, the following ones the first-level cache,
   which the fence of the barrier has invalidated
*/
template <class Variant>
__device__ __forceinline__ Scalar load_exchanged(const Scalar *from)
{
  if constexpr (Variant::block > 1) return *from;
  else return __ldcg(from);
}

/*
   Computes  iterations of BiCGStab until the scalars say stop:
               v = M^-1 A p; (v, r0), and (r, r) of the iteration before            sum over the grid, v (recurred) exchanged
               s = r - alpha v                                                      s exchanged unless it is recurred
               t = M^-1 A s; (t, s), (t, t), (r0, t), (r0, s)                       sum over the grid, t (recurred) exchanged
               x += alpha p + omega s, r = s - omega t, p = r + beta (p - omega v)  p exchanged unless it is recurred
             If s and p are exchanged, their entries at columns of the remainder in other blocks are recurred from v and
             t of these rows
             Several ranks: sums over the grids of all. v and t of rows that other ranks need are sent to them; the
             contributions of off-rank columns to A p and A s are updated by recurrence from the received values
   Threads   one for `rows` rows; p, and r (which is s in turn), in shared memory with the columns of the near diagonals
   Bytes     an iteration sizeof(Scalar) * (twice the diagonals not in shared memory, 4 a far diagonal, 2), r0 and the
             preconditioner unless they are kept
   Order     deterministic; a row's diagonals, then its remainder, piece by piece
   The norm of an iteration is tested together with the first sum of the next one, before anything but v has changed.
   Longer than 60 lines: vectors stay in registers from one pass to the next.
*/
template <class Variant>
__global__ void __launch_bounds__(Variant::threads, 1) bdiagh_persistent_bcgs_kernel(const __grid_constant__ BdiaghPersistentOf<Variant> P)
{
  using Reduce                                = BdiaghPersistentReduce<Variant>;
  using Layout                                = BdiaghPersistentBcgsLayout<Variant>;
  constexpr int                      R        = Variant::rows;
  constexpr bool                     recurred = Variant::recurred;
  constexpr int                      K = recurred ? R : 1, F = recurred ? BdiaghPersistentTuning::max_recurred : 1;
  extern __shared__ double           dynamic[];
  __shared__ typename Reduce::Shared reduce_shared;
  __shared__ PersistentScalars<BcgsScalars>                            scalars;
  Reduce                                                               reduce = bdiagh_persistent_reduce<Variant>(P, reduce_shared);
  const BcgsScalars                                                   &S      = scalars.S;
  BdiaghPersistentBlock<Variant>                                       B      = bdiagh_persistent_block<Variant>(P);
  BdiaghPersistentHalo<Variant, 1, BcgsCarried::parts, Variant::block> halo(P, B.start, B.rows);
  Scalar                                       *p = reinterpret_cast<Scalar *>(dynamic) + P.below, *r = p + P.below + B.to_end(), *matrix = r + B.to_end();
  ThreadVector<Variant, Layout::inverse_shared> inverse; /* if recurred */
  ThreadVector<Variant, Layout::x_shared>       x;
  ThreadVector<Variant, Layout::r0_shared>      kept_r0; /* unless it is loaded */
  Scalar                                        v[R], t[R];
  /* if recurred: at the columns of the far diagonals */
  Scalar     far_p[K][F], far_r[K][F], far_v[K][F];
  Scalar     margin_v  = 0;
  double     square    = 0; /* this thread's part of (r, r) */
  bool       completed = false;
  int        place, margin_row;
  const bool margin = B.one_margin(place, margin_row);
  /*
     Without BdiaghCarriedColumns, with which 4 rows per thread on several GPUs spill 8 more bytes. Bit q * F + f: the
     column is inside the matrix
  */
  unsigned far_inside = 0;
  auto     inverse_at = [&](int q, int l) { /* for q known only at run time, here and below */
                                        if constexpr (recurred) return inverse.at(q, l);
                                        else return B.diagonal_inverse(matrix, q, l);
  };
  auto load_recurred = [&](const Scalar *from, Scalar(&far)[K][F],
                           Scalar       &of_margin) { /* stored by other blocks */
                                                for_all_places<Variant>(B.rows, [&](int q, int l, bool) {
#pragma unroll
                                                  for (int f = 0; f < F; f++)
                                                    far[q][f] = far_inside >> (q * F + f) & 1 ? __ldcg(from + B.far_row(B.start + l, f)) : Scalar(0);
                                                });
                                                if (margin) of_margin = __ldcg(from + margin_row);
  };
  auto r0 = [&](int q, int l) {
    if constexpr (Layout::r0_loaded) return load_hinted(P.v.r0 + B.start + l, B.evict_last);
    else return kept_r0(q, l);
  };
  auto r0_at = [&](int q, int row) { /* for q known only at run time */
                                     if constexpr (Layout::r0_loaded) return r0(q, row - B.start);
                                     else return kept_r0.at(q, row - B.start);
  };

  if (threadIdx.x == 0) scalars.load(P);
  halo.begin(reduce.number());
  __syncthreads();
  if (S.stop != FusedStop::no) return;
  if constexpr (Layout::x_shared) x.mem = matrix, matrix += P.chunk;
  if constexpr (Layout::inverse_shared) inverse.mem = matrix, matrix += P.chunk;
  if constexpr (Layout::r0_shared) kept_r0.mem = matrix, matrix += P.chunk;
  place -= P.below;
  for (int e = threadIdx.x; e < P.below + B.to_end(); e += Variant::threads) p[e - P.below] = r[e - P.below] = 0;
  B.load_matrix(matrix);
  __syncthreads();
  B.find_remainder();
  B.for_margin([&](int e, int row) {
    p[e - P.below] = P.v.p[row];
    r[e - P.below] = P.v.r[row];
  });
  for_active_rows<Variant>(B.rows, [&](int q, int l) {
    const int row = B.start + l;
    x(q, l)       = P.v.x[row];
    p[l]          = P.v.p[row];
    r[l]          = P.v.r[row];
    if constexpr (!Layout::r0_loaded) kept_r0(q, l) = P.v.r0[row];
    if constexpr (recurred) {
      inverse(q, l) = B.inverse(row);
#pragma unroll
      for (int f = 0; f < F; f++) {
        const int  there  = f < P.far ? B.far_row(row, f) : -1;
        const bool inside = B.inside(there);
        far_p[q][f]       = inside ? P.v.p[there] : Scalar(0);
        far_r[q][f]       = inside ? P.v.r[there] : Scalar(0);
        far_v[q][f]       = 0;
        far_inside |= static_cast<unsigned>(inside) << (q * F + f);
      }
    }
  });
  __syncthreads();
  fence_device();
  if constexpr (Variant::ranks) {
    bdiagh_send_two(
      halo, reduce, [&](int q) { return p[threadIdx.x + q * Variant::threads]; },
      [](int, Scalar z, Scalar(&c)[BcgsCarried::parts]) { c[BcgsCarried::of_p] = z; }, [&](int q) { return r[threadIdx.x + q * Variant::threads]; });
  }

  for (unsigned long long iteration = 1;; iteration++) {
    const int set_v = iteration & 1, set_t = 2; /* the next v is stored before the slowest block has read all of the last one */
    double    first_sums[2] = {0, square}, second_sums[4] = {0, 0, 0, 0};
    unsigned  incomplete = B.incomplete_rows() | halo.receives();

    B.sum_pieces(p - P.below);
    B.template products<false>(
      matrix, p - P.below, v,
      [&](int q, int l, int f) {
        if constexpr (recurred) return far_p[q][f];
        const int there = B.far_row(B.start + l, f);
        return B.inside(there) ? load_exchanged<Variant>(P.v.p + there) : Scalar(0);
      },
      [&](int q, int l, bool active, Scalar y, Scalar first) {
        const int row = B.start + l;
        if constexpr (recurred) v[q] = inverse(q, l) * y;
        else v[q] = B.inverse(row, first) * y;
        const Scalar h = r0(q, l);
        first_sums[0] += active && !(incomplete >> q & 1) ? v[q] * h : Scalar(0);
        if constexpr (recurred)
          if (active) P.v.exchange[0][row] = v[q];
      });
    B.template add_remainder<false>(p - P.below, [&](int q, int l, Scalar y) {
      const int    row = B.start + l;
      const Scalar vq  = place_of(v, q) + inverse_at(q, l) * y;
      put_place(v, q, vq);
      if (!(halo.receives() >> q & 1)) first_sums[0] += vq * r0_at(q, row); /* otherwise it is not complete yet */
      if constexpr (recurred) P.v.exchange[0][row] = vq;
    });
    halo.update_halo([&](int q, Scalar z, Scalar(&c)[BcgsCarried::parts]) {
      const int    l = threadIdx.x + q * Variant::threads, row = B.start + l;
      const Scalar vq = place_of(v, q) + inverse_at(q, l) * BcgsCarried::to_p(S, completed, z, c);
      put_place(v, q, vq);
      first_sums[0] += vq * r0_at(q, row);
      if constexpr (recurred) P.v.exchange[0][row] = vq;
    });
    B.publish(set_v, iteration, [&](int q, int) { return place_of(v, q); });
    TaggedPart asked_v = {};
    reduce.template sum<2, recurred>(
      first_sums,
      [&](const double(&s)[2]) {
        if (completed) scalars.logged(P, [&] { bcgs_after_update(scalars.S, s[1]); });
        if (S.stop == FusedStop::no) bcgs_after_first(scalars.S, s[0]);
      },
      [&] {
        if constexpr (recurred) {
          load_recurred(P.v.exchange[0], far_v, margin_v);
          halo.receive_after(reduce.number(), reduce.template adds<2>());
        } else asked_v = B.ask(set_v);
      },
      [&] { halo.send(reduce.number(), [&](int q) { return place_of(v, q); }); }, [&] { halo.receive_overlapped(reduce.number()); });
    if (S.stop != FusedStop::no) break;

    const Scalar alpha = S.alpha;
    for_active_rows<Variant>(B.rows, [&](int q, int l) {
      r[l] -= alpha * v[q];
      if constexpr (!recurred) P.v.exchange[1][B.start + l] = r[l];
    });
    if constexpr (recurred) {
#pragma unroll
      for (int q = 0; q < R; q++) {
#pragma unroll
        for (int f = 0; f < F; f++) far_r[q][f] -= alpha * far_v[q][f];
      }
      if (margin) r[place] -= alpha * margin_v;
    } else {
      B.for_extras([&](int at, int e) {
        const Scalar ve = B.taken(set_v, iteration, e, asked_v);
        if (e == static_cast<int>(threadIdx.x)) margin_v = ve;
        r[at - P.below] -= alpha * ve;
      });
      reduce.neighbor_barrier(P.partner, P.partners, [&] { halo.receive_after(reduce.number(), reduce.template adds<2>()); });
      B.template for_margin<false>([&](int e, int row) { r[e - P.below] = __ldcg(P.v.exchange[1] + row); });
    }
    __syncthreads();

    incomplete = B.incomplete_rows() | halo.receives();
    B.sum_pieces(r - P.below);
    B.template products<true>(
      matrix, r - P.below, t,
      [&](int q, int l, int f) {
        if constexpr (recurred) return far_r[q][f];
        const int there = B.far_row(B.start + l, f);
        return B.inside(there) ? load_exchanged<Variant>(P.v.exchange[1] + there) : Scalar(0);
      },
      [&](int q, int l, bool active, Scalar y, Scalar first) {
        const int row = B.start + l;
        if constexpr (recurred) t[q] = inverse(q, l) * y;
        else t[q] = B.inverse(row, first) * y;
        const Scalar s = active ? r[l] : Scalar(0), h = active ? r0(q, l) : Scalar(0), tq = active && !(incomplete >> q & 1) ? t[q] : Scalar(0);
        second_sums[0] += tq * s;
        second_sums[1] += tq * tq;
        second_sums[2] += h * tq;
        second_sums[3] += h * s;
        if constexpr (recurred)
          if (active) P.v.exchange[1][row] = tq;
      });
    B.template add_remainder<false>(r - P.below, [&](int q, int l, Scalar y) {
      const int    row = B.start + l;
      const Scalar tq  = place_of(t, q) + inverse_at(q, l) * y;
      put_place(t, q, tq);
      if (!(halo.receives() >> q & 1)) {
        second_sums[0] += tq * r[l];
        second_sums[1] += tq * tq;
        second_sums[2] += tq * r0_at(q, row);
      }
      if constexpr (recurred) P.v.exchange[1][row] = tq;
    });
    halo.update_halo([&](int q, Scalar z, Scalar(&c)[BcgsCarried::parts]) {
      const int    l = threadIdx.x + q * Variant::threads, row = B.start + l;
      const Scalar tq = place_of(t, q) + inverse_at(q, l) * BcgsCarried::to_s(alpha, z, c);
      put_place(t, q, tq);
      second_sums[0] += tq * r[l];
      second_sums[1] += tq * tq;
      second_sums[2] += tq * r0_at(q, row);
      if constexpr (recurred) P.v.exchange[1][row] = tq;
    });
    B.publish(set_t, iteration, [&](int q, int) { return place_of(t, q); });
    Scalar     far_t[K][F], margin_t = 0;
    TaggedPart asked_t = {};
    reduce.template sum<4, recurred>(
      second_sums,
      [&](const double(&s)[4]) {
        const Scalar sums[4] = {static_cast<Scalar>(s[0]), static_cast<Scalar>(s[1]), static_cast<Scalar>(s[2]), static_cast<Scalar>(s[3])};
        bcgs_after_second(scalars.S, sums);
      },
      [&] {
        if constexpr (recurred) {
          load_recurred(P.v.exchange[1], far_t, margin_t);
          halo.receive_after(reduce.number(), reduce.template adds<4>());
        } else asked_t = B.ask(set_t);
      },
      [&] { halo.send(reduce.number(), [&](int q) { return place_of(t, q); }); }, [&] { halo.receive_overlapped(reduce.number()); });
    if (S.stop != FusedStop::no) {
      /* restores r from s: exact if s is 0 */
      for_active_rows<Variant>(B.rows, [&](int q, int l) { r[l] += alpha * v[q]; });
      break;
    }

    const Scalar omega = S.omega, beta = S.beta;
    square = 0;
    for_active_rows<Variant>(B.rows, [&](int q, int l) {
      const Scalar s = r[l], pl = p[l], rl = s - omega * t[q];
      x(q, l) += alpha * pl + omega * s;
      square += rl * rl;
      r[l] = rl;
      p[l] = rl + beta * (pl - omega * v[q]);
      if constexpr (!recurred) P.v.p[B.start + l] = p[l];
    });
    if constexpr (recurred) {
#pragma unroll
      for (int q = 0; q < R; q++) {
#pragma unroll
        for (int f = 0; f < F; f++) {
          far_r[q][f] -= omega * far_t[q][f];
          far_p[q][f] = far_r[q][f] + beta * (far_p[q][f] - omega * far_v[q][f]);
        }
      }
      if (margin) {
        r[place] -= omega * margin_t;
        p[place] = r[place] + beta * (p[place] - omega * margin_v);
      }
    } else {
      B.for_extras([&](int at, int e) {
        Scalar &re = r[at - P.below], &pe = p[at - P.below];
        re -= omega * B.taken(set_t, iteration, e, asked_t);
        pe = re + beta * (pe - omega * (e == static_cast<int>(threadIdx.x) ? margin_v : B.taken(set_v, iteration, e)));
      });
      reduce.neighbor_barrier(P.partner, P.partners, [&] { halo.receive_after(reduce.number(), reduce.template adds<4>()); });
      B.template for_margin<false>([&](int e, int row) { p[e - P.below] = __ldcg(P.v.p + row); });
    }
    __syncthreads();
    completed = true;
  }

  bdiagh_end(B, scalars, halo, reduce, [&](int q, int l) {
    const int row = B.start + l;
    P.v.x[row]    = x(q, l);
    P.v.r[row]    = r[l];
    if constexpr (recurred) P.v.p[row] = p[l];
    else P.v.exchange[0][row] = v[q];
  });
}

struct BdiaghPersistentBcgs {
  template <class List, int I>
  static BdiaghPersistentKernel kernel()
  {
    using Variant = BdiaghPersistentVariant<List, I>;
    return bdiagh_persistent_kernel<Variant, BdiaghPersistentBcgsLayout<Variant>, BcgsScalars>(
      reinterpret_cast<const void *>(bdiagh_persistent_bcgs_kernel<Variant>));
  }
};

} // namespace heptane
