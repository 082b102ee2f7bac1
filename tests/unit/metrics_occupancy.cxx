/*
   Occupancy and waves: against the counts of resident blocks that papers measured, against figures of NVIDIA's occupancy calculator, and against its header where CUDA is installed.
*/
#include "metrics/occupancy.hpp"
#if __has_include(<cuda_occupancy.h>)
  #include <cuda_occupancy.h>
  #define HAS_CALCULATOR 1
#else
  #define HAS_CALCULATOR 0
#endif

namespace
{

DeviceLimits limits(int major, int minor, int multiprocessors, int blocks, long shared, long reserved)
{
  DeviceLimits d;

  d.name            = "test";
  d.major           = major;
  d.minor           = minor;
  d.multiprocessors = multiprocessors;
  d.warps           = 64;
  d.blocks          = blocks;
  d.registers       = 65536;
  d.block_registers = 65536;
  d.shared          = shared;
  d.shared_reserved = reserved;
  return d;
}

DeviceLimits kepler()
{
  return limits(3, 5, 14, 16, 49152, 0);
}

DeviceLimits volta()
{
  return limits(7, 0, 80, 32, 98304, 0);
}

DeviceLimits ampere()
{
  return limits(8, 0, 108, 32, 167936, 1024);
}

DeviceLimits hopper()
{
  return limits(9, 0, 132, 32, 233472, 1024);
}

/* Barriers between blocks hung as soon as one block more was launched than these; the papers print the products, not the kernels' resources, which here are such that each limit counts once */
TEST(MetricsOccupancy, ResidentBlocksOfThePapers)
{
  const DeviceLimits device = kepler();
  const struct {
    KernelResources kernel;
    int             blocks;
    const char     *limit;
    std::size_t     resident;
  } cases[] = {
    {{128, 32, 0},    16, "warps",     224},
    {{64, 32, 0},     16, "blocks",    224},
    {{128, 32, 4352}, 11, "shared",    154},
    {{256, 48, 1024}, 5,  "registers", 70 },
  };

  for (const auto &c : cases) {
    const Occupancy o = occupancy_of(device, c.kernel);
    const Waves     w = waves_of(device, o, c.resident + 1);

    EXPECT_EQ(o.blocks, c.blocks);
    EXPECT_STREQ(o.limit, c.limit);
    EXPECT_EQ(w.resident, c.resident);
    EXPECT_EQ(w.tail, 1u) << "one block more does not fit";
    EXPECT_EQ(waves_of(device, o, c.resident).tail, 0u);
    EXPECT_DOUBLE_EQ(waves_of(device, o, c.resident).waves, 1);
  }
}

/* Blocks by all limits, warps, registers and shared memory, as cudaOccMaxActiveBlocksPerMultiprocessor() of CUDA 13.0 gives them; shared below 0: without a limit */
TEST(MetricsOccupancy, FiguresOfTheCalculator)
{
  const struct {
    DeviceLimits    device;
    KernelResources kernel;
    int             blocks, by_warps, by_registers, by_shared;
  } cases[] = {
    {hopper(), {256, 64, 8192},    4,  8,  4,   25 },
    {hopper(), {128, 40, 0},       12, 16, 12,  228},
    {hopper(), {1024, 64, 230000}, 1,  2,  1,   1  },
    {hopper(), {512, 168, 100},    0,  4,  0,   202},
    {hopper(), {96, 33, 2048},     16, 21, 16,  76 },
    {hopper(), {1024, 65, 0},      0,  2,  0,   228},
    {hopper(), {288, 80, 30000},   2,  7,  2,   7  },
    {hopper(), {64, 255, 40000},   4,  32, 4,   5  },
    {ampere(), {256, 64, 8192},    4,  8,  4,   18 },
    {ampere(), {64, 255, 40000},   4,  32, 4,   4  },
    {ampere(), {32, 16, 0},        32, 64, 128, 164},
    {volta(),  {64, 255, 40000},   2,  32, 4,   2  },
    {volta(),  {288, 80, 30000},   2,  7,  2,   3  },
    {kepler(), {64, 255, 40000},   1,  32, 4,   1  },
    {kepler(), {96, 33, 2048},     16, 21, 16,  24 },
  };

  for (const auto &c : cases) {
    const Occupancy o = occupancy_of(c.device, c.kernel);

    EXPECT_EQ(o.blocks, c.blocks) << c.device.major << ", " << c.kernel.threads;
    EXPECT_EQ(o.by_warps, c.by_warps);
    EXPECT_EQ(o.by_registers, c.by_registers);
    EXPECT_EQ(o.by_shared, c.by_shared);
  }
  EXPECT_EQ(occupancy_of(volta(), {256, 32, 0}).by_shared, Occupancy::unlimited);
  EXPECT_DOUBLE_EQ(occupancy_of(hopper(), {96, 33, 2048}).fraction, 0.75);
  EXPECT_DOUBLE_EQ(occupancy_of(hopper(), {96, 32, 0}).fraction, 63. / 64);
}

TEST(MetricsOccupancy, NothingOfNothing)
{
  const Occupancy none = occupancy_of(DeviceLimits(), {256, 32, 0}), empty = occupancy_of(hopper(), {0, 32, 0});

  EXPECT_EQ(none.blocks, 0);
  EXPECT_EQ(empty.blocks, 0);
  EXPECT_EQ(waves_of(hopper(), none, 100).waves, 0);
  EXPECT_EQ(waves_of(hopper(), occupancy_of(hopper(), {256, 32, 0}), 0).waves, 0);
}

TEST(MetricsOccupancy, WavesAndTail)
{
  const DeviceLimits device = hopper();
  const Occupancy    o      = occupancy_of(device, {256, 32, 0}); /* 8 blocks: 1056 on the device */
  const Waves        w      = waves_of(device, o, 1584);

  EXPECT_EQ(w.resident, 1056u);
  EXPECT_DOUBLE_EQ(w.waves, 1.5);
  EXPECT_EQ(w.tail, 528u);
  EXPECT_DOUBLE_EQ(w.lost, 0.25); /* half of the second of two waves */
  EXPECT_DOUBLE_EQ(waves_of(device, o, 2112).lost, 0);
  EXPECT_DOUBLE_EQ(waves_of(device, o, 132).lost, 0.875);
}

#if HAS_CALCULATOR
int by_calculator(const DeviceLimits &d, const KernelResources &k)
{
  cudaOccDeviceProp     p;
  cudaOccFuncAttributes a;
  cudaOccDeviceState    s;
  cudaOccResult         r;

  p.computeMajor                = d.major;
  p.computeMinor                = d.minor;
  p.maxThreadsPerBlock          = 1024;
  p.maxThreadsPerMultiprocessor = 32 * d.warps;
  p.regsPerBlock                = d.block_registers;
  p.regsPerMultiprocessor       = d.registers;
  p.warpSize                    = 32;
  p.sharedMemPerBlock           = 49152;
  p.sharedMemPerMultiprocessor  = d.shared;
  p.numSms                      = d.multiprocessors;
  p.sharedMemPerBlockOptin      = d.shared - d.shared_reserved;
  p.reservedSharedMemPerBlock   = d.shared_reserved;
  a.maxThreadsPerBlock          = 1024;
  a.numRegs                     = k.registers;
  a.sharedSizeBytes             = 0;
  a.partitionedGCConfig         = PARTITIONED_GC_OFF;
  a.shmemLimitConfig            = FUNC_SHMEM_LIMIT_OPTIN;
  a.maxDynamicSharedSizeBytes   = d.shared;
  return cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &a, &s, k.threads, k.shared) == CUDA_OCC_SUCCESS ? r.activeBlocksPerMultiprocessor : -1;
}

TEST(MetricsOccupancy, AgreesWithTheCalculator)
{
  int compared = 0;

  for (const DeviceLimits &device : {kepler(), volta(), ampere(), hopper()})
    for (int threads = 32; threads <= 1024; threads += 32)
      for (int registers : {16, 24, 31, 32, 33, 40, 48, 63, 64, 72, 80, 96, 127, 128, 168, 255})
        for (long shared : {0L, 16L, 1000L, 4096L, 4352L, 10000L, 48000L}) {
          EXPECT_EQ(occupancy_of(device, {threads, registers, shared}).blocks, by_calculator(device, {threads, registers, shared}))
            << device.major << ": " << threads << ", " << registers << ", " << shared;
          compared++;
        }
  EXPECT_EQ(compared, 4 * 32 * 16 * 7);
}
#endif

} // namespace
