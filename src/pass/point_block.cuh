/*
   Point blocks of a preconditioner applied to the rows of a fused product, which are spread over threads: the rows of a block meet within a warp or in shared memory. Knows no PETSc
   objects.
*/
#pragma once

#include "../device/scalar.hpp"
#include "pc_rows.hpp"

namespace heptane
{

/* pc_block_row() with components of a block in groups, whose loads are under way together */
__device__ __forceinline__ Scalar point_block_row(const FusedPc &pc, std::size_t row, const Scalar *cell)
{
  constexpr int together = 4;
  Scalar        y        = 0;

  for (int s = 0; s < pc.block; s += together) {
    Scalar m[together];
    HEPTANE_UNROLL
    for (int u = 0; u < together; u++) m[u] = s + u < pc.block ? load_once(pc.inverse + (s + u) * pc.ld + row) : Scalar(0);
    HEPTANE_UNROLL
    for (int u = 0; u < together; u++)
      if (s + u < pc.block) y += m[u] * cell[s + u];
  }
  return y;
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
    values[own] = mine;
    __syncthreads();
    return active ? point_block_row(pc, row, values + own - i) : mine;
  }
}

} // namespace heptane
