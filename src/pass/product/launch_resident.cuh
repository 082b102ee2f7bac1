/*
   Launches kernels that end in a reduction, with as many blocks as there are tiles, but at most the resident number:
   more blocks would only add partial sums and share less data with their neighbours.
*/
#pragma once

#include "../../device/chained_launch.cuh"
#include "../../device/launch_policy.hpp"
#include "../pc_rows.hpp"
#include <algorithm>

namespace heptane
{

/*
   Whether the rows of a product are processed from last to first. A method requests it if the pass before ascends: the
   last rows of that pass are in the second-level cache. Saves up to 2 % from 4.1M rows, costs 1 % of CG at 2.1M. H200,
   bdiagh
*/
template <class T>
bool goes_backward(const FusedProductOf<T> &P)
{
  return P.backward;
}

/* For a product with this number of rows per cell, and of sums; early: as launch_chained() */
template <auto Kernel, class... Arguments>
cudaError_t launch_resident(std::size_t tiles, int threads, int block, int sums, cudaStream_t stream, bool early, const FusedReduction &red,
                            const Arguments &...arguments)
{
  static int resident = 0; /* blocks of this kernel on a multiprocessor */

  if (!resident) {
    const cudaError_t err = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, Kernel, threads, 0);
    if (err != cudaSuccess) return err;
  }
  LaunchQuestion q;

  q.family                = sums > 1 ? LaunchFamily::fused_products : LaunchFamily::fused_product;
  q.kernel                = reinterpret_cast<const void *>(Kernel);
  q.size                  = block;
  q.items                 = tiles * threads;
  q.threads               = threads;
  q.grid                  = std::min(resident * red.processors, red.max_blocks);
  q.room                  = red.max_blocks;
  const LaunchChoice c    = choose_launch(q);
  const auto         grid = static_cast<unsigned>(std::min<std::size_t>(tiles, c.grid));

  return launch_chained_with(c.unused, Kernel, grid, threads, stream, red.chained && early, arguments...);
}

} // namespace heptane
