/*
   The sliced ELLPACK products on the device.
*/
#include "sellp_spmv.hpp"
#include "../aij/with_block.hpp"
#include "../../device/launch.hpp"

namespace heptane
{

namespace
{

constexpr int threads = SellpTuning::device_threads;

/*
   Computes  z = A x (+ y)
   Threads   one a row, in the order of the places
   Bytes     a place of a block sizeof(Scalar) * block^2 and 0, 2 or 4 of index; a row 2 sizeof(Scalar), with y one more, sorted 2; 16 a slice
   Order     deterministic: each row by one thread in the order of sellp_row()
   UN, U16, U32: blocks loaded together in slices of each kind of index; those of the kinds that few slices have are 1, for the registers.
*/
template <int B, bool ADD, int UN, int U16, int U32>
__global__ void __launch_bounds__(threads, SellpTuning::device_blocks<B>)
  sellp_mult_kernel(const __grid_constant__ SellpSlices A, const Scalar *__restrict__ x, const Scalar *y, Scalar *z)
{
  const int b = block_of<B>(A), rows = A.slice * b; /* a slice */
  const int at = blockIdx.x * threads + threadIdx.x, slice = at / rows, r = at - slice * rows, place = slice * A.slice + r / b;

  if (place >= A.cells) return;
  const SellpSlice S   = sellp_head(A, slice);
  const Scalar     sum = sellp_row<B, UN, U16, U32>(A, x, S, slice, r, 0);
  const int        row = A.place ? sellp_cell(A, place) * b + r % b : at;
  z[row]               = ADD ? y[row] + sum : sum;
}

/*
   Computes  z = A x (+ y), for slices of 64 rows most of which have no index
   Threads   a warp a slice, each two rows, 32 apart
   Bytes     as sellp_mult_kernel
   Order     deterministic: each row by one thread in the order of sellp_row()
*/
template <int B, bool ADD>
__global__ void __launch_bounds__(threads, SellpTuning::pair_blocks)
  sellp_mult_pair_kernel(const __grid_constant__ SellpSlices A, const Scalar *__restrict__ x, const Scalar *y, Scalar *z)
{
  const int slice = static_cast<int>((blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x) / 32), r = threadIdx.x % 32;
  const int place = slice * A.slice + r / B, below = place + 32 / B;

  if (slice >= A.slices || place >= A.cells) return;
  const SellpSlice S     = sellp_head(A, slice);
  const int        first = A.place ? sellp_cell(A, place) : place, second = A.place && below < A.cells ? sellp_cell(A, below) : below;
  Scalar           sum0 = 0, sum1 = 0;
  if (sellp_kind(S) == SellpIndex::none) sellp_row_pair<B, SellpTuning::pair_together<B>>(A, x, S, r, first, second, sum0, sum1);
  else {
    sum0 = sellp_row<B, 1, 1, 1>(A, x, S, slice, r, 0);
    if (below < A.cells) sum1 = sellp_row<B, 1, 1, 1>(A, x, S, slice, r + 32, 0);
  }
  const int row0 = first * B + r % B, row1 = second * B + r % B;
  z[row0] = ADD ? y[row0] + sum0 : sum0;
  if (below < A.cells) z[row1] = ADD ? y[row1] + sum1 : sum1;
}

/*
   Computes  z = A x (+ y)
   Threads   A.threads a row of one warp: lane t * (32 / A.threads) + i takes share t of the i-th row, so that the lanes of a share lie side by side
   Bytes     as sellp_mult_kernel
   Order     deterministic: shares in the order of sellp_row(), added as sellp_add_shares() does
*/
template <int B, bool ADD>
__global__ void __launch_bounds__(threads)
  sellp_mult_shares_kernel(const __grid_constant__ SellpSlices A, const Scalar *__restrict__ x, const Scalar *y, Scalar *z)
{
  const int         b = block_of<B>(A), rows = A.slice * b, together = 32 / A.threads, share = threadIdx.x % 32 / together;
  const std::size_t warp  = (blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x) / 32;
  const int         at    = static_cast<int>(warp * together) + threadIdx.x % together;
  const int         slice = at / rows, r = at - slice * rows, place = slice * A.slice + r / b;
  const bool        mine = place < A.cells;
  Scalar            sum  = mine ? sellp_row<B, 1, 1, 1>(A, x, sellp_head(A, slice), slice, r, share) : Scalar(0);

  for (int d = A.threads / 2; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d * together);
  if (!mine || share) return;
  const int row = sellp_cell(A, place) * b + r % b;
  z[row]        = ADD ? y[row] + sum : sum;
}

/*
   Computes  z = A^T x (+ y)
   Threads   one a column
   Bytes     a block sizeof(Scalar) * block^2 and 12 of index; the values of a column of a block are contiguous, blocks lie where they lie
   Order     deterministic: each column by one thread in the order of sellp_transposed_row()
*/
template <int B, bool ADD>
__global__ void __launch_bounds__(threads)
  sellp_mult_transpose_kernel(const __grid_constant__ SellpSlices A, const SellpColumns T, const Scalar *__restrict__ x, const Scalar *y, Scalar *z)
{
  const int col = blockIdx.x * threads + threadIdx.x;

  if (col >= A.cols) return;
  const Scalar sum = sellp_transposed_row<B>(A, T, x, col);
  z[col]           = ADD ? y[col] + sum : sum;
}

/*
   Computes  d = diagonal of A, or d[row * block + s] = diagonal blocks of A; without the rows put aside
   Threads   one a row, in the order of the places
   Bytes     the index of the row's blocks up to the diagonal, sizeof(Scalar) * 2 (blocks: 2 * block)
   Order     none
*/
template <bool BLOCKS>
__global__ void __launch_bounds__(threads) sellp_diagonal_kernel(const __grid_constant__ SellpSlices A, Scalar *d)
{
  const int b = A.block, rows = A.slice * b;
  const int at = blockIdx.x * threads + threadIdx.x, slice = at / rows, r = at - slice * rows, place = slice * A.slice + r / b, i = r % b;

  if (place >= A.cells) return;
  const int         cell = sellp_cell(A, place);
  const std::size_t row  = static_cast<std::size_t>(cell) * b + i;
  if (BLOCKS) {
    for (int s = 0; s < b; s++) d[row * b + s] = sellp_diagonal_block(A, slice, r, cell, s);
  } else d[row] = sellp_diagonal_block(A, slice, r, cell, i);
}

/*
   Computes  the same of the rows put aside
   Threads   one a row
   Bytes     the row's columns, a guess: rows put aside are few
   Order     none
*/
template <bool BLOCKS>
__global__ void __launch_bounds__(threads) sellp_aside_diagonal_kernel(const CsrRows A, int b, Scalar *d)
{
  const int k = blockIdx.x * threads + threadIdx.x;

  if (k >= A.count) return;
  const std::size_t row = A.row[k];
  if (BLOCKS) {
    for (int s = 0; s < b; s++) d[row * b + s] = sellp_aside_diagonal_block(A.row, A.ptr, A.col, A.values, b, k, s);
  } else d[row] = sellp_aside_diagonal_block(A.row, A.ptr, A.col, A.values, b, k, static_cast<int>(row % b));
}

unsigned blocks_of(const SellpSlices &A, int lanes)
{
  return blocks_for(static_cast<std::size_t>(A.slices) * A.slice * A.block * lanes, threads);
}

template <int B, bool ADD>
void mult(const SellpSlices &A, SellpMix mix, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream)
{
  constexpr int UN = SellpTuning::together_none<B>, UI = SellpTuning::together_indexed<B>;

  if constexpr (B == 1 || B == 2) {
    if (A.threads == 1 && A.slice * B == 64 && mix == SellpMix::none && !A.length && A.rows >= SellpTuning::pair_rows) {
      sellp_mult_pair_kernel<B, ADD><<<blocks_for(static_cast<std::size_t>(A.slices) * 32, threads), threads, 0, stream>>>(A, x, y, z);
      return;
    }
  }
  if (A.threads > 1) sellp_mult_shares_kernel<B, ADD><<<blocks_of(A, A.threads), threads, 0, stream>>>(A, x, y, z);
  else if (UN == 1 && UI == 1) sellp_mult_kernel<B, ADD, 1, 1, 1><<<blocks_of(A, 1), threads, 0, stream>>>(A, x, y, z);
  else if (mix == SellpMix::none) sellp_mult_kernel<B, ADD, UN, 1, 1><<<blocks_of(A, 1), threads, 0, stream>>>(A, x, y, z);
  else if (mix == SellpMix::both) sellp_mult_kernel<B, ADD, UN, UI, 1><<<blocks_of(A, 1), threads, 0, stream>>>(A, x, y, z);
  else if (mix == SellpMix::narrow) sellp_mult_kernel<B, ADD, 1, UI, 1><<<blocks_of(A, 1), threads, 0, stream>>>(A, x, y, z);
  else sellp_mult_kernel<B, ADD, 1, 1, UI><<<blocks_of(A, 1), threads, 0, stream>>>(A, x, y, z);
}

template <bool BLOCKS>
cudaError_t diagonal(const SellpSlices &A, const CsrRows &aside, Scalar *d, cudaStream_t stream)
{
  if (A.slices) sellp_diagonal_kernel<BLOCKS><<<blocks_of(A, 1), threads, 0, stream>>>(A, d);
  if (aside.count) sellp_aside_diagonal_kernel<BLOCKS><<<blocks_for(aside.count, threads), threads, 0, stream>>>(aside, A.block, d);
  return cudaGetLastError();
}

} // namespace

cudaError_t launch_sellp_mult(const SellpSlices &A, SellpMix mix, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream)
{
  if (!A.slices) return cudaSuccess;
  with_block(A.block, [&](auto B) {
    if (y) mult<B(), true>(A, mix, x, y, z, stream);
    else mult<B(), false>(A, mix, x, y, z, stream);
  });
  return cudaGetLastError();
}

cudaError_t launch_sellp_mult_transpose(const SellpSlices &A, const SellpColumns &T, const Scalar *x, const Scalar *y, Scalar *z, cudaStream_t stream)
{
  if (!A.cols) return cudaSuccess;
  with_block(A.block, [&](auto B) {
    if (y) sellp_mult_transpose_kernel<B(), true><<<blocks_for(A.cols, threads), threads, 0, stream>>>(A, T, x, y, z);
    else sellp_mult_transpose_kernel<B(), false><<<blocks_for(A.cols, threads), threads, 0, stream>>>(A, T, x, y, z);
  });
  return cudaGetLastError();
}

cudaError_t launch_sellp_diagonal(const SellpSlices &A, const CsrRows &aside, Scalar *d, cudaStream_t stream)
{
  return diagonal<false>(A, aside, d, stream);
}

cudaError_t launch_sellp_diagonal_blocks(const SellpSlices &A, const CsrRows &aside, Scalar *d, cudaStream_t stream)
{
  return diagonal<true>(A, aside, d, stream);
}

} // namespace heptane
