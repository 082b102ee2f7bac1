/*
   Every number of the model that is not measured on the machine at hand.
*/
#pragma once

#include <cstddef>

namespace heptane
{

struct ModelTuning {
  /* What a solve on the device does beside its iterations: kernels and calls that queue work, and waits of the host. Counted in fusedcg with Jacobi: copies of b and of scalars, M^-1 r, the first
     sums; the looks after the start and after the last batch, and the wait before the solution is read */
  static constexpr double solve_launches = 8, solve_waits = 3;
  /* What a pass on the host takes beside its rows, us. fusedcg with 27 rows, 50 iterations of three passes: 22 us, AMD EPYC */
  static constexpr double host_pass_us = 0.14;
  /* Solves that are timed on each side, after one that is not: it loads kernels and takes memory */
  static constexpr int solves = 5;
  /* Sizes at which copies and passes are measured, each four times the one before, on the host twice; and how many samples of each */
  static constexpr std::size_t copy_first = 1 << 10, copy_last = 1 << 26, pass_first = 1 << 12, host_last = 1 << 28, device_last = 1 << 28;
  static constexpr int         samples  = 5;
  static constexpr double      warm_us  = 1e5; /* of work before the device is measured: an H100 whose clock was at rest seemed to have twice its latency */
  static constexpr double      least_us = 200; /* of a sample of the host: repeated until it has taken so long */
  static constexpr double      product_least_us = 50; /* of a product with the matrix of a solver, likewise */
  static constexpr int         pass_diagonals   = 7;  /* value columns of the pass that the host is measured by, beside two vectors */
  static constexpr int         launches         = 32; /* passes of a graph that the device is measured by */
};

} // namespace heptane
