/*
   Point blocks of a preconditioner applied to the rows of a fused product, which are spread over threads: the rows of a block meet within a warp or in shared memory. Knows no PETSc
   objects.
*/
#pragma once

#include "../../device/add_components.hpp"
#include "../../device/warp_group_barrier.cuh"
#include "../pass_tuning.hpp"
#include "../pc_rows.hpp"

namespace heptane
{

/* The threads of the warps that hold whole cells of B rows meet */
template <int B>
__device__ __forceinline__ void meet_whole_cells()
{
  constexpr int group = PassTuning::whole_cells<B>;

  warp_group_barrier(threadIdx.x / group, group);
}

/*
   Row `row` of M^-1 y, y being `mine` here and in the threads of the same block of M; i: the row's number in the block. For all threads; active: this one has a row. IN_WARP: a block
   lies within a warp. Otherwise values: shared memory, one place a thread, own is this one's; meet(): a barrier of the threads whose blocks lie in the same warps.
*/
template <int B, bool IN_WARP, class Meet>
__device__ __forceinline__ Scalar apply_point_block(const FusedPc &pc, bool active, std::size_t row, int i, Scalar mine, int own, Scalar *values, Meet meet)
{
  if constexpr (B > 0) {
    Scalar m[B], y = 0;
    HEPTANE_UNROLL
    for (int s = 0; s < B; s++) m[s] = active ? load_once(pc.inverse + s * pc.ld + row) : Scalar(0);
    if constexpr (IN_WARP) {
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) y += m[s] * __shfl_sync(~0u, mine, s, B);
    } else {
      values[own] = mine;
      meet();
      HEPTANE_UNROLL
      for (int s = 0; s < B; s++) y += active ? m[s] * values[own - i + s] : Scalar(0);
    }
    return y;
  } else {
    constexpr int U = PassTuning::components_together;
    Scalar        m[U], y = 0; /* loaded before the barrier */

    HEPTANE_UNROLL
    for (int s = 0; s < U; s++) m[s] = active && s < pc.block ? load_once(pc.inverse + s * pc.ld + row) : Scalar(0);
    values[own] = mine;
    __syncthreads();
    if (!active) return mine;
    HEPTANE_UNROLL
    for (int s = 0; s < U; s++) y += s < pc.block ? m[s] * values[own - i + s] : Scalar(0);
    return add_components<U>(y, pc.inverse + U * pc.ld + row, pc.ld, values, own - i + U, pc.block - U);
  }
}

} // namespace heptane
