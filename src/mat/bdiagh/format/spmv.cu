/*
   The block-diagonal products on the device.
*/
#include "spmv.hpp"
#include "../../../device/launch.hpp"
#include "../../../device/launch_policy.hpp"
#include "../../../device/row_shares.hpp"
#include "../../../device/with_block.hpp"

namespace heptane
{

namespace
{

constexpr int threads = BdiaghTuning::threads;

/*
   Computes  z = A x, or y + sign A x with y
   Threads   one per row; blocks of at most `threads`
   Bytes     per row sizeof(Scalar) * (ndiag * block + 2), with y one more; no index data
   Order     deterministic: each row by one thread in the order of bdiagh_row()
   The 1 in the bounds frees registers for overlapping diagonals: 1.8 times as fast with b = 8, 66k rows.
*/
template <int B>
__global__ void __launch_bounds__(threads, 1)
  bdiagh_mult_kernel(const __grid_constant__ BdiaghDiagonals A, const Scalar *__restrict__ x, const Scalar *y, Scalar *z, Scalar sign)
{
  constexpr int U   = BdiaghTuning::diagonals_together<B>;
  const int     row = blockIdx.x * blockDim.x + threadIdx.x;

  if (row >= A.rows) return;
  const Scalar sum = bdiagh_row<B, U>(A, x, row);
  z[row]           = y ? y[row] + sign * sum : sum;
}

/*
   Computes  z = A^T x (+ y)
   Threads   one per column
   Bytes     as bdiagh_mult_kernel; the values of a column of a block are contiguous, adjacent columns have distance ld
   Order     deterministic: each column by one thread in the order of bdiagh_column()
*/
template <int B>
__global__ void __launch_bounds__(threads)
  bdiagh_mult_transpose_kernel(const __grid_constant__ BdiaghDiagonals A, const Scalar *__restrict__ x, const Scalar *y, Scalar *z)
{
  const int col = blockIdx.x * threads + threadIdx.x;

  if (col >= A.cols) return;
  const Scalar sum = bdiagh_column<B>(A, x, col);
  z[col]           = y ? y[col] + sum : sum;
}

/*
   Computes  d = diagonal of A
   Threads   one per row
   Bytes     2 sizeof(Scalar) per row, the values in runs of one every block
   Order     none
*/
__global__ void __launch_bounds__(threads) bdiagh_diagonal_kernel(const __grid_constant__ BdiaghDiagonals A, int r, Scalar *d)
{
  const int row = blockIdx.x * threads + threadIdx.x;

  if (row < A.rows) d[row] = bdiagh_diagonal(A, r, row);
}

/*
   Computes  bdiagh_gather_row() of every row
   Threads   one per row; value columns are read and written with unit stride
   Bytes     2 sizeof(Scalar) per entry of a diagonal block
   Order     none: every place has one entry
*/
__global__ void __launch_bounds__(threads) bdiagh_gather_kernel(const __grid_constant__ BdiaghDiagonals A, int b, std::size_t ld, Scalar *d)
{
  const int row = blockIdx.x * threads + threadIdx.x;

  if (row < A.rows) bdiagh_gather_row(A, row, b, ld, d);
}

} // namespace

cudaError_t launch_bdiagh_mult(const BdiaghDiagonals &A, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream, Scalar sign)
{
  const int shares = A.block > compiled_blocks ? row_shares(A.rows, static_cast<std::size_t>(A.ndiag) * A.block) : 1;

  if (!A.rows) return cudaSuccess;
  if (shares > 1) return launch_bdiagh_mult_wide(A, shares, x, y, z, stream, sign);
  with_block(A.block, [&](auto B) {
    const LaunchChoice c = choose_block(LaunchFamily::bdiagh_product, bdiagh_mult_kernel<B()>, A.block, A.rows, threads);
    bdiagh_mult_kernel<B()><<<blocks_for(A.rows, c.threads), c.threads, c.unused, stream>>>(A, x, y, z, sign);
  });
  return cudaGetLastError();
}

cudaError_t launch_bdiagh_mult_transpose(const BdiaghDiagonals &A, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream)
{
  if (!A.cols) return cudaSuccess;
  with_block(A.block, [&](auto B) { bdiagh_mult_transpose_kernel<B()><<<blocks_for(A.cols, threads), threads, 0, stream>>>(A, x, y, z); });
  return cudaGetLastError();
}

cudaError_t launch_bdiagh_diagonal(const BdiaghDiagonals &A, int r, Scalar *d, cudaStream_t stream)
{
  if (!A.rows) return cudaSuccess;
  bdiagh_diagonal_kernel<<<blocks_for(A.rows, threads), threads, 0, stream>>>(A, r, d);
  return cudaGetLastError();
}

cudaError_t launch_bdiagh_gather_blocks(const BdiaghDiagonals &A, int b, std::size_t ld, Scalar *d, cudaStream_t stream)
{
  if (!A.rows) return cudaSuccess;
  bdiagh_gather_kernel<<<blocks_for(A.rows, threads), threads, 0, stream>>>(A, b, ld, d);
  return cudaGetLastError();
}

} // namespace heptane
