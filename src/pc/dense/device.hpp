/*
   Launches of the batched dense operations. They return the CUDA error and do not synchronise. Only with CUDA.
*/
#pragma once

#include "blocks.hpp"
#include <cuda_runtime.h>

namespace heptane
{

/* As dense_invert_host(), for blocks of at most dense_largest_block rows. report is in device memory and holds
   DenseReport() on entry. */
cudaError_t launch_dense_invert(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report, cudaStream_t stream);
/* The same for blocks of more than dense_warp_block rows */
cudaError_t launch_dense_invert_large(const DenseBlocks &A, Scalar *inverse, std::size_t ld, DenseReport *report, cudaStream_t stream);
/* y = inverse x, or y = inverse^T x */
cudaError_t launch_dense_apply(std::size_t rows, int block, const Scalar *inverse, std::size_t ld, bool transpose, const Scalar *x, Scalar *y,
                               cudaStream_t stream);

} // namespace heptane
