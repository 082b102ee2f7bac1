/*
   Every number of the fused solvers that affects speed.
*/
#pragma once

#include <cstddef>

namespace heptane
{

struct FusedTuning {
  static constexpr int threads = 256; /* threads a block of a pass over the vectors; guess */
  /* Blocks of a pass over the vectors on a multiprocessor, at most, where the step does not say otherwise: more only add partial sums and tails */
  static constexpr int blocks_per_sm     = 4;
  static constexpr int max_blocks_per_sm = 8; /* room for partial sums */
  /*
     Vectors that the direction p of CG lies in, in turn, so that x is read and written once in so many iterations: 24 + 8 (1 + 1 / cg_directions) bytes a row for p and x. One more than two would
     be a third vector more than PETSc's cg has.
  */
  static constexpr int cg_directions = 3;
  /* Norms kept on the device between two looks of the host */
  static constexpr int history = 1024;
  /*
     `auto` looks after so many iterations that the work between two looks lasts look_us, but not more than max_interval: a look costs the stream some 15 us (b = 8, 0.26M rows:
     an iteration 88 us with a look every second, the kernels alone 79), iterations queued behind the end some 7 us each, so that some ten iterations between looks cost least,
     whatever one takes. The first look comes after first_interval, the next after as many again: solves to a loose tolerance take few iterations.
  */
  static constexpr int    max_interval = 32, first_interval = 4;
  static constexpr double look_us      = 16000;
  static constexpr double launch_us    = 2.5; /* for that estimate: what a launch costs at least */
  static constexpr double bytes_per_us = 4e6; /* and the memory's rate */
  /* `auto`: graph up to this many rows; beyond, launches hide behind the kernels. us as kernels and as graph: 4.1M rows CG 172.3 / 168.4, BiCGStab 259 / 253; 16.8M rows no difference */
  static constexpr double graph_rows = 2e7;
  /*
     `auto` folds a preconditioner into a copy of the matrix when the iterations have moved as much more as folding costs: fold_products products, and fold_us for its wait and
     that of the batch before; where an iteration moves less by fold_gain of its bytes at least. us of a fold and of a product: b = 3, 0.79M rows 111 / 38; b = 8, 2.1M rows
     551 / 238
  */
  static constexpr double fold_products = 2.3, fold_us = 25, fold_gain = 0.02;
  static constexpr int    max_block = 32; /* point blocks up to this size are applied in the kernels */
  /* Kernels begin before the one before has ended up to so many rows of vectors, and matrix entries: 0.2 us less each at 262k rows, 1 to 2 % more at 16.8M; guess between */
  static constexpr std::size_t chained_rows = 500000, chained_entries = 4000000;
};

} // namespace heptane
