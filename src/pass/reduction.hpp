/*
   Sums between passes: a pass leaves them, the next one takes them and computes the scalars from them. Here is where they lie; reduction.cuh adds and publishes them.
*/
#pragma once

#include "scalars.hpp"

namespace heptane
{

struct PeerSums;

/* Where the passes of a solve leave their sums, on the device */
struct FusedReduction {
  Scalar   *partial        = nullptr; /* [4 * max_blocks] */
  int       max_blocks     = 0;
  int       processors     = 0;       /* multiprocessors of the device */
  bool      chained        = false;   /* the device can begin a kernel before the one before has ended: from compute capability 9.0 on */
  unsigned *count          = nullptr; /* zero between kernels */
  Real     *history        = nullptr; /* ring of norms */
  int       history_length = 0;
  /* [fused_sums], where passes leave theirs; memory of the host where that adds those of several processes */
  Scalar *left = nullptr;
  /* [fused_sums], where passes find them: the same, unless NCCL adds what was left to them in between */
  Scalar         *sums  = nullptr;
  const PeerSums *peers = nullptr; /* on the device: by which the passes themselves add the sums of several processes; null: they do not */
};

/* Where a pass finds the scalars, on the device; next: the other copy, for a pass that changes them. null: they are what the pass needs already. */
struct FusedState {
  const FusedScalars *now  = nullptr;
  FusedScalars       *next = nullptr;
};

/* A sum that a pass before has left: the one place where passes wait for sums. They are complete, since the pass before is. */
HEPTANE_HD Scalar sum_of_pass(const Scalar *sum)
{
  return load_here(sum);
}

} // namespace heptane
