/*
   The product of a process without rows, on the device, if other processes have rows.
*/
#pragma once

#include "../pc_rows.hpp"
#include <cuda_runtime.h>

namespace heptane
{

/* Stores its sums, which are zero, unless the iteration has stopped */
cudaError_t launch_no_rows(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);

} // namespace heptane
