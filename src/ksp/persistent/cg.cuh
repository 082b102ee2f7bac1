/*
   CG in one kernel whose blocks are all resident, on one rank or on each of several; matrix in the block-diagonal
   format.
*/
#pragma once

#include "../fusedcg/scalars.hpp"
#include "skeleton.cuh"

namespace heptane
{

/*
   cg_after_residual(). IN_REGISTERS: operands are read at once, not one after the other: all threads of all blocks wait
   for the result
*/
template <bool IN_REGISTERS>
__device__ __forceinline__ void cg_after_residual_at_once(CgScalars &S, double zr, double nn)
{
  if constexpr (IN_REGISTERS) {
    CgScalars c = S;

    cg_after_residual(c, zr, nn);
    static_cast<FusedScalars &>(S) = c;
    S.beta = c.beta, S.betaold = c.betaold, S.b = c.b;
  } else cg_after_residual(S, zr, nn);
}

/*
   Computes  iterations of CG until the scalars say stop:
               w = A p; (p, w)                                           sum over the grid, nothing exchanged
               x += a p, r -= a w, z = M^-1 r; (z, r), (z, z) or (r, r)  sum over the grid, z (recurred) exchanged
               p = z + b p                                               p exchanged unless it is recurred
             Several ranks: sums over the grids of all. z of rows that other ranks need is sent to them, recurred or
             not; the contribution of off-rank columns to a row of A p is updated by recurrence from the received z
   Threads   one for `rows` rows; p in shared memory with the columns of the near diagonals
             If p is exchanged, its entries at columns of the remainder in other blocks are stored by their owners
   Bytes     an iteration sizeof(Scalar) * (diagonals not in shared memory, 2 a far diagonal, 1), and the
             preconditioner's unless recurred; 16 per value sent and received. wide: also 2 of x, and 4 for each row of
             A p that is in memory
   Order     deterministic; a row's diagonals, then its remainder, piece by piece, or the columns of other ranks; sums
             in the order of the ranks
   Exchanged vectors alternate between two buffers, so that no block overwrites values that another still reads. wide:
   one buffer, see below. Longer than 60 lines: vectors stay in registers from one pass to the next.
*/
template <class Variant>
__device__ __forceinline__ void bdiagh_persistent_cg(const BdiaghPersistentOf<Variant> &P)
{
  using Reduce                                = BdiaghPersistentReduce<Variant>;
  using Layout                                = BdiaghPersistentCgLayout<Variant>;
  constexpr int                      R        = Variant::rows;
  constexpr int                      F        = Variant::recurred ? BdiaghPersistentTuning::max_recurred : 0;
  constexpr bool                     recurred = Variant::recurred;
  constexpr int                      rooms    = Variant::wide ? 2 * BdiaghPersistentTuning::wide_together : 1;
  extern __shared__ double           dynamic[];
  __shared__ typename Reduce::Shared reduce_shared;
  __shared__ PersistentScalars<CgScalars> scalars;
  Reduce                                  reduce = bdiagh_persistent_reduce<Variant>(P, reduce_shared);
  BdiaghPersistentBlock<Variant>          B      = bdiagh_persistent_block<Variant>(P);
  BdiaghPersistentHalo<Variant, 2, 1>     halo(P, B.start, B.rows);
  const CgScalars                        &S = scalars.S;
  Scalar                                 *p = reinterpret_cast<Scalar *>(dynamic) + P.below, *matrix = p + B.to_end();
  typename Layout::X                      x;
  ThreadVector<Variant, Layout::r_shared> r;
  typename Layout::W                      w;
  Scalar                                  sums[R], inverse[recurred ? R : 1], far[recurred ? R : 1][recurred ? F : 1];
  BdiaghCarriedColumns<Variant>           columns(B);

  if (threadIdx.x == 0) scalars.load(P);
  halo.begin(reduce.number());
  __syncthreads();
  if (S.stop != FusedStop::no) return;
  if constexpr (Variant::wide) {
    w.shared = matrix;
    w.memory = P.v.p + B.start; /* p is stored there at the end */
    x.memory = P.v.x + B.start;
    matrix += Variant::threads * Variant::w_shared;
  }
  if constexpr (Layout::x_shared) x.mem = matrix, matrix += P.chunk;
  if constexpr (Layout::r_shared) r.mem = matrix, matrix += P.chunk;
  {
    const CgScalars c         = S;
    auto            direction = [&](int row, Scalar z) { return c.b == Scalar(0) ? z : z + c.b * P.v.p[row]; };

    for (int e = threadIdx.x; e < P.below + B.to_end(); e += Variant::threads) p[e - P.below] = 0;
    B.load_matrix(matrix);
    __syncthreads();
    B.find_remainder();
    B.for_margin([&](int e, int row) { p[e - P.below] = direction(row, B.inverse(row) * P.v.r[row]); });
    for_active_rows<Variant>(B.rows, [&](int q, int l) {
      const int    row = B.start + l;
      const Scalar d   = B.inverse(row);
      r(q, l)          = P.v.r[row];
      if constexpr (!Variant::wide) x(q, l) = P.v.x[row];
      if (c.pending[0] != Scalar(0)) x(q, l) += c.pending[0] * P.v.p[row];
      p[l] = direction(row, d * r(q, l));
      if constexpr (recurred) {
        inverse[q] = d;
#pragma unroll
        for (int f = 0; f < F; f++) far[q][f] = 0;
        columns.find(B, q, row, [&](int f, int there) { far[q][f] = direction(there, B.inverse(there) * P.v.r[there]); });
      } else P.v.exchange[0][row] = p[l];
    });
    halo.send_first(reduce.number(), [&](int q) { return p[threadIdx.x + q * Variant::threads]; });
    halo.receive(reduce.number());
    if constexpr (!recurred) reduce.neighbor_barrier(P.partner, P.partners, [] {});
  }
  __syncthreads();
  fence_device();

  auto other = [](int turn) { /* addresses derived from it are not kept in registers during the products */
                              turn ^= 1;
                              asm volatile("" : "+r"(turn));
                              return turn;
  };
  const bool squares_of_z = S.norm == FusedNorm::preconditioned;
  /*
     wide: one buffer for p, which leaves more of the second-level cache to the matrix. A block writes it after a sum
     over all blocks, to which each block contributes after its last use of the old p
  */
  for (int turn = 0;; turn ^= !Variant::wide) {
    const Scalar *there      = P.v.exchange[turn];
    double        product[1] = {0}, squares[2] = {0, 0};

    B.sum_pieces(p - P.below);
    B.template products<false>(
      matrix, p - P.below, sums,
      [&](int q, int l, int f) {
        if constexpr (recurred) return far[q][f];
        const int row = B.far_row(B.start + l, f);
        return B.inside(row) ? __ldcg(there + row) : Scalar(0);
      },
      [&](int q, int l, bool active, Scalar y, Scalar) {
        if (active || !Variant::wide) w(q, l) = y;
        product[0] += active ? p[l] * y : Scalar(0);
      });
    halo.update_halo([&](int q, Scalar z, Scalar(&carried)[1]) {
      carried[0]  = z + S.b * carried[0];
      const int l = threadIdx.x + q * Variant::threads;
      w.put(q, l, w.at(q, l) + carried[0]);
      product[0] += p[l] * carried[0];
    });
    B.template add_remainder<true>(p - P.below, [&](int q, int l, Scalar y) {
      w.put(q, l, w.at(q, l) + y);
      product[0] += p[l] * y;
    });
    Scalar old_x[rooms], old_w[rooms], diagonal[rooms];
    auto   prefetch = [&](int room, int q, int l, bool active) {
      old_x[room]    = active ? __ldcs(&x(q, l)) : Scalar(0); /* not reused within the iteration */
      old_w[room]    = active ? w(q, l) : Scalar(0);
      diagonal[room] = B.diagonal_or_inverse(matrix, q, l, active);
    };
    reduce.template sum<1, false>(
      product, [&](const double(&s)[1]) { cg_after_product(scalars.S, s[0]); }, [] {},
      [&] {
        if constexpr (Variant::wide) {
          prefetch_first_rows<Variant>(B.rows, prefetch);
          prefetch_places<Variant, BdiaghPersistentTuning::wide_early_x>(x.memory, B.rows, BdiaghPersistentTuning::wide_together);
        }
      });
    if (S.stop != FusedStop::no) break;

    const Scalar a    = S.a;
    Scalar      *mine = P.v.exchange[Variant::wide ? turn : other(turn)];
    Scalar       far_z[recurred ? R : 1][recurred ? F : 1], margin_z = 0;
    auto         update = [&](int q, int l, bool active, Scalar d) {
      x(q, l) += a * p[l];
      const Scalar rn = r(q, l) - a * w(q, l), z = d * rn, s = squares_of_z ? z : rn;
      if (active || !Layout::r_shared) r(q, l) = rn;
      squares[0] += active ? z * rn : Scalar(0);
      squares[1] += active ? s * s : Scalar(0);
      w(q, l) = z;
      if constexpr (recurred) mine[B.start + l] = z;
    };
    if constexpr (Variant::wide) {
      const bool matrix_diagonal = P.v.pc.source == FusedPc::matrix_diagonal;

      for_prefetched_rows<Variant>(B.rows, prefetch, [&](int room, int q, int l) {
        const Scalar rn = r(q, l) - a * old_w[room], z = (matrix_diagonal ? B.inverse_in_loop(diagonal[room]) : diagonal[room]) * rn, s = squares_of_z ? z : rn;

        __stcs(&x(q, l), old_x[room] + a * p[l]);
        r(q, l) = rn;
        w(q, l) = z;
        squares[0] += z * rn;
        squares[1] += s * s;
      });
    } else if constexpr (Variant::ranks && !recurred) {
      bdiagh_for_inverses<Variant>(B, matrix, update);
    } else {
      for_active_rows<Variant>(B.rows, [&](int q, int l) {
        if constexpr (recurred) update(q, l, true, inverse[q]);
        else update(q, l, true, B.diagonal_inverse(matrix, q, l));
      });
    }
    reduce.template sum<2, recurred>(
      squares,
      [&](const double(&s)[2]) {
        x_is_complete(scalars.S);
        scalars.logged(P, [&] { cg_after_residual_at_once<Variant::ranks>(scalars.S, s[0], s[1]); });
      },
      [&] {
        if constexpr (recurred) {
          columns.load(B, mine, far_z, margin_z);
          halo.receive_after(reduce.number(), reduce.template adds<2>());
        }
      },
      [&] {
        halo.send(reduce.number(), [&](int q) { return w.at(q, threadIdx.x + q * Variant::threads); });
        if constexpr (Variant::wide) {
#pragma unroll
          for (int k = 0; k < Variant::near + Variant::far; k++)
            prefetch_places<Variant, BdiaghPersistentTuning::wide_early_values>(P.diagonal[k] + B.start, B.rows);
        }
      },
      [&] { halo.receive_overlapped(reduce.number()); });
    if (S.stop != FusedStop::no) break;

    const Scalar b = S.b;
    if constexpr (Variant::wide) {
      Scalar z[rooms];
      auto   prefetch_z = [&](int room, int q, int l, bool active) { z[room] = active ? w(q, l) : Scalar(0); };

      prefetch_first_rows<Variant>(B.rows, prefetch_z);
      for_prefetched_rows<Variant>(B.rows, prefetch_z, [&](int room, int, int l) { mine[B.start + l] = p[l] = z[room] + b * p[l]; });
    } else {
      for_active_rows<Variant>(B.rows, [&](int q, int l) {
        p[l] = w(q, l) + b * p[l];
        if constexpr (!recurred) mine[B.start + l] = p[l];
      });
    }
    B.publish(0, reduce.number(), [&](int, int l) { return p[l]; });
    if constexpr (recurred) {
#pragma unroll
      for (int q = 0; q < R; q++) {
#pragma unroll
        for (int f = 0; f < F; f++) far[q][f] = far_z[q][f] + b * far[q][f];
      }
      if (columns.margin) p[columns.place] = margin_z + b * p[columns.place];
    } else {
      reduce.neighbor_barrier(P.partner, P.partners, [&] { halo.receive_after(reduce.number(), reduce.template adds<2>()); });
      const TaggedPart asked = B.ask(0);
      B.template for_margin<false>([&](int e, int row) { p[e - P.below] = __ldcg(mine + row); });
      B.take_extras(0, reduce.number(), asked, p - P.below);
    }
    __syncthreads();
  }

  bdiagh_end(B, scalars, halo, reduce, [&](int q, int l) {
    if constexpr (!Variant::wide) P.v.x[B.start + l] = x(q, l);
    P.v.r[B.start + l] = r(q, l);
    P.v.p[B.start + l] = p[l];
  });
}

/*
   Computes  bdiagh_persistent_cg(); a symmetric matrix in the form for these
   Threads   as there
   Bytes     as there; the form for symmetric matrices reads one diagonal of each pair of near diagonals
   Order     as there, the same in both forms
*/
template <class Variant>
__global__ void __launch_bounds__(Variant::threads, 1) bdiagh_persistent_cg_kernel(const __grid_constant__ BdiaghPersistentOf<Variant> P)
{
  if constexpr (Variant::symmetric) {
    if (*P.v.uneven) bdiagh_persistent_cg<typename Variant::Whole>(P);
    else bdiagh_persistent_cg<Variant>(P);
  } else bdiagh_persistent_cg<Variant>(P);
}

struct BdiaghPersistentCg {
  template <class List, int I>
  static BdiaghPersistentKernel kernel()
  {
    using Variant = BdiaghPersistentVariant<List, I>;
    return bdiagh_persistent_kernel<Variant, BdiaghPersistentCgLayout<Variant>, CgScalars>(
      reinterpret_cast<const void *>(bdiagh_persistent_cg_kernel<Variant>));
  }
};

} // namespace heptane
