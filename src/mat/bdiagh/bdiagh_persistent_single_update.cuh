/*
   The update of mixed precision (ksp/fused/mixed.cxx) inside a persistent kernel: the solution takes what has been added up, its residual is computed with the matrix in double precision, and where nothing but
   the next stretch is to be decided the kernel goes on. Knows no PETSc objects.
*/
#pragma once

#include "../../ksp/fused/mixed_update.hpp"
#include "bdiagh_persistent_single.cuh"

namespace heptane
{

/* In shared memory: where the norms stand, and what an update has found */
struct BdiaghSingleStand {
  MixedState m;
  int        updates; /* behind which the kernel went on */
  bool       on;

  /* One thread */
  __device__ __forceinline__ void begin(const BdiaghSinglePersistent &P)
  {
    m       = P.update.state;
    updates = 0;
    on      = false;
  }
  __device__ __forceinline__ void end(const BdiaghSinglePersistent &P) const
  {
    if (!P.update.on || blockIdx.x) return;
    P.update.left->state   = m;
    P.update.left->updates = updates;
  }
};

static_assert(sizeof(BdiaghSingleStand) <= 128, "what bdiagh_single_kernel_of() counts");

/* The kernel has stopped for an update that it makes itself */
__device__ __forceinline__ bool bdiagh_update_is_due(const BdiaghSinglePersistent &P, const FusedScalars &S)
{
  return P.update.on && (S.stop == FusedStop::test || S.stop == FusedStop::limit);
}

/* kept = x, where that is to be kept; x += y, or S y where both sides of the matrix are scaled; y = 0. As LandStep and CgLand */
template <class Variant, bool BOTH>
__device__ __forceinline__ void bdiagh_land(const BdiaghSingleRows<Variant> &B, bool keep)
{
  const BdiaghSingleUpdates &U = B.P.update;
  Single *const              y = B.P.v.y;

#pragma unroll 4
  for (int q = 0; q < Variant::rows; q++) {
    if (!B.own(q)) continue;
    const int    row    = B.first + q * B.threads;
    const Scalar before = U.x[row];
    Scalar       add    = static_cast<Scalar>(y[row]);

    if (BOTH && U.inverse) add *= half_of(U.inverse[row]);
    if (keep) U.kept[row] = before;
    U.x[row] = before + (is_finite(add) ? add : Scalar(0));
    y[row]   = 0;
  }
}

/* each(row, (b - A x) of the row) for the thread's rows. x is what all blocks have written to memory, behind a meeting */
template <class Variant, class Each>
__device__ __forceinline__ void bdiagh_residual(const BdiaghSingleRows<Variant> &B, Each &&each)
{
  constexpr int              N = BdiaghSingleUpdates::diagonals, half = N / 2;
  const BdiaghSingleUpdates &U = B.P.update;

#pragma unroll 2
  for (int q = 0; q < Variant::rows; q++) {
    if (!B.own(q)) continue;
    const int    row = B.first + q * B.threads;
    const Scalar b   = load_once(U.rhs + row);
    Scalar       a[N], u[N], sum = 0;

#pragma unroll
    for (int k = 0; k < N; k++) {
      const int column = row + (k < half ? -B.P.offset[half - 1 - k] : k > half ? B.P.offset[k - half - 1] : 0);
      a[k]             = load_once(U.diagonal[k] + row);
      u[k]             = B.inside(column) ? U.x[column] : Scalar(0);
    }
#pragma unroll
    for (int k = 0; k < N; k++) sum += a[k] * u[k];
    each(row, b - sum);
  }
}

/*
   The update, by all threads of all blocks; S, in shared memory, has stopped for it, and the vectors of the recurrences are in memory. land() is bdiagh_land(); round(row, (b - A x) of it, sums) stores the residual as the
   recurrences take it; take(S, sums) gives the scalars by these sums, go_on(S) what else may stop them. true: the iterations go on from the vectors in memory. false: S is as it was, the sums are
   where the host finds them, and the residual in double precision is in memory in either case.
   Bytes per row: 12 of y, 16 of x, 8 where it is kept, 8 of the inverse; 56 of the matrix, 8 of x, of the right-hand side and of the residual, 8 of the inverse, and what round() moves.
*/
template <class Variant, bool BOTH, class Reduce, class Scalars, class Round, class Take, class GoOn>
__device__ __forceinline__ bool bdiagh_single_update(const BdiaghSingleRows<Variant> &B, Reduce &reduce, Scalars &S, BdiaghSingleStand &stand, Round &&round,
                                                     Take &&take, GoOn &&go_on)
{
  const BdiaghSinglePersistent &P       = B.P;
  double                        sums[2] = {0, 0};

  bdiagh_land<Variant, BOTH>(B, stand.m.keep);
  reduce.meet(P.partner, P.partners, [] {});
  bdiagh_residual(B, [&](int row, Scalar r) { round(row, r, sums); });
  reduce.template sum<2, false>(sums, [&](const double(&s)[2]) {
    const Scalar found[2] = {static_cast<Scalar>(s[0]), static_cast<Scalar>(s[1])};
    Scalars      now      = S;

    stand.m.keep = false;
    MixedState m = stand.m;
    take(now, found);
    stand.on = stand.updates < MixedLeft::most && mixed_goes_on(m, P.update.test, now, S.dp, found[0]);
    if (stand.on) {
      go_on(now);
      stand.on = now.stop == FusedStop::no;
    }
    if (!stand.on) {
      for (int k = 0; k < 2 && blockIdx.x == 0; k++) P.update.sums[k] = found[k];
      return;
    }
    if (blockIdx.x == 0) {
      P.update.left->record[stand.updates] = {now.it, S.dp, now.dp};
      P.history[now.it % P.history_length] = now.dp;
    }
    stand.updates++;
    stand.m = m;
    S       = now;
  });
  return stand.on;
}

} // namespace heptane
