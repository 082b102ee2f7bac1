/*
   CG with one sum per iteration in one kernel whose blocks are all resident, on one rank or on each of several; matrix
   in the block-diagonal format.
*/
#pragma once

#include "../fusedcg/one_sum.hpp"
#include "skeleton.cuh"

namespace heptane
{

/*
   d w for publication and for local use, rounded separately: otherwise a compiler might fuse one of them with an
   addition
*/
__device__ __forceinline__ double rounded_product(double d, double w)
{
  return __dmul_rn(d, w);
}
__device__ __forceinline__ float rounded_product(float d, float w)
{
  return __fmul_rn(d, w);
}

/*
   Computes  iterations of CG until the scalars say stop, or until the sums are too inaccurate (cg_after_one_sum()).
             First, from any complete state:
               z = M^-1 r, p = z + b p, s = A p, t = M^-1 s; (p, s)                      sum over the grid, t exchanged
             then
               x += a p, r -= a s, z -= a t, w = A z, q = M^-1 w
               (z, r), (z, z) or (r, r), (z, w), sum of |z - M^-1 r| |r|                 sum over the grid, q exchanged
               p = z + b p, s = w + b s, t = q + b t
             The owner of a row and the blocks that have it as a column update z and t in the same way, so that all
             copies are bitwise equal.
             Several ranks: sums over the grids of all. t and q of rows that other ranks need are sent to them; C z and
             C t are recurred, C the off-rank columns
   Accuracy  r follows x as s follows A p, with the error of the recurrences, as in PETSc's variant. z follows M^-1 r,
             or the kernel stops and all of these are computed anew: after the residual has fallen by about 1e12 in one
             kernel.
   Threads   one for `rows` rows; z in shared memory with the columns of the near diagonals, from 4 rows on x and t too
   Bytes     an iteration sizeof(Scalar) * 4 for each row, 1 written and 3 read; 16 per value sent and received. The
             matrix is in shared memory
   Order     deterministic; a row's diagonals, then the columns of other ranks; sums in the order of the ranks
   Exchanged vectors alternate between two buffers, so that no block overwrites values that another still reads.
   Rounds of the halo: the second is sent after a sum of this kernel that all blocks of all ranks have begun. From then
   on one round is sent during each sum and read before the part of the next sum is stored. The round after the next is
   thus sent after a sum whose parts all blocks have stored after their reads.
   Longer than 60 lines: vectors stay in registers from one pass to the next.
*/
template <class Variant>
__global__ void __launch_bounds__(Variant::threads, 1) bdiagh_persistent_cg_one_sum_kernel(const __grid_constant__ BdiaghPersistentOf<Variant> P)
{
  static_assert(Variant::recurred && !Variant::wide && !Variant::remainder, "columns of far diagonals are carried on");
  using Reduce    = BdiaghPersistentReduce<Variant>;
  using Layout    = BdiaghPersistentCgOneSumLayout<Variant>;
  constexpr int R = Variant::rows, F = BdiaghPersistentTuning::max_recurred;
  enum { of_z, of_t };
  extern __shared__ double           dynamic[];
  __shared__ typename Reduce::Shared reduce_shared;
  __shared__ PersistentScalars<CgScalars> scalars;
  __shared__ int                          first_it;
  Reduce                                  reduce = bdiagh_persistent_reduce<Variant>(P, reduce_shared);
  BdiaghPersistentBlock<Variant>          B      = bdiagh_persistent_block<Variant>(P);
  BdiaghPersistentHalo<Variant, 1, 2>     halo(P, B.start, B.rows);
  const CgScalars                        &S = scalars.S;
  Scalar                                 *z = reinterpret_cast<Scalar *>(dynamic) + P.below, *matrix = z + B.to_end();
  ThreadVector<Variant, Layout::x_shared> x;
  ThreadVector<Variant, Layout::t_shared> t;
  ThreadVector<Variant, Layout::s_shared> s;
  ThreadVector<Variant, Layout::d_shared> inverse;
  Scalar                                  r[R], p[R], w[R], sums[R], far_z[R][F], far_t[R][F], margin_z = 0, margin_t = 0;
  BdiaghCarriedColumns<Variant>           columns(B);

  if (threadIdx.x == 0) {
    scalars.load(P);
    first_it = scalars.S.it;
  }
  halo.begin(reduce.number());
  __syncthreads();
  if (S.stop != FusedStop::no) return;
  if constexpr (Layout::x_shared) x.mem = matrix, matrix += P.chunk;
  if constexpr (Layout::t_shared) t.mem = matrix, matrix += P.chunk;
  if constexpr (Layout::s_shared) s.mem = matrix, matrix += P.chunk;
  if constexpr (Layout::d_shared) inverse.mem = matrix, matrix += P.chunk;
  /* The window is initially p, and so is far_t */
  {
    const CgScalars c              = S;
    auto            direction      = [&](int row, Scalar of_row) { return c.b == Scalar(0) ? of_row : of_row + c.b * P.v.p[row]; };
    auto            preconditioned = [&](int row) { return rounded_product(B.inverse(row), P.v.r[row]); };

    for (int e = threadIdx.x; e < P.below + B.to_end(); e += Variant::threads) z[e - P.below] = 0;
    B.load_matrix(matrix);
    __syncthreads();
    if (columns.margin) {
      margin_z         = preconditioned(columns.margin_row);
      z[columns.place] = direction(columns.margin_row, margin_z);
    }
#pragma unroll
    for (int q = 0; q < R; q++) {
      r[q] = p[q] = w[q] = 0;
#pragma unroll
      for (int f = 0; f < F; f++) far_z[q][f] = far_t[q][f] = 0;
    }
    for_active_rows<Variant>(B.rows, [&](int q, int l) {
      const int row = B.start + l;

      inverse(q, l) = B.inverse(row);
      r[q]          = P.v.r[row];
      x(q, l)       = P.v.x[row];
      if (c.pending[0] != Scalar(0)) x(q, l) += c.pending[0] * P.v.p[row];
      z[l] = p[q] = direction(row, rounded_product(inverse(q, l), r[q]));
      columns.find(B, q, row, [&](int f, int there) {
        far_z[q][f] = preconditioned(there);
        far_t[q][f] = direction(there, far_z[q][f]);
      });
    });
    if constexpr (Variant::ranks) {
      bdiagh_send_two(
        halo, reduce, [&](int q) { return rounded_product(inverse.at(q, threadIdx.x + q * Variant::threads), place_of(r, q)); },
        [&](int, Scalar received, Scalar(&c_of)[2]) { c_of[of_z] = received; }, [&](int q) { return place_of(p, q); });
    }
  }
  __syncthreads();
  fence_device();

  double product[1] = {0};
  B.template products<false>(
    matrix, z - P.below, sums, [&](int q, int, int f) { return far_t[q][f]; },
    [&](int q, int l, bool active, Scalar y, Scalar) {
      if (active || !Layout::s_shared) s(q, l) = y;
      product[0] += active ? p[q] * y : Scalar(0);
    });
  halo.update_halo([&](int q, Scalar received, Scalar(&)[2]) {
    const int l = threadIdx.x + q * Variant::threads;
    s.put(q, l, s.at(q, l) + received);
    product[0] += place_of(p, q) * received;
  });
  for_active_rows<Variant>(B.rows, [&](int q, int l) { P.v.exchange[0][B.start + l] = t(q, l) = rounded_product(inverse(q, l), s(q, l)); });
  /* The exchanged vector at the thread's recurred columns */
  auto far_of = [&](const Scalar *there, Scalar(&far)[R][F], Scalar &of_margin) {
    columns.load(B, there, far, of_margin);
    halo.receive(reduce.number());
  };
  reduce.template sum<1, true>(
    product, [&](const double(&all)[1]) { cg_after_product(scalars.S, all[0]); }, [&] { far_of(P.v.exchange[0], far_t, margin_t); },
    [&] { halo.send(reduce.number(), [&](int q) { return t.at(q, threadIdx.x + q * Variant::threads); }); });

  if (S.stop == FusedStop::no) {
    for_active_rows<Variant>(B.rows, [&](int q, int l) { z[l] = rounded_product(inverse(q, l), r[q]); });
    if (columns.margin) z[columns.place] = margin_z;
  }
  const bool squares_of_z = S.norm == FusedNorm::preconditioned;
  for (int turn = 1; S.stop == FusedStop::no; turn ^= 1) {
    const Scalar a         = S.a;
    Scalar      *mine      = P.v.exchange[turn];
    double       all_of[4] = {0, 0, 0, 0};
    Scalar       far_q[R][F], margin_q = 0;

    for_active_rows<Variant>(B.rows, [&](int q, int l) {
      x(q, l) += a * p[q];
      r[q] -= a * s(q, l);
      z[l] -= a * t(q, l);
    });
#pragma unroll
    for (int q = 0; q < R; q++) {
#pragma unroll
      for (int f = 0; f < F; f++) far_z[q][f] -= a * far_t[q][f];
    }
    if (columns.margin) z[columns.place] -= a * margin_t;
    __syncthreads();

    B.template products<false>(
      matrix, z - P.below, sums, [&](int q, int, int f) { return far_z[q][f]; },
      [&](int q, int l, bool active, Scalar y, Scalar) {
        const Scalar zl = active ? z[l] : Scalar(0), rq = r[q], squared = squares_of_z ? zl : rq;

        w[q] = active ? y : Scalar(0);
        all_of[cg_one_zr] += zl * rq;
        all_of[cg_one_nn] += squared * squared;
        all_of[cg_one_zw] += zl * y;
        all_of[cg_one_drift] += active ? fabs((zl - inverse(q, l) * rq) * rq) : Scalar(0);
      });
    halo.update_halo([&](int q, Scalar received, Scalar(&c)[2]) {
      c[of_t] = received + S.b * c[of_t];
      c[of_z] -= a * c[of_t];
      put_place(w, q, place_of(w, q) + c[of_z]);
      all_of[cg_one_zw] += z[threadIdx.x + q * Variant::threads] * c[of_z];
    });
    for_active_rows<Variant>(B.rows, [&](int q, int l) { mine[B.start + l] = rounded_product(inverse(q, l), w[q]); });
    reduce.template sum<4, true>(
      all_of,
      [&](const double(&all)[4]) {
        scalars.logged(P, [&] {
          const Scalar of_grid[cg_one_sums] = {static_cast<Scalar>(all[cg_one_zr]), static_cast<Scalar>(all[cg_one_nn]), static_cast<Scalar>(all[cg_one_zw]),
                                               static_cast<Scalar>(all[cg_one_drift])};
          /* operands are read at once: all threads of all blocks wait for the result */
          if constexpr (Layout::scalars_at_once) {
            CgScalars c = scalars.S;
            cg_after_one_sum(c, of_grid, c.it == first_it);
            scalars.S = c;
          } else cg_after_one_sum(scalars.S, of_grid, S.it == first_it);
        });
      },
      [&] { far_of(mine, far_q, margin_q); },
      [&] { halo.send(reduce.number(), [&](int q) { return rounded_product(inverse.at(q, threadIdx.x + q * Variant::threads), place_of(w, q)); }); });
    if (S.stop != FusedStop::no) break;

    const Scalar b = S.b;
    for_active_rows<Variant>(B.rows, [&](int q, int l) {
      p[q]    = z[l] + b * p[q];
      s(q, l) = w[q] + b * s(q, l);
      t(q, l) = rounded_product(inverse(q, l), w[q]) + b * t(q, l);
    });
#pragma unroll
    for (int q = 0; q < R; q++) {
#pragma unroll
      for (int f = 0; f < F; f++) far_t[q][f] = far_q[q][f] + b * far_t[q][f];
    }
    margin_t = margin_q + b * margin_t;
  }

  bdiagh_end(B, scalars, halo, reduce, [&](int q, int l) {
    P.v.x[B.start + l] = x(q, l);
    P.v.r[B.start + l] = r[q];
    P.v.p[B.start + l] = p[q];
  });
}

struct BdiaghPersistentCgOneSum {
  template <class List, int I>
  static BdiaghPersistentKernel kernel()
  {
    using Variant = BdiaghPersistentVariant<List, I>;
    return bdiagh_persistent_kernel<Variant, BdiaghPersistentCgOneSumLayout<Variant>, CgScalars>(
      reinterpret_cast<const void *>(bdiagh_persistent_cg_one_sum_kernel<Variant>));
  }
};

} // namespace heptane
