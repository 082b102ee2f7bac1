/*
   Every number that affects the speed of a pass over the vectors.
*/
#pragma once

#include <cstddef>

namespace heptane
{

struct PassTuning {
  static constexpr int threads = 256; /* threads per block of a pass over the vectors; guess */
  /* Components of a block, of a size known at run time only, whose loads a thread of a product has under way together; guess: 1024 threads then have 32 KiB of values
     under way per multiprocessor */
  static constexpr int components_together = 4;
  /* Blocks of a pass per multiprocessor, at most, where the step does not say otherwise: more only add partial sums and tails */
  static constexpr int blocks_per_sm     = 4;
  static constexpr int max_blocks_per_sm = 8; /* room for partial sums */
  /*
     Vectors that the direction p of CG lies in, in turn, so that x is read and written once in so many iterations: 24 + 8 (1 + 1 / cg_directions) bytes per row for p and x. One more than two would
     be a third vector more than PETSc's cg has.
  */
  static constexpr int cg_directions = 3;
  /* Norms kept on the device between two checks by the host */
  static constexpr int history = 1024;
  /* A kernel begins before its predecessor has ended up to so many rows of vectors, and matrix entries: 0.2 us less each at 262k rows, 1 to 2 % more at 16.8M; guess between */
  static constexpr std::size_t chained_rows = 500000, chained_entries = 4000000;
};

} // namespace heptane
