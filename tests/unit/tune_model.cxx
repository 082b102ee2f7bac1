/*
   The model of launches on GPUs that are made up: what can be launched, and what is chosen where a resource becomes scarce or plenty.
*/
#include "tools/tune/launch_model.hpp"

namespace
{

/* As an H200 */
LaunchDevice large()
{
  LaunchDevice d;

  d.limits.name            = "large";
  d.limits.major           = 9;
  d.limits.multiprocessors = 132;
  d.limits.warps           = 64;
  d.limits.blocks          = 32;
  d.limits.registers = d.limits.block_registers = 65536;
  d.limits.shared                               = 233472;
  d.limits.shared_reserved                      = 1024;
  d.bytes_per_us                                = 4.2e6;
  d.latency_us                                  = 0.65;
  return d;
}

/* Few multiprocessors, each with much of a slow memory, and little shared memory */
LaunchDevice small()
{
  LaunchDevice d = large();

  d.limits.name            = "small";
  d.limits.major           = 7;
  d.limits.minor           = 5;
  d.limits.multiprocessors = 14;
  d.limits.warps           = 32;
  d.limits.blocks          = 16;
  d.limits.shared          = 65536;
  d.limits.shared_reserved = 0;
  d.bytes_per_us           = 1.5e5;
  d.latency_us             = 0.5;
  return d;
}

LaunchKernels kernels(int registers, long shared = 0)
{
  LaunchKernels k;

  k.wide = k.narrow = {registers, shared};
  return k;
}

/* A kernel whose blocks go on in strides */
LaunchQuestion strided(const LaunchDevice &d, int vectors, std::size_t rows, int blocks)
{
  LaunchQuestion q;

  q.size    = vectors;
  q.items   = rows;
  q.width   = 2;
  q.threads = 256;
  q.grid    = blocks * d.limits.multiprocessors;
  q.room    = 8 * d.limits.multiprocessors;
  return q;
}

/* A dense block of 32 rows per warp, which is in shared memory */
LaunchQuestion qr(std::size_t blocks)
{
  LaunchQuestion q;

  q.family  = LaunchFamily::dense_qr;
  q.size    = 32;
  q.items   = blocks;
  q.lanes   = 32;
  q.threads = 128;
  q.unit    = 32;
  q.shared  = 8960;
  return q;
}

TEST(LaunchModel, ResidentBlocksOfTheWorkedExamples)
{
  LaunchDevice   d        = small();
  LaunchQuestion q        = strided(d, 3, 1000000, 4);
  const auto     resident = [&](long shared) {
    d.limits.multiprocessors = 14;
    d.limits.warps           = 48;
    return resident_blocks(d.limits, q, kernels(16, shared), {64, 0, false}) * d.limits.multiprocessors;
  };

  /* 16 x 14 = 224 by the number of blocks, 11 x 14 = 154 and 5 x 14 = 70 by shared memory */
  EXPECT_EQ(resident(0), 224);
  EXPECT_EQ(resident(65536 / 11 / 256 * 256), 154);
  EXPECT_EQ(resident(65536 / 5 / 256 * 256), 70);
}

TEST(LaunchModel, CandidatesAreThoseThatCanBeLaunched)
{
  const LaunchDevice  d = large();
  LaunchQuestion      q = strided(d, 3, 1000000, 4);
  const LaunchKernels k = kernels(64);

  std::vector<LaunchCandidate> all = launch_candidates(d, q, k);
  EXPECT_EQ(all.front(), (LaunchCandidate{256, 4, false})) << "what is compiled comes first";
  EXPECT_EQ(all.size(), 4u) << "65536 registers / 64 / 256";
  for (const LaunchCandidate &c : all) {
    EXPECT_LE(c.blocks, resident_blocks(d.limits, q, k, c));
    EXPECT_EQ(std::count(all.begin(), all.end(), c), 1);
  }
  q.narrow = &q;
  EXPECT_EQ(launch_candidates(d, q, k).size(), 8u);
  all = launch_candidates(d, qr(1000), k);
  EXPECT_EQ(all.size(), 4u);
  for (const LaunchCandidate &c : all) EXPECT_TRUE(c.threads % 32 == 0 && c.threads <= 128 && !c.blocks);
  q      = qr(1000);
  q.unit = 0;
  EXPECT_EQ(launch_candidates(d, q, k).size(), 1u) << "no number of threads but the compiled one";
  EXPECT_TRUE(launch_candidates(d, qr(1000), kernels(64, 300000)).empty()) << "nothing can be launched that has more shared memory than there is";
}

TEST(LaunchModel, TimeNeverFallsBelowTheMemorys)
{
  for (const LaunchDevice &d : {large(), small()})
    for (const std::size_t rows : {1000u, 100000u, 10000000u}) {
      const LaunchQuestion q = strided(d, 3, rows, 4);

      for (const LaunchCandidate &c : launch_candidates(d, q, kernels(40))) {
        const double us = launch_us(d, q, kernels(40), c);

        EXPECT_GE(us * d.bytes_per_us, 32. * rows) << c.blocks;
        EXPECT_GE(us, d.latency_us);
      }
    }
}

TEST(LaunchModel, SmallWorkingSetsMeetTheCache)
{
  LaunchDevice d = large();

  EXPECT_DOUBLE_EQ(memory_of(d, 1e6).bytes_per_us, d.bytes_per_us) << "no cache is known";
  d.cache_bytes        = 5e7;
  d.cache_bytes_per_us = 2 * d.bytes_per_us;
  d.cache_latency_us   = 0.25;
  EXPECT_DOUBLE_EQ(memory_of(d, 1e6).bytes_per_us, d.cache_bytes_per_us);
  EXPECT_DOUBLE_EQ(memory_of(d, 1e6).latency_us, 0.25);
  EXPECT_DOUBLE_EQ(memory_of(d, 1e8).bytes_per_us, d.bytes_per_us);
  EXPECT_DOUBLE_EQ(memory_of(d, 1e8).latency_us, d.latency_us);
  const LaunchMemory half = memory_of(d, 5.5e7);

  EXPECT_TRUE(half.bytes_per_us > d.bytes_per_us && half.bytes_per_us < d.cache_bytes_per_us && half.latency_us > 0.25 && half.latency_us < d.latency_us);
}

TEST(LaunchModel, MoreUnderWayWhereTheMemoryIsFaster)
{
  const LaunchKernels k    = kernels(40);
  const std::size_t   n    = 20000000;
  LaunchDevice        d    = large();
  const auto          gain = [&](int vectors) {
    const LaunchQuestion q = strided(d, vectors, n, 1);

    return launch_us(d, q, k, {256, 1, false}) / launch_us(d, q, k, {256, 6, false});
  };
  const double of_two = gain(2), of_six = gain(6);

  EXPECT_GT(of_two, 1.2) << "one block per multiprocessor has too little under way";
  EXPECT_GT(of_two, 1.1 * of_six) << "passes over many vectors have enough under way with fewer blocks";
  d.bytes_per_us *= 2;
  EXPECT_GT(gain(6), 1.1 * of_six);
  d.bytes_per_us /= 8;
  EXPECT_LT(gain(2), 0.9 * of_two);
  d                        = large();
  d.limits.multiprocessors = 66;
  EXPECT_GT(gain(6), 1.1 * of_six) << "as much memory for half of the multiprocessors";
  EXPECT_GE(choose_candidate(d, strided(d, 2, n, 1), k).blocks, 4);
}

TEST(LaunchModel, FewRowsAreOneRound)
{
  const LaunchDevice d = large();
  LaunchQuestion     q = strided(d, 3, 512 * 132 * 3, 1);
  const int          c = choose_candidate(d, q, kernels(40)).blocks;

  EXPECT_GE(c, 3) << "one block of rows for each, at once";
}

TEST(LaunchModel, SmallerBlocksWhereSharedMemoryIsScarce)
{
  LaunchDevice        d = large();
  const LaunchKernels k = kernels(96);

  d.limits.shared         = 65536; /* one block of four warps, or three of two */
  const LaunchCandidate c = choose_candidate(d, qr(100000), k);

  EXPECT_LT(c.threads, 128);
  EXPECT_GT(resident_blocks(d.limits, qr(100000), k, c) * c.threads, 128);
  EXPECT_LT(launch_us(d, qr(100000), k, c), 0.9 * launch_us(d, qr(100000), k, {128, 0, false}));
}

TEST(LaunchModel, AnArtificialGpuHasAsManyBlocks)
{
  const DeviceLimits real = large().limits;

  for (const int multiprocessors : {33, 66, 100, 132})
    for (const long shared : {32768l, 65536l, 233472l})
      for (const KernelResources kernel : {
             KernelResources{256, 64, 0    },
             KernelResources{128, 96, 35840},
             KernelResources{64,  32, 1000 }
      }) {
        DeviceLimits artificial = real;

        artificial.multiprocessors = multiprocessors;
        artificial.shared          = shared;
        if (!occupancy_of(artificial, kernel).blocks) continue;
        KernelResources padded = kernel;
        padded.shared += unused_shared(real, artificial, kernel);
        const int wanted = occupancy_of(artificial, kernel).blocks * multiprocessors, there = occupancy_of(real, padded).blocks * real.multiprocessors;

        if (wanted < real.multiprocessors) EXPECT_EQ(there, real.multiprocessors);
        else EXPECT_TRUE(there <= wanted && there > wanted - real.multiprocessors) << multiprocessors << " " << shared << " " << kernel.threads;
        EXPECT_GE(occupancy_of(real, padded).blocks, 1) << "it can still be launched";
      }
}

} // namespace
