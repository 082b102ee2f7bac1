/*
   Launches of the structured multigrid over the places of a level: columns along x, so that loads of neighbours
   coalesce, layers of one colour along y.
*/
#pragma once

#include "../grid/remainder.hpp"
#include "../grid/tuning.hpp"
#include "../rows/setup_rows.hpp"
#include <algorithm>

namespace heptane
{

struct GridLaunch {
  dim3 blocks, threads;

  /* layers: of `columns` columns */
  GridLaunch(std::size_t columns, std::size_t layers)
  {
    unsigned x = 1;

    while (x < GridTuning::threads && x < columns) x *= 2;
    threads = dim3(x, GridTuning::threads / x);
    blocks  = dim3(static_cast<unsigned>((columns + x - 1) / x), static_cast<unsigned>(std::min<std::size_t>((layers + threads.y - 1) / threads.y, 65535)));
  }
};

/* A kernel of many blocks signals its successor before it stores, not at once: the successor would occupy resources
   that its own blocks need */
__device__ __forceinline__ bool has_many_blocks()
{
  return gridDim.x > GridTuning::early_blocks;
}

/* For blocks of whole warps: the global number of the warp, its lanes, and a sum over them, returned to all */
__device__ __forceinline__ int warp_number()
{
  return static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
}
__device__ __forceinline__ GridLane lane_of_warp()
{
  return {static_cast<int>(threadIdx.x % 32), 32};
}
template <class Real>
__device__ __forceinline__ Real sum_of_warp(Real part)
{
  for (int step = 16; step > 0; step /= 2) part += __shfl_xor_sync(0xffffffffu, part, step);
  return part;
}

/* A warp as a team: see GridOneThread */
struct GridWarp {
  static constexpr int lanes = 32;
  const int            lane  = static_cast<int>(threadIdx.x % 32);

  __device__ __forceinline__      GridWarp() {}
  __device__ __forceinline__ void sync() const { __syncwarp(); }
  __device__ __forceinline__ bool any(bool value) const
  {
    const bool some = __any_sync(~0u, value);

    __syncwarp(); /* a vote does not order memory */
    return some;
  }
  template <class F>
  __device__ __forceinline__ unsigned largest(int begin, int end, F key) const
  {
    unsigned most = begin + lane < end ? key(begin + lane) : 0u;

#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(~0u, most);
#else
    HEPTANE_UNROLL
    for (int step = 16; step > 0; step /= 2) most = max(most, __shfl_xor_sync(~0u, most, step));
    return most;
#endif
  }
};

/* Adds faults of a cell to the report. Fixed rows, which may be many, are only flagged. */
__device__ __forceinline__ void grid_record_fault(GridReport *report, unsigned faults, unsigned long long cell)
{
  if (faults & (1u << grid_fixed_rows)) report->count[grid_fixed_rows] = 1;
  for (int fault = 0; fault < grid_fixed_rows; fault++)
    if (faults & (1u << fault)) {
      atomicAdd(&report->count[fault], 1ull);
      atomicMin(&report->first[fault], cell);
    }
}

/* f(k, colour, column) for the places of this thread */
template <class Real, class F>
__device__ __forceinline__ void for_places(const GridLevel<Real> &L, F f)
{
  const std::size_t column = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;

  if (column >= L.columns) return;
  for (int layer = blockIdx.y * blockDim.y + threadIdx.y; layer < 2 * L.K; layer += gridDim.y * blockDim.y) f(layer >> 1, layer & 1, column);
}

} // namespace heptane
