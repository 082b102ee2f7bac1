/*
   The update of mixed precision (ksp/fused/mixed/mixed.cxx) inside a persistent kernel: adds the correction to the
   solution and computes its residual with the matrix in double precision. The kernel continues if only the length of
   the next stretch is to be decided. Without PETSc objects.
*/
#pragma once

#include "../fused/mixed/update.hpp"
#include "single_blocks.cuh"

namespace heptane
{

/* State of the norms, and result of an update, in shared memory */
struct BdiaghUpdateState {
  MixedState m;
  int        updates; /* after which the kernel has continued */
  bool       on;

  /* Called by one thread */
  __device__ __forceinline__ void begin(const BdiaghSinglePersistent &P)
  {
    m       = P.update.state;
    updates = 0;
    on      = false;
  }
  __device__ __forceinline__ void end(const BdiaghSinglePersistent &P) const
  {
    if (!P.update.on || blockIdx.x) return;
    P.update.result->state   = m;
    P.update.result->updates = updates;
  }
};

static_assert(sizeof(BdiaghUpdateState) <= 128, "what bdiagh_single_kernel_of() counts");

/* The kernel has stopped for an update that it makes itself */
__device__ __forceinline__ bool bdiagh_update_is_due(const BdiaghSinglePersistent &P, const FusedScalars &S)
{
  return P.update.on && (S.stop == FusedStop::test || S.stop == FusedStop::limit);
}

/* f(row) for the thread's rows, in one copy of the code for several rows: vectors are in memory meanwhile */
template <int TOGETHER, class Variant, class F>
__device__ __forceinline__ void bdiagh_for_rows_in_memory(const BdiaghSingleRows<Variant> &B, F &&f)
{
#pragma unroll TOGETHER
  for (int q = 0; q < Variant::rows; q++)
    if (B.active(q)) f(B.first + q * B.threads);
}

/*
   The update, by all threads of all blocks. S, in shared memory, has stopped for it, and the vectors of the recurrences
   are in memory. land and round are the method's steps, which also exist as passes (CgAddCorrection, CgRound);
   scale(row): factor of the residual; take(S, sums) computes the scalars from the sums of round; continue_iterations(S)
   tests further conditions. true: the iterations continue from the vectors in memory. false: S is unchanged, and the
   sums are stored for the host. The residual in double precision is in memory in either case.
   Bytes per row: of the steps, and of the product 56 of the matrix, 8 each of x, of the right-hand side and of the
             residual, which is cached when the step reads it.
*/
template <class Variant, class Reduce, class Scalars, class AddCorrection, class Round, class Scale, class Take, class Continue>
__device__ __forceinline__ bool bdiagh_single_update(const BdiaghSingleRows<Variant> &B, Reduce &reduce, Scalars &S, BdiaghUpdateState &update_state,
                                                     const AddCorrection &add_correction, const Round &round, Scale &&scale, Take &&take,
                                                     Continue &&continue_iterations)
{
  constexpr int                 N        = BdiaghSingleUpdates::diagonals;
  const BdiaghSinglePersistent &P        = B.P;
  const BdiaghSingleUpdates    &U        = P.update;
  Pack<1>                       parts[2] = {};

  bdiagh_for_rows_in_memory<4>(B, [&](int row) { add_correction.rows(row, static_cast<Pack<1> *>(nullptr)); });
  reduce.neighbor_barrier(P.partner, P.partners, [] {}); /* x of other blocks is complete */
  bdiagh_for_rows_in_memory<2>(B, [&](int row) {
    const Scalar b = load_once(U.rhs + row);

    U.residual[row] = scale(row) * (b - bdiagh_row<1, N, N>(U.matrix, U.x, row));
    round.rows(row, parts);
  });
  const double sums[2] = {static_cast<double>(parts[0].v[0]), static_cast<double>(parts[1].v[0])};
  reduce.template sum<2, false>(sums, [&](const double(&s)[2]) {
    const Scalar found[2] = {static_cast<Scalar>(s[0]), static_cast<Scalar>(s[1])};
    Scalars      now      = S;

    update_state.m.keep = false;
    MixedState m        = update_state.m;
    take(now, found);
    update_state.on = update_state.updates < MixedResult::most && mixed_continues(m, U.test, now, S.dp, found[0]);
    if (update_state.on) {
      continue_iterations(now);
      update_state.on = now.stop == FusedStop::no;
    }
    if (!update_state.on) {
      for (int k = 0; k < 2 && blockIdx.x == 0; k++) U.sums[k] = found[k];
      return;
    }
    if (blockIdx.x == 0) {
      U.result->record[update_state.updates] = {now.it, S.dp, now.dp};
      P.history[now.it % P.history_length]   = now.dp;
    }
    update_state.updates++;
    update_state.m = m;
    S              = now;
  });
  return update_state.on;
}

} // namespace heptane
