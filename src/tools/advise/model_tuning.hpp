/*
   Every number of the model that is not measured on the machine at hand.
*/
#pragma once

#include <cstddef>

namespace heptane
{

struct ModelTuning {
  /*
     Work of a solve on the device in addition to its iterations: kernels and calls that queue work, and
     synchronizations. Counted in fusedcg with Jacobi: copies of b and of scalars, M^-1 r, the first sums; the checks
     after the start and after the last batch, and the wait before the solution is read
  */
  static constexpr double solve_launches = 8, solve_waits = 3;
  /*
     us of a pass on the host in addition to its rows. fusedcg with 27 rows, 50 iterations of three passes: 22 us, AMD
     EPYC
  */
  static constexpr double host_pass_us = 0.14;
  /* Timed solves on each side, after an untimed one that loads kernels and allocates memory */
  static constexpr int solves = 5;
  /*
     Sizes at which copies and passes are measured, by factors of four, on the host of two; and the number of samples of
     each
  */
  static constexpr std::size_t copy_first = 1 << 10, copy_last = 1 << 26, pass_first = 1 << 12, host_last = 1 << 28, device_last = 1 << 28;
  static constexpr int         samples = 5;
  /* of work before the device is measured: an idle H100 at its lowest clock showed twice the latency */
  static constexpr double warm_us          = 1e5;
  static constexpr double least_us         = 200; /* of a sample of the host: repeated until this time has passed */
  static constexpr double product_least_us = 50;  /* the same for a product with the matrix of a solver */
  /* value columns of the pass that measures the host, in addition to two vectors */
  static constexpr int pass_diagonals = 7;
  static constexpr int launches       = 32; /* passes of the graph that measures the device */
};

} // namespace heptane
