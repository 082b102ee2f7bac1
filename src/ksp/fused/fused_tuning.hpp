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
  static constexpr int    blocks_per_sm     = 4;
  static constexpr int    max_blocks_per_sm = 8;    /* room for partial sums */
  static constexpr int    history           = 1024; /* norms kept on the device between two looks of the host */
  static constexpr int    max_interval      = 32;   /* iterations between two looks chosen by `auto` */
  static constexpr int    first_interval    = 4;    /* the first look comes after so many: solves to a loose tolerance take few iterations */
  static constexpr double look_us =
    100; /* ... so that the work between them lasts at least this long: a look costs about 10 us, hidden behind the next batch */
  static constexpr double launch_us    = 2.5; /* what a launch costs at least, for that estimate */
  static constexpr double bytes_per_us = 4e6; /* and the memory's rate */
  static constexpr double graph_rows   = 4e6; /* `auto`: graph up to this many rows, beyond it launches hide behind the kernels; guess */
  static constexpr int    max_block    = 32;  /* point blocks up to this size are applied in the kernels */
  /* Kernels begin before the one before has ended up to so many rows: 0.2 us less each at 262k rows, 1 to 2 % more at 16.8M */
  static constexpr std::size_t chained_rows = 1000000;
};

} // namespace heptane
