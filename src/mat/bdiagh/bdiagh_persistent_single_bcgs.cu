/*
   BiCGStab with D A of a seven-point grid and vectors stored as Single in one kernel whose blocks are all resident.
*/
#include "../../ksp/fusedbcgs/fusedbcgs_scalars.hpp"
#include "bdiagh_persistent_single_streamed.cuh"

namespace heptane
{

namespace
{

/*
   Computes  iterations of BiCGStab with D A, whose preconditioner is the identity, until the scalars say stop, or the norm is `factor` times the largest since the last update:
               v = D A p; (v, r0), and (r, r) of the iteration before    sum over the grid
               s = r - alpha v                                           s exchanged, neighbours meet
               t = D A s; (t, s), (t, t), (r0, t), (r0, s)               sum over the grid
               y += alpha p + omega s, r = s - omega t,
               p = r + beta (p - omega v)                                p exchanged, neighbours meet
   Threads   one for `rows` rows: y, r0, v, t in registers; p, and r which is s in turn, in shared memory with the columns of the near diagonals
             streamed: r0 in shared memory
   Bytes     an iteration per row: 8 written and 16 read of s and p, 8 for each value of the far diagonals that is not in shared memory; streamed: 48 for all values
   Order     deterministic: a row as in bdiagh_single_rows.hpp; the rows of a thread, threads and blocks in a fixed order
   The norm of an iteration is tested together with the first sum of the next one, before anything but v has changed. Longer than 60 lines: vectors stay in registers from one pass to the next.
*/
template <class Variant>
__global__ void __launch_bounds__(Variant::threads, 1) bdiagh_persistent_single_bcgs_kernel(const __grid_constant__ BdiaghSinglePersistent P)
{
  using Reduce                         = GridReduce<Variant::threads>;
  constexpr int                      R = Variant::rows;
  extern __shared__ Single           dynamic_singles[];
  __shared__ typename Reduce::Shared reduce_shared;
  __shared__ BcgsScalars             S;
  __shared__ Real                    most;
  Reduce                             reduce(P.v.barrier, reduce_shared);
  BdiaghSingleBlockOf<Variant>       B(P, dynamic_singles);
  constexpr int                      T = Variant::threads;
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

  for (;;) {
    double first[2] = {0, square}, second[4] = {0, 0, 0, 0};

    B.template products<true>(
      p, P.v.p, [&] { B.bring_margin(window_p, P.v.p); },
      [&](int q, Single row) {
        v[q] = row;
        if (B.own(q)) first[0] += static_cast<double>(row) * static_cast<double>(r0(q));
      });
    reduce.template sum<2, false>(first, [&](const double(&s)[2]) {
      if (completed) {
        const int it = S.it;

        bcgs_after_update(S, static_cast<Scalar>(s[1]));
        bdiagh_after_norm(P, it, S, most, P.v.factor);
      }
      if (S.stop == FusedStop::no) bcgs_after_first(S, static_cast<Scalar>(s[0]));
    });
    if (S.stop != FusedStop::no) break;

    const Scalar       alpha = S.alpha;
    const SingleFactor minus_alpha(-alpha), plus_alpha(alpha);
    B.for_rows([&](int q, int row) {
      r[q * T]  = minus_alpha.plus(r[q * T], v[q]);
      of_s[row] = r[q * T];
    });
    reduce.meet(P.partner, P.partners);

    B.template products<false>(
      r, of_s, [&] { B.bring_margin(window_r, of_s); },
      [&](int q, Single row) {
        t[q] = row;
        if (B.own(q)) {
          const double h = static_cast<double>(r0(q)), tq = static_cast<double>(row), s = static_cast<double>(r[q * T]);
          second[0] += tq * s;
          second[1] += tq * tq;
          second[2] += h * tq;
          second[3] += h * s;
        }
      });
    reduce.template sum<4, false>(second, [&](const double(&s)[4]) {
      const Scalar sums[4] = {static_cast<Scalar>(s[0]), static_cast<Scalar>(s[1]), static_cast<Scalar>(s[2]), static_cast<Scalar>(s[3])};
      bcgs_after_second(S, sums);
    });
    if (S.stop != FusedStop::no) {
      B.for_rows([&](int q, int) { r[q * T] = plus_alpha.plus(r[q * T], v[q]); }); /* r is wanted, not s */
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
    reduce.meet(P.partner, P.partners);
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
}

template <class Variant>
BdiaghSingleKernel kernel_of()
{
  return bdiagh_single_kernel_of<Variant>(bdiagh_persistent_single_bcgs_kernel<Variant>);
}

} // namespace

const BdiaghSingleKernel *bdiagh_persistent_single_bcgs_kernels(int *number)
{
  static const BdiaghSingleKernel kernels[] = {kernel_of<BdiaghSingleVariant<4, false, 4, 4>>(), kernel_of<BdiaghSingleVariant<8, false, 8, 8>>(),
                                               kernel_of<BdiaghSingleVariant<16, false, 0, 14>>(), kernel_of<BdiaghSingleVariant<18, false, 0, 0>>(),
                                               kernel_of<BdiaghStreamedVariant<42, 3>>()};

  *number = sizeof(kernels) / sizeof(kernels[0]);
  return kernels;
}

} // namespace heptane
