/* The product of a process without rows, on the device, if other processes have rows. */
#pragma once

#include "../pc_rows.hpp"
#include <cuda_runtime.h>

namespace heptane
{

/* Leaves its sums, which are zero, unless the product has nothing to do */
cudaError_t launch_no_rows(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);

} // namespace heptane
