/*
   The fused product of the block-diagonal format on the device.
*/
#include "product.cuh"

namespace heptane
{

namespace
{

/*
   Computes  y = A^T x unless the iteration has stopped
   Threads   one per column
   Bytes     per column sizeof(Scalar) * (ndiag * block + 2); the values of a column of a block are contiguous, adjacent
             columns have distance ld
   Order     deterministic: each column by one thread in the order of bdiagh_column()
*/
template <int B>
__global__ void __launch_bounds__(BdiaghTuning::threads)
  bdiagh_fused_transpose_kernel(const __grid_constant__ BdiaghDiagonals A, const Scalar *x, Scalar *y, const FusedScalars *S)
{
  const int col = blockIdx.x * BdiaghTuning::threads + threadIdx.x;

  wait_for_predecessor();
  if (S->stop == FusedStop::no && col < A.cols) y[col] = bdiagh_column<B>(A, x, col);
}

/*
   Computes  whether inverse[row] is 1 / A(row, row) to the last bit
   Threads   one per row
   Bytes     2 sizeof(Scalar) per row
   Order     none: every thread that finds a difference stores the same 1
*/
__global__ void __launch_bounds__(BdiaghTuning::threads)
  bdiagh_compare_inverse_kernel(const __grid_constant__ BdiaghDiagonals A, int r, const Scalar *inverse, int *differs)
{
  const int row = blockIdx.x * BdiaghTuning::threads + threadIdx.x;

  if (row < A.rows && inverse[row] != inverse_of_diagonal(bdiagh_diagonal(A, r, row))) *differs = 1;
}

/*
   Computes  whether the blocks of `inverse` are the inverses of the diagonal blocks, up to block_inverse_tolerance
   Threads   one per row
   Bytes     2 sizeof(Scalar) * block per row, the rest from caches
   Order     none: every thread that finds a difference stores the same 1
*/
__global__ void __launch_bounds__(BdiaghTuning::threads)
  bdiagh_compare_blocks_kernel(const __grid_constant__ BdiaghDiagonals A, int r, const Scalar *inverse, std::size_t ld, int *differs)
{
  const int row = blockIdx.x * BdiaghTuning::threads + threadIdx.x;

  if (row < A.rows && !(bdiagh_inverse_error(A, r, inverse, ld, row) <= block_inverse_tolerance)) *differs = 1;
}

/* Rows whose remainder is shared, of blocks: the number of diagonals is not known to the compiler */
template <bool MINUS, int K, int B>
cudaError_t launch(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                   cudaStream_t stream)
{
  const bool early = bdiagh_begins_early(D), share = remainder_is_shared(R), seven = D.ndiag == 7 && main_diagonal == 3;

  if constexpr (B > BdiaghTuning::few_kernels_from) {
    if (!share && seven) return launch_product<MINUS, K>(BdiaghProductRows<B, 7, false>{D, main_diagonal, {R}}, P, S, red, early, stream);
    return launch_product<MINUS, K>(BdiaghProductRows<0, 0, true>{D, main_diagonal, {R}}, P, S, red, early, stream);
  } else {
    if constexpr (B == 1)
      if (share && seven) return launch_product<MINUS, K>(BdiaghProductRows<B, 7, true>{D, main_diagonal, {R}}, P, S, red, early, stream);
    if (share) return launch_product<MINUS, K>(BdiaghProductRows<B, 0, true>{D, main_diagonal, {R}}, P, S, red, early, stream);
    if constexpr (B > 0)
      if (seven) return launch_product<MINUS, K>(BdiaghProductRows<B, 7, false>{D, main_diagonal, {R}}, P, S, red, early, stream);
    return launch_product<MINUS, K>(BdiaghProductRows<B, 0, false>{D, main_diagonal, {R}}, P, S, red, early, stream);
  }
}

/* Fewer kernels than for one sum: one for seven diagonals whose remainder is not shared, one for all other matrices */
template <int B>
cudaError_t launch_combining(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                             const FusedReduction &red, cudaStream_t stream)
{
  const bool early = bdiagh_begins_early(D);

  if constexpr (B > 0)
    if (!remainder_is_shared(R) && D.ndiag == 7 && main_diagonal == 3)
      return launch_product<false, 0>(BdiaghProductRows<B, 7, false>{D, main_diagonal, {R}}, P, S, red, early, stream);
  return launch_product<false, 0>(BdiaghProductRows<B, 0, true>{D, main_diagonal, {R}}, P, S, red, early, stream);
}

} // namespace

cudaError_t launch_bdiagh_fused(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                                const FusedReduction &red, cudaStream_t stream)
{
  cudaError_t err = cudaSuccess;

  if (!D.rows) return err;
  with_block_of(BdiaghTuning::FusedSizes(), D.block, [&](auto B) {
    constexpr int few = B() > BdiaghTuning::few_kernels_from ? 0 : B();
    if (combines(P)) err = launch_combining<few>(D, main_diagonal, R, P, S, red, stream);
    else if (P.v) err = launch<true, 4, B()>(D, main_diagonal, R, P, S, red, stream);
    else if (number_of(P.sums) > 1) /* right preconditioning: one kernel for all numbers of diagonals */
      err = launch_product<false, 4>(BdiaghProductRows<few, 0, true>{D, main_diagonal, {R}}, P, S, red, bdiagh_begins_early(D), stream);
    else err = launch<false, 1, B()>(D, main_diagonal, R, P, S, red, stream);
  });
  return err;
}

cudaError_t launch_bdiagh_fused_transpose(const BdiaghDiagonals &D, const Scalar *x, Scalar *y, const FusedScalars *S, cudaStream_t stream)
{
  cudaError_t err = cudaSuccess;

  if (!D.cols) return err;
  with_block_of(BdiaghTuning::FusedSizes(), D.block, [&](auto B) {
    bdiagh_fused_transpose_kernel<B()><<<blocks_for(D.cols, BdiaghTuning::threads), BdiaghTuning::threads, 0, stream>>>(D, x, y, S);
    err = cudaGetLastError();
  });
  return err;
}

cudaError_t launch_bdiagh_compare_inverse(const BdiaghDiagonals &D, int main_diagonal, const Scalar *inverse, int *differs, cudaStream_t stream)
{
  if (!D.rows) return cudaSuccess;
  bdiagh_compare_inverse_kernel<<<blocks_for(D.rows, BdiaghTuning::threads), BdiaghTuning::threads, 0, stream>>>(D, main_diagonal, inverse, differs);
  return cudaGetLastError();
}

cudaError_t launch_bdiagh_compare_blocks(const BdiaghDiagonals &D, int main_diagonal, const Scalar *inverse, std::size_t ld, int *differs, cudaStream_t stream)
{
  if (!D.rows) return cudaSuccess;
  bdiagh_compare_blocks_kernel<<<blocks_for(D.rows, BdiaghTuning::threads), BdiaghTuning::threads, 0, stream>>>(D, main_diagonal, inverse, ld, differs);
  return cudaGetLastError();
}

} // namespace heptane
