/*
   Every number that affects the speed of a solve beside its passes: how often the host checks, and which way of running is chosen.
*/
#pragma once

namespace heptane
{

struct FusedTuning {
  /*
     Iterations between two checks by the host, in the modes kernels and graph: as many as take look_us, between first_interval and max_interval. A check costs the stream some 15 us (b = 8,
     0.26M rows: an iteration takes 88 us with a check every second iteration, its kernels alone 79). An iteration that is queued behind the end of a solve costs some 7 us. By look_us the
     interval is max_interval for every iteration below 1 ms. The first check comes after first_interval, the next after as many again: solves to a loose tolerance take few iterations.
  */
  static constexpr int    max_interval = 32, first_interval = 4;
  static constexpr double look_us      = 16000;
  static constexpr double launch_us    = 2.5; /* for that estimate: what a launch costs at least */
  static constexpr double bytes_per_us = 4e6; /* and the memory's rate */
  /* `auto`: graph up to this many rows; beyond, launches hide behind the kernels. us as kernels and as graph: 4.1M rows CG 172.3 / 168.4, BiCGStab 259 / 253; 16.8M rows no difference */
  static constexpr double graph_rows = 2e7;
  /*
     `auto`: persistent kernels of so many processes at most, a GPU each. One, since those of several were tested with processes that share a GPU, and never measured on several: prototypes of CG
     on 1, 2, 4 H200 took 4.7, 4.4, 4.3 us per iteration at 262 144 rows, 15.7, 8.9, 5.6 at 1.0M. one_gpu_rows: below, one GPU is expected to be as fast
  */
  static constexpr int persistent_processes = 1, one_gpu_rows = 262144;
  /*
     `auto` folds a preconditioner into a copy of the matrix when the iterations have moved as much more as folding costs: fold_products products, and fold_us for its wait and
     that of the batch before; where an iteration moves less by fold_gain of its bytes at least. us of a fold and of a product: b = 3, 0.79M rows 111 / 38; b = 8, 2.1M rows
     551 / 238
  */
  static constexpr double fold_products = 2.3, fold_us = 25, fold_gain = 0.02;
  static constexpr int    max_block = 32; /* point blocks up to this size are applied in the kernels */
};

} // namespace heptane
