/*
   The launch of a step, for sources that are not compiled as device code.
*/
#pragma once

#include "steps.hpp"
#include <algorithm>
#include <cuda_runtime.h>

namespace heptane
{

/*
   n > 0 rows; cells: by first() and second(), cells of `block` rows; aligned: every vector is aligned to 16 bytes;
   always: even if the iteration has stopped. Does not synchronise.
*/
template <class Step>
cudaError_t launch_step(const Step &step, std::size_t n, bool cells, int block, bool aligned, const FusedState &state, const FusedReduction &red, bool always,
                        cudaStream_t stream);

/* Conditional nodes, with which a graph repeats itself on the device */
#define HEPTANE_CUDA_LOOPS (CUDART_VERSION >= 12040)

/*
   A graph that repeats itself: its repetitions, zero before and after a solve; their maximum; and, while it is
   recorded, the handle of its condition
*/
struct FusedRepeat {
  unsigned long long handle = 0;
  int               *count  = nullptr;
  int                most   = 0;
};

/*
   The end of an iteration: tests whether another one follows, as the step that begins one would from the same sums.
   Does not synchronise.
*/
template <class Step>
cudaError_t launch_repeat(const Step &step, const FusedScalars *now, const FusedReduction &red, const FusedRepeat &repeat, cudaStream_t stream);

} // namespace heptane
