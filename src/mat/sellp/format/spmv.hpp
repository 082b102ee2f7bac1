/*
   Launchers of the sliced ELLPACK products. They return the CUDA error, do not synchronise, and take the stream as an
   argument. Only with CUDA.
*/
#pragma once

#include "../../csr/rows.hpp"
#include "rows.hpp"
#include <cuda_runtime.h>

namespace heptane
{

/* The rows put aside in a product: all of them in pieces, and a bit per matrix row that marks them; null: none */
struct SellpRemainder {
  CsrPieces            pieces = {};
  const std::uint32_t *mask   = nullptr;
};

/* z = A x, or z = y + A x if y is not null (y may be z). mix: the kinds of index of its slices */
cudaError_t launch_sellp_mult(const SellpSlices &A, SellpMix mix, const SellpRemainder &remainder, const Scalar *x, const Scalar *y, Scalar *z,
                              cudaStream_t stream);
/* The same, each row by `shares` threads, see row_shares() */
cudaError_t launch_sellp_mult_wide(const SellpSlices &A, int shares, const SellpRemainder &remainder, const Scalar *x, const Scalar *y, Scalar *z,
                                   cudaStream_t stream);
/* z = A^T x, or z = y + A^T x, without the rows put aside */
cudaError_t launch_sellp_mult_transpose(const SellpSlices &A, const SellpColumns &T, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream);
/* d[row] = A(row, row), 0 for rows put aside */
cudaError_t launch_sellp_diagonal(const SellpSlices &A, Scalar *d, cudaStream_t stream);
/* sellp_gather_row() of every row of the slices */
cudaError_t launch_sellp_gather_blocks(const SellpSlices &A, int b, std::size_t ld, Scalar *d, cudaStream_t stream);

} // namespace heptane
