/*
   Every number of the model of launches, and of how they are measured.
*/
#pragma once

#include <cstddef>

namespace heptane
{

/* What an item takes, of size s: scalars from memory for each of s and besides; loads that follow each other, latencies, with s = 1 and for each more; us of a step of s that follow each other where
   several threads have an item, which is read and written then */
struct LaunchCost {
  double scalars_size, scalars, loads, loads_size, step_us;
};

struct LaunchTuning {
  /* The memory's rate is that of passes over so many bytes */
  static constexpr double rate_bytes = 2.5e8;
  /* That of the cache over this part of it */
  static constexpr double cache_part = 0.2;
  /*
     Fitted to 135 measured kernels and sizes of an H100 80GB HBM3, as it is and made artificially other (bench/results/2026-11-28-tables), so that the choices take little more than the fastest, with latencies of the memory
     from 0.33 to 0.54 us. They are right for choices, less so for times.
  */
  /* Times that limit each other: (a^p + b^p + ...)^(1/p) */
  static constexpr double sharpness = 1.5;
  /* Working sets of so much of the second-level cache are found there, of so much not at all */
  static constexpr double cache_all = 1.03, cache_none = 1.27;
  /* What one multiprocessor can take of the memory's rate, in its equal part of that */
  static constexpr double share = 5.88;
  /* us: of a launch; with two rows per thread more; a block more of a grid whose blocks add their sums one after the other; a block more of a multiprocessor that takes its blocks one after the other */
  static constexpr double launch_us = 1.19, wide_us = 0.195, block_us = 0.00164, start_us = 0.00523;
  /* us: a block more of a multiprocessor where all run at once. Not fitted to choices: between the slopes of measured times over the blocks, with one row per thread 0.012 to 0.046 (b = 1, 3, 8; H100, H200) */
  static constexpr double start_alone_us = 0.025;
  /* Fraction that is lost for each doubling of what is under way beyond what hides the latency; by which a block of twice as many warps takes longer, since the last one counts */
  static constexpr double crowded = 0.00163, uneven = 0.017;
  /* us of a scheduler for a step of a warp that holds dense blocks: in any case, and for each row */
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
  /* Threads of a block that are tried, where a kernel takes any */
  static constexpr int threads[] = {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
  /* A sample takes so many us at least, the median of so many is taken, after one that does not count */
  static constexpr double sample_us     = 800;
  static constexpr int    samples       = 11;
  static constexpr int    most_launches = 200; /* of a sample */
};

} // namespace heptane
