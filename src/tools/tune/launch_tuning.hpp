/*
   Every number of the model of launches, and of how they are measured.
*/
#pragma once

#include <cstddef>

namespace heptane
{

/*
   Cost of an item of size s: scalars from memory per unit of s and in addition; dependent loads, in latencies, for
   s = 1 and for each further unit; us of one of s dependent steps if several threads share an item, which is then read
   and written
*/
struct LaunchCost {
  double scalars_size, scalars, loads, loads_size, step_us;
};

struct LaunchTuning {
  /* The memory's rate is measured by passes over this number of bytes */
  static constexpr double rate_bytes = 2.5e8;
  /* The rate of the cache is measured over this part of it */
  static constexpr double cache_part = 0.2;
  /*
     Fitted to 135 measured kernels and sizes of an H100 80GB HBM3, as it is and artificially restricted
     (bench/results/2026-11-28-tables), so that the chosen launches are nearly as fast as the fastest, for memory
     latencies from 0.33 to 0.54 us. The choices are reliable, the times less so.
  */
  /* Times that limit each other: (a^p + b^p + ...)^(1/p) */
  static constexpr double sharpness = 1.5;
  /* Working sets up to this part of the second-level cache are found there; above the second number nothing is */
  static constexpr double cache_all = 1.03, cache_none = 1.27;
  /* Largest part of the memory's rate that one multiprocessor can use, relative to its equal share */
  static constexpr double share = 5.88;
  /*
     us: of a launch; in addition with two rows per thread; per block of a grid whose blocks add their sums
     sequentially; per block of a multiprocessor that runs its blocks sequentially
  */
  static constexpr double launch_us = 1.19, wide_us = 0.195, block_us = 0.00164, start_us = 0.00523;
  /*
     us per block of a multiprocessor whose blocks all run at once. Not fitted to choices: within the slopes of measured
     times over the blocks, with one row per thread 0.012 to 0.046 (b = 1, 3, 8; H100, H200)
  */
  static constexpr double start_alone_us = 0.025;
  /*
     Fraction lost for each doubling of the bytes in flight beyond the number that hides the latency; relative delay of
     a block of twice as many warps, since its slowest warp determines its time
  */
  static constexpr double crowded = 0.00163, uneven = 0.017;
  /* us of a scheduler for a step of a warp with dense blocks: fixed, and per row */
  static constexpr double issue_us = 0.000609, issue_size_us = 0.00352;
  static constexpr int    schedulers = 4; /* of a multiprocessor */
  /* In the order of LaunchFamily */
  static constexpr LaunchCost costs[] = {
    {7, 2, 2.71,   0.897, 0    }, /* products of bdiagh: seven diagonals are expected */
    {7, 2, 16.8,   0,     0    }, /* of sellp */
    {7, 3, 2,      0.174, 0    }, /* fused */
    {7, 6, 1.03,   2.19,  0    },
    {1, 1, 0.777,  0,     0    }, /* passes */
    {1, 1, 0.777,  0,     0    },
    {1, 2, 0.741,  0,     0    }, /* dense blocks: products, inverses, LU, QR, least squares */
    {0, 0, 0,      0,     0.398},
    {0, 0, 4.32,   0,     0.36 },
    {0, 0, 0.0471, 0,     0.604},
    {0, 0, 0.0693, 0,     0.328}
  };
  /* Threads per block that are tried, if a kernel supports any */
  static constexpr int threads[] = {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
  /* Least time of a sample in us, and number of samples whose median is used, after one warm-up */
  static constexpr double sample_us     = 800;
  static constexpr int    samples       = 11;
  static constexpr int    most_launches = 200; /* of a sample */
};

} // namespace heptane
