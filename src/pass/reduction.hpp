/*
   Storage of the sums that one pass computes and the next one turns into scalars. reduction.cuh adds and publishes
   them.
*/
#pragma once

#include "scalars.hpp"

namespace heptane
{

struct PeerSums;

/* Device storage of the sums that the passes of a solve compute */
struct FusedReduction {
  Scalar   *partial        = nullptr; /* [4 * max_blocks] */
  int       max_blocks     = 0;
  int       processors     = 0;       /* multiprocessors of the device */
  bool      chained        = false;   /* the device can begin a kernel before its predecessor has ended: from compute capability 9.0 on */
  unsigned *count          = nullptr; /* zero between kernels */
  Real     *history        = nullptr; /* ring of norms */
  int       history_length = 0;
  /* [fused_sums], written by passes; in host memory if the host adds the sums of several processes */
  Scalar *local_sums = nullptr;
  /* [fused_sums], read by passes: equal to `left` unless NCCL adds the sums of all ranks in between */
  Scalar         *sums  = nullptr;
  const PeerSums *peers = nullptr; /* on the device: the peer memory by which passes add the sums of several processes; null: they do not */
};

/*
   The scalars of a pass, on the device; next: the other copy, for a pass that changes them. null: they are up to date
   already.
*/
struct FusedState {
  const FusedScalars *now  = nullptr;
  FusedScalars       *next = nullptr;
};

/*
   A sum of an earlier pass: the only function in which passes wait for sums. The sums are complete, since that pass is.
*/
HEPTANE_HD Scalar sum_of_pass(const Scalar *sum)
{
  return load_here(sum);
}

} // namespace heptane
