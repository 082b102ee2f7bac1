/*
   Theoretical occupancy of a kernel from the resources of its blocks, and the waves in which its blocks run. Formulas
   of the occupancy calculators; no CUDA call, so that tests need no GPU.
*/
#pragma once

#include <cstddef>
#include <string>

namespace heptane
{

/* Resources of a multiprocessor */
struct DeviceLimits {
  std::string name;
  int         major = 0, minor = 0;
  int         multiprocessors = 0;
  int         warps = 0, blocks = 0;  /* resident */
  int         registers       = 0;    /* of a multiprocessor */
  int         block_registers = 0;    /* of one block, at most */
  long        shared          = 0;    /* bytes of a multiprocessor */
  long        shared_reserved = 0;    /* bytes of each block that the system reserves */
  int         register_unit   = 256;  /* a warp's registers are allocated in multiples of it */
  int         register_parts() const; /* schedulers, each with its part of the registers */
  int         shared_unit() const;    /* a block's shared memory is allocated in multiples of it */
};

/* Resources of a launch */
struct KernelResources {
  int  threads   = 0; /* of a block */
  int  registers = 0; /* of a thread */
  long shared    = 0; /* of a block, static and dynamic */
};

struct Occupancy {
  static constexpr int unlimited = 1 << 30;
  int                  by_warps = 0, by_blocks = 0, by_registers = 0, by_shared = 0; /* blocks per multiprocessor that each resource allows */
  int                  blocks   = 0;                                                 /* resident: the least of these */
  double               fraction = 0;                                                 /* of the warps that a multiprocessor can have */
  const char          *limit    = ""; /* warps, blocks, registers or shared: the first one that allows the fewest blocks */
};

Occupancy occupancy_of(const DeviceLimits &device, const KernelResources &kernel);

/* A grid on the whole device: blocks that are resident at once run as a wave */
struct Waves {
  double      waves    = 0; /* grid over resident blocks */
  std::size_t resident = 0; /* on the device */
  std::size_t tail     = 0; /* blocks of the last wave if it is not full, else 0 */
  double      lost     = 0; /* fraction of empty places in the last wave, over all waves: the time lost if all blocks take equally long */
};

Waves waves_of(const DeviceLimits &device, const Occupancy &occupancy, std::size_t grid);

} // namespace heptane
