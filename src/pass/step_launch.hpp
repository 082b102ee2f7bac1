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

} // namespace heptane
