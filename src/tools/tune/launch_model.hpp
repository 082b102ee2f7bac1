/*
   Possible launches, and their predicted times: resident blocks by the occupancy, waves and the blocks of the last one,
   bytes in flight versus the memory's latency and rate. Without PETSc and CUDA.
*/
#pragma once

#include "../../device/launch_policy.hpp"
#include "../../metrics/occupancy.hpp"
#include <string>
#include <vector>

namespace heptane
{

/* The GPU for which launches are chosen: the current one, or the part of it selected by -multiprocessors and -shared */
struct LaunchDevice {
  DeviceLimits limits;
  /* multiprocessors of the current GPU, over which blocks are spread; 0: as many as launches are chosen for */
  int    spread       = 0;
  double bytes_per_us = 0, latency_us = 0;                              /* of passes over its memory, and of a load from there */
  double cache_bytes = 0, cache_bytes_per_us = 0, cache_latency_us = 0; /* of the second-level cache, if the previous launch has left the data there */
  double scalar_bytes = 8;
};

/* Properties of the memory that a working set uses: of the cache, the memory, or a mixture */
struct LaunchMemory {
  double bytes_per_us, latency_us;
};
LaunchMemory memory_of(const LaunchDevice &device, double working_set);

/* Attributes of a kernel in CUDA, before a launch is chosen */
struct KernelNeeds {
  int  registers = 0; /* of a thread */
  long shared    = 0; /* of a block, static */
};

struct LaunchKernels {
  KernelNeeds wide, narrow; /* of LaunchQuestion::kernel, narrow */
};

/* A launch that is possible */
struct LaunchCandidate {
  int  threads = 0;     /* of a block */
  int  blocks  = 0;     /* of a grid in strides, per multiprocessor; 0: as many as the items require */
  bool narrow  = false; /* one row per thread */

  bool operator==(const LaunchCandidate &o) const { return threads == o.threads && blocks == o.blocks && narrow == o.narrow; }
};

/* The compiled-in launch */
LaunchCandidate compiled_launch(const DeviceLimits &limits, const LaunchQuestion &q);
/* Blocks of it that are resident on a multiprocessor */
int resident_blocks(const DeviceLimits &limits, const LaunchQuestion &q, const LaunchKernels &kernels, const LaunchCandidate &c);
/* All of them; the compiled-in one is the first */
std::vector<LaunchCandidate> launch_candidates(const LaunchDevice &device, const LaunchQuestion &q, const LaunchKernels &kernels);
/* Its predicted time */
double launch_us(const LaunchDevice &device, const LaunchQuestion &q, const LaunchKernels &kernels, const LaunchCandidate &c);
/* The one with the least time, the first of several */
LaunchCandidate choose_candidate(const LaunchDevice &device, const LaunchQuestion &q, const LaunchKernels &kernels);

/*
   Bytes of unused dynamic shared memory that limit the resident blocks on `real` to the number on all multiprocessors
             of `artificial`; 0: not needed
*/
long unused_shared(const DeviceLimits &real, const DeviceLimits &artificial, const KernelResources &kernel);

} // namespace heptane
