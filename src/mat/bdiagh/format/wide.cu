/*
   The product of few rows of wide block diagonals on the device: several threads per row.
*/
#include "spmv.hpp"
#include "../../../device/launch.hpp"
#include "../../../device/row_shares.cuh"
#include "wide_rows.hpp"

namespace heptane
{

namespace
{

/*
   Computes  z = A x, or y + sign A x with y
   Threads   a block has RowShares::rows adjacent rows, each warp one share of them
   Bytes     per row sizeof(Scalar) * (ndiag * block + 2), with y one more, without the blocks beyond the matrix; no
             index data
   Order     deterministic: each share in the order of bdiagh_row_share(), shares ascending; their number depends only
             on the sizes of the matrix
*/
__global__ void __launch_bounds__(RowShares::rows *RowShares::most, 1)
  bdiagh_mult_wide_kernel(const __grid_constant__ BdiaghDiagonals A, const Scalar *__restrict__ x, const Scalar *y, Scalar *z, Scalar sign)
{
  extern __shared__ __align__(16) char memory[];
  const int                            row    = blockIdx.x * RowShares::rows + threadIdx.x % RowShares::rows;
  const int                            shares = blockDim.x / RowShares::rows, share = threadIdx.x / RowShares::rows;
  const Scalar                         part = row < A.rows ? bdiagh_row_share(A, x, row, share, shares) : Scalar(0);
  const Scalar                         sum  = add_shares_of_block(part, reinterpret_cast<Scalar *>(memory));

  if (!share && row < A.rows) z[row] = y ? y[row] + sign * sum : sum;
}

} // namespace

cudaError_t launch_bdiagh_mult_wide(const BdiaghDiagonals &A, int shares, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream, Scalar sign)
{
  const int threads = shares * RowShares::rows;

  bdiagh_mult_wide_kernel<<<blocks_for(A.rows, RowShares::rows), threads, threads * sizeof(Scalar), stream>>>(A, x, y, z, sign);
  return cudaGetLastError();
}

} // namespace heptane
