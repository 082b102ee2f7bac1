/*
   The launch of a step, for those that do not compile device code.
*/
#pragma once

#include "steps.hpp"
#include <algorithm>
#include <cuda_runtime.h>

namespace heptane
{

/*
   n > 0 rows; cells: by first() and second(), cells of `block` rows; aligned: every vector lies on 16 bytes; always: though the iteration stands still.
   Does not synchronise.
*/
template <class Step>
cudaError_t launch_step(const Step &step, std::size_t n, bool cells, int block, bool aligned, const FusedState &state, const FusedReduction &red, bool always,
                        cudaStream_t stream);

/* Conditional nodes, by which a graph repeats itself on the device */
#define HEPTANE_CUDA_LOOPS (CUDART_VERSION >= 12040)

/* A graph that repeats itself: how often it has, zero before and behind; at most; and, where it can be recorded, the handle of its condition */
struct FusedRepeat {
  unsigned long long handle = 0;
  int               *count  = nullptr;
  int                most   = 0;
};

/* The end of an iteration: whether another one is to follow, as the step that begins one, and takes the sums of the one before, would find. Does not synchronise. */
template <class Step>
cudaError_t launch_repeat(const Step &step, const FusedScalars *now, const FusedReduction &red, const FusedRepeat &repeat, cudaStream_t stream);

} // namespace heptane
