/*
   Every number that affects the speed of a solve, except the numbers of its passes: check interval and choice of the
   mode.
*/
#pragma once

#include <algorithm>

namespace heptane
{

struct FusedTuning {
  /*
     Modes kernels and graph: iterations between two checks by the host. They last about check_us; their number is
     between first_interval and max_interval, and max_interval if an iteration is shorter than 1 ms. A check costs the
     stream about 15 us, an iteration queued after the end of a solve about 7 us. The first two checks follow
     first_interval iterations each, since solves to a loose tolerance need few.
  */
  static constexpr int    max_interval = 32, first_interval = 4;
  static constexpr double check_us     = 16000;
  static constexpr double launch_us    = 2.5; /* for that estimate: least time of a launch */
  static constexpr double bytes_per_us = 4e6; /* and memory bandwidth */
  /*
     With NCCL, passes of a preconditioner run even after the end of a solve: a batch has at most called_interval
     iterations, and at most the number of the previous iterations divided by called_part. Guess
  */
  static constexpr int called_interval = 4, called_part = 8;
  static int           most_batch(int launched, bool called) { return called ? std::max(1, launched / called_part & ~1) : std::max(first_interval, launched); }
  /*
     `auto`: graph up to this number of rows; above, kernels are long enough to hide launches. Gain of graph at 4.1M
     rows 2 %, at 16.8M rows none
  */
  static constexpr double graph_rows = 2e7;
  /*
     `auto`: largest number of processes for persistent kernels, one GPU each; the largest one measured (1.2 to 2.4
     times as fast as mode graph, H200). Below one_gpu_rows one GPU is expected to be as fast: interpolated between
     262 144 and 1.0M rows.
  */
  static constexpr int persistent_processes = 4, one_gpu_rows = 330000;
  /*
     `auto` folds a preconditioner into a copy of the matrix when the bytes that folded iterations would have saved
     equal the cost of folding: fold_products products, and fold_us for its wait and the wait of the batch in flight. An
     iteration has to save at least fold_gain of its bytes. Measured cost of a fold: 2.3 (b = 8) to 2.9 (b = 3)
     products. persistent_us: what an iteration saves in addition if only the copy has a persistent kernel (7 to 14 us,
     H200).
  */
  static constexpr double fold_products = 2.3, fold_us = 25, fold_gain = 0.02, persistent_us = 7;
  /*
     Mixed precision, factors of norms (see mixed_factor()):
     precision_factor: decrease of the norm between two updates; precision_range: factor by which mixed_factor() may
     lower it;
     precision_margin: least ratio of the norm to the error of the recurred residual; precision_last: part of that
     margin that the last stretch may use up;
     precision_gain: decrease that an update has to find; precision_worse: largest excess over the best norm, else the
     solve returns to the best solution (guess);
     single_smallest, single_largest: range of (r, r) per row in single precision.
     precision_iterations, precision_poor: iterations and consecutive updates without that gain until the solve
     continues in double precision; precision_spacing: wanted distance of updates, since one costs about ten iterations.
     Iteration counts: bench/results/2026-11-28-tables. A margin of 10 or 30 instead of 100 up to doubles the iterations
     of BiCGStab, and of CG with log-normal coefficients.
  */
  static constexpr double precision_factor = 0.01, precision_gain = 0.5, precision_worse = 10, precision_margin = 100, precision_range = 0.01,
                          precision_last = 10, single_smallest = 1e-44, single_largest = 1e50;
  static constexpr int precision_iterations = 500, precision_poor = 2, precision_spacing = 100;
  /*
     Launches queued after the iteration that requires an update have no effect but cost 2 us each. Batches therefore
     end at the iteration at which the update is expected, by the rate of the iterations since the last one if there are
     at least mixed_sample; later batches have 1 / mixed_tail of the expected number (guess). 66 -> 60 us per iteration
     (H100, b = 3, 0.79M rows).
  */
  static constexpr int mixed_sample = 8, mixed_tail = 12;
  /*
     `auto`: mixed precision for matrices of at least mixed_bytes; from mixed_resident_bytes if a persistent kernel
     exists in single precision, or none in double precision. Gain 30 to 50 % at 117 MB (H200), 50 to 100 % at 56 MB
     with persistent kernels (H100).
     mixed_ranks_bytes: on several processes, of the process with most rows, for BiCGStab with persistent kernels in
     both precisions: gain 70 to 100 % at 57 MB (H200). CG gains too little at that size and requires mixed_bytes.
     mixed_gain: largest ratio of the bytes of an iteration, as separate rows of sellp stay in double precision (guess).
  */
  static constexpr double mixed_bytes = 8e7, mixed_resident_bytes = 3e7, mixed_ranks_bytes = 4.5e7, mixed_gain = 0.85;
  static constexpr int    max_block = 32; /* point blocks up to this size are applied in the kernels */
};

} // namespace heptane
