/*
   Launches of the kernels that end in a reduction: as many blocks as there are tiles, but no more than are resident, since others would only add partial sums and lose what neighbours
   share.
*/
#pragma once

#include "../../device/chained_launch.cuh"
#include "pc_rows.hpp"
#include <algorithm>

namespace heptane
{

/* early: as launch_chained() */
template <auto Kernel, class... Arguments>
cudaError_t launch_resident(std::size_t tiles, int threads, cudaStream_t stream, bool early, const FusedReduction &red, const Arguments &...arguments)
{
  static int resident = 0; /* blocks of this kernel on a multiprocessor */

  if (!resident) {
    const cudaError_t err = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, Kernel, threads, 0);
    if (err != cudaSuccess) return err;
  }
  const auto room = static_cast<std::size_t>(std::min(resident * red.processors, red.max_blocks));
  return launch_chained(Kernel, static_cast<unsigned>(std::min(tiles, room)), threads, stream, red.chained && early, arguments...);
}

} // namespace heptane
