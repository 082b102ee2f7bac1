/*
   What a launch may be, and how long it is predicted to take: resident blocks from the occupancy, waves and the blocks of the last one, bytes under way against the memory's latency and rate. Knows
   neither PETSc nor CUDA.
*/
#pragma once

#include "../../device/launch_policy.hpp"
#include "../../metrics/occupancy.hpp"
#include <string>
#include <vector>

namespace heptane
{

/* The GPU that launches are chosen for: the one at hand, or what is left of it by -multiprocessors and -shared */
struct LaunchDevice {
  DeviceLimits limits;
  int          spread       = 0;                 /* multiprocessors of the GPU at hand, over which blocks are spread; 0: as many as it is chosen for */
  double       bytes_per_us = 0, latency_us = 0; /* of passes over its memory, of a load from there */
  double       cache_bytes = 0, cache_bytes_per_us = 0,
         cache_latency_us = 0; /* of the second-level cache, whose bytes a launch finds where the one before left them */
  double scalar_bytes     = 8;
};

/* What a working set meets: the cache, the memory, or a mixture */
struct LaunchMemory {
  double bytes_per_us, latency_us;
};
LaunchMemory memory_of(const LaunchDevice &device, double working_set);

/* What CUDA says of a kernel, before anything is chosen */
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
  int  blocks  = 0;     /* of a grid in strides, per multiprocessor; 0: as many as the items take */
  bool narrow  = false; /* one row per thread */

  bool operator==(const LaunchCandidate &o) const { return threads == o.threads && blocks == o.blocks && narrow == o.narrow; }
};

/* The launch that is compiled in */
LaunchCandidate compiled_launch(const DeviceLimits &limits, const LaunchQuestion &q);
/* Blocks of it that are resident on a multiprocessor */
int resident_blocks(const DeviceLimits &limits, const LaunchQuestion &q, const LaunchKernels &kernels, const LaunchCandidate &c);
/* All of them; the one that is compiled comes first */
std::vector<LaunchCandidate> launch_candidates(const LaunchDevice &device, const LaunchQuestion &q, const LaunchKernels &kernels);
/* What it is predicted to take */
double launch_us(const LaunchDevice &device, const LaunchQuestion &q, const LaunchKernels &kernels, const LaunchCandidate &c);
/* That of the least time, the first of several */
LaunchCandidate choose_candidate(const LaunchDevice &device, const LaunchQuestion &q, const LaunchKernels &kernels);

/* Bytes of dynamic shared memory that nobody uses, with which no more blocks are resident on `real` than on all multiprocessors of `artificial`; 0: there is no need */
long unused_shared(const DeviceLimits &real, const DeviceLimits &artificial, const KernelResources &kernel);

} // namespace heptane
