/*
   Applies point blocks of a preconditioner to the rows of a fused product. The rows of a block are in different threads
   and are combined within a warp or through shared memory. Has no PETSc objects.
*/
#pragma once

#include "../../device/add_components.hpp"
#include "../../device/warp_group_barrier.cuh"
#include "../pass_tuning.hpp"
#include "../pc_rows.hpp"

namespace heptane
{

/* Barrier of the threads of the warps that hold whole cells of B rows */
template <int B>
__device__ __forceinline__ void sync_whole_cells()
{
  constexpr int group = PassTuning::whole_cells<B>;

  warp_group_barrier(threadIdx.x / group, group);
}

/*
   Row `row` of M^-1 y; `mine` is y of this row, and the threads of the other rows of the block pass theirs. i: the
   row's index in the block. For all threads; active: this thread has a row. IN_WARP: a block is within one warp.
   Otherwise values: shared memory with one place per thread, thread: the place of this thread; sync_cells(): a barrier
   of the threads whose blocks are in the same warps.
*/
template <int B, bool IN_WARP, class Sync>
__device__ __forceinline__ Scalar apply_point_block(const FusedPc &pc, bool active, std::size_t row, int i, Scalar mine, int thread, Scalar *values,
                                                    Sync sync_cells)
{
  if constexpr (B > 0) {
    Scalar m[B], y = 0;
    HEPTANE_UNROLL
    for (int s = 0; s < B; s++) m[s] = active ? load_once(pc.inverse + s * pc.ld + row) : Scalar(0);
    if constexpr (IN_WARP) {
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) y += m[s] * __shfl_sync(~0u, mine, s, B);
    } else {
      values[thread] = mine;
      sync_cells();
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) y += active ? m[s] * values[thread - i + s] : Scalar(0);
    }
    return y;
  } else {
    constexpr int U = PassTuning::components_together;
    Scalar        m[U], y = 0; /* loaded before the barrier */

    HEPTANE_UNROLL
    for (int s = 0; s < U; s++) m[s] = active && s < pc.block ? load_once(pc.inverse + s * pc.ld + row) : Scalar(0);
    values[thread] = mine;
    __syncthreads();
    if (!active) return mine;
    HEPTANE_UNROLL
    for (int s = 0; s < U; s++) y += s < pc.block ? m[s] * values[thread - i + s] : Scalar(0);
    return add_components<U>(y, pc.inverse + U * pc.ld + row, pc.ld, values, thread - i + U, pc.block - U);
  }
}

} // namespace heptane
