/*
   How kernels that end in a reduction are launched: as many blocks as there are tiles, but no more than are resident, since others would only add partial sums and lose what neighbours
   share.
*/
#pragma once

#include "../../device/chained_launch.cuh"
#include "../../device/launch_policy.hpp"
#include "../pc_rows.hpp"
#include <algorithm>

namespace heptane
{

/*
   Whether the rows of a product go from the last to the first. A method asks for it where the pass before goes up the rows: its last ones are in the second-level cache, and this one's last
   will be the first of the next. bdiagh, us at 4.1M rows without and with: CG 151.2, 148.9, BiCGStab 241.8, 236.6; at 16.8M 575, 573 and 918, 913; at 2.1M 79.8, 80.6 and 130.7, 126.7
*/
template <class T>
bool goes_backward(const FusedProductOf<T> &P)
{
  return P.backward;
}

/* Of a product with so many rows of a cell, and sums; early: as launch_chained() */
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
