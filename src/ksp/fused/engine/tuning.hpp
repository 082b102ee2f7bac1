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
     `auto`: persistent kernels of so many processes at most, a GPU each: as many as were measured. us per iteration at 262 144, 1.0M, 2.1M, 4.1M rows, H200: CG on two 7.2, 12.5, 25.0, 69.1, on four 7.5,
     9.1, 15.5, 26.3 (16.2, 19.3, 27.0, 47.2 in mode graph), on one 6.2, 19.5, 59.5, 133; BiCGStab on two 10.6, 21.9, 61.4, on four 10.0, 18.2, 28.3, 67.5 (24.1, 30.0, 41.2, 79.9 in mode graph), on one
     9.5, 37.3, 121, 226. one_gpu_rows: below, one GPU is expected to be as fast, between the first two by these figures
  */
  static constexpr int persistent_processes = 4, one_gpu_rows = 330000;
  /*
     `auto` folds a preconditioner into a copy of the matrix when the iterations have moved as much more as folding costs: fold_products products, and fold_us for its wait and
     that of the batch before; where an iteration moves less by fold_gain of its bytes at least. us of a fold and of a product: b = 3, 0.79M rows 111 / 38; b = 8, 2.1M rows
     551 / 238
  */
  static constexpr double fold_products = 2.3, fold_us = 25, fold_gain = 0.02;
  /*
     Mixed precision: what the recurrences lower the norm by before the residual is computed in double precision, and, by mixed_factor(), what that may be multiplied by; the iterations that
     updates are to be apart, since one takes as long as some ten; what the norm keeps above what the recurrences lacked, and how much of it the last stretch may use up. Iterations on the
     host with and without: bench/results/2026-11-28-tables; a margin of 10 or 30 in the place of 100 takes BiCGStab, and CG with log-normal coefficients, up to twice as many iterations. precision_gain: what an
     update has to gain; updates in a row, and iterations, without that before the solve goes on in double precision; precision_worse: by how much an update may exceed the best one, else the solve goes back to that one's solution (guess); sizes
     of (r, r) per row for which single precision has room
  */
  static constexpr double precision_factor = 0.01, precision_gain = 0.5, precision_worse = 10, precision_margin = 100, precision_range = 0.01,
                          precision_last = 10, single_smallest = 1e-44, single_largest = 1e50;
  static constexpr int precision_iterations = 500, precision_poor = 2, precision_spacing = 100;
  /*
     What is queued behind an update does nothing, and takes 2 us per launch: with batches of 32 iterations 3.5 launches more per iteration, of 3 (H100, b = 3, 0.79M rows: 66 us per iteration, now 60). So batches end where the update is expected by the rate of
     the iterations since the last one, if there are mixed_sample of them, or before; behind, they have this part of what was expected; guess
  */
  static constexpr int mixed_sample = 8, mixed_tail = 12;
  /*
     `auto`: mixed with matrices of so many bytes; smaller ones, down to mixed_resident_bytes, where a persistent kernel in single precision takes them, or where none in double precision would. H200, set-up
     and solve to 1e-10, ms, double / mixed by graphs: 56 MB (1.0M rows) 4.23 / 6.83 with CG, 5.21 / 7.17 with BiCGStab, where double is persistent; 117 MB (2.1M rows) 15.1 / 11.6, 17.0 / 11.1; 132 MB (b = 3)
     12.3 / 8.2. H100, both by persistent kernels, 14.7 MB (262 144 rows) 1.61 / 2.23, 1.70 / 2.12; 56 MB 5.09 / 3.37, 6.70 / 3.26. H200, without persistent kernels, us per iteration: 44 MB, Chebyshev 25.4 / 16.7,
     sellp, CG 34.6 / 26.9, BiCGStab 54.9 / 43.4; 56 MB, b = 3, BiCGStab 40.3 / 30.6. mixed_gain: where an iteration moves at most this part of the bytes, as rows of sellp that are put aside stay in double
     precision; guess. mixed_ranks_bytes: on several processes, of that with most rows, BiCGStab, both by persistent kernels. H200, us per iteration, double / mixed: 28 MB (1.0M rows on two, 2.1M on four)
     21.6 / 21.0, 26.9 / 29.4; 57 MB (2.1M on two, 4.1M on four) 60.6 / 35.9, 65 / 31.4; CG at 57 MB 23.3 / 21, 25.6 / 31, so that CG has to have mixed_bytes
  */
  static constexpr double mixed_bytes = 8e7, mixed_resident_bytes = 3e7, mixed_ranks_bytes = 4.5e7, mixed_gain = 0.85;
  static constexpr int    max_block = 32; /* point blocks up to this size are applied in the kernels */
};

} // namespace heptane
