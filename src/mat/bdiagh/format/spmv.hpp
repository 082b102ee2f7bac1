/*
   Launchers of the block-diagonal products. They return the CUDA error, do not synchronise, and take the stream as an
   argument. Only with CUDA.
*/
#pragma once

#include "rows.hpp"
#include <cuda_runtime.h>

namespace heptane
{

/* z = A x, or z = y + sign A x if y is not null (y may be z); sign: 1 or -1 */
cudaError_t launch_bdiagh_mult(const BdiaghDiagonals &A, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream, Scalar sign = 1);
/* The same, each row by `shares` threads, see row_shares() */
cudaError_t launch_bdiagh_mult_wide(const BdiaghDiagonals &A, int shares, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream, Scalar sign);
/* z = A^T x, or z = y + A^T x */
cudaError_t launch_bdiagh_mult_transpose(const BdiaghDiagonals &A, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream);
/* d[row] = A(row, row), from block diagonal r, whose offset is 0 */
cudaError_t launch_bdiagh_diagonal(const BdiaghDiagonals &A, int r, Scalar *d, cudaStream_t stream);
/* bdiagh_gather_row() of every row */
cudaError_t launch_bdiagh_gather_blocks(const BdiaghDiagonals &A, int b, std::size_t ld, Scalar *d, cudaStream_t stream);

} // namespace heptane
