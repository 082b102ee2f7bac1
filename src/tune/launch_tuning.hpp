/*
   Every number of the model of launches, and of how they are measured.
*/
#pragma once

#include <cstddef>

namespace heptane
{

/* A kind of GPU */
struct LaunchGpu {
  int major, minor, multiprocessors;
};

struct LaunchTuning {
  /* Where the numbers of the other *_tuning.hpp were measured, which are taken there: H200, and H100 with as many multiprocessors. The model chooses on all others */
  static constexpr LaunchGpu compiled_for[] = {
    {9, 0, 132}
  };
  /* The memory's rate is that of passes over so many bytes */
  static constexpr double rate_bytes = 2.5e8;
  /* Rates of a latency and a bandwidth that limit each other: 1 / (a^-p + b^-p)^(1/p) */
  static constexpr double sharpness = 4;
  /* us: a block more of a grid whose blocks add their sums to a counter, one after the other; a block more of a multiprocessor that takes its blocks one after the other */
  static constexpr double block_us = 0.001, start_us = 0.02;
  /* Loads that follow each other in a block before all of its memory is under way, latencies */
  static constexpr double chain = 2;
  /* How much more of the memory's rate is lost for each doubling of what is under way beyond what hides the latency */
  static constexpr double crowded = 0.01;
  /* The number that is compiled is kept where the model gains less than this fraction by another */
  static constexpr double least_gain = 0.01;
  /* Threads of a block that are tried, where a kernel takes any */
  static constexpr int threads[] = {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
  /* A sample takes so many us at least, the median of so many is taken, after one that does not count */
  static constexpr double sample_us     = 400;
  static constexpr int    samples       = 9;
  static constexpr int    most_launches = 100; /* of a sample */
};

} // namespace heptane
