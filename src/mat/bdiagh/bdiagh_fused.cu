/*
   The fused product of the block-diagonal format on the device.
*/
#include "../../device/launch.hpp"
#include "../../pass/pass_tuning.hpp"
#include "../../pass/gather.hpp"
#include "../../pass/launch_resident.cuh"
#include "../../pass/product_scalars.cuh"
#include "../../pass/point_block.cuh"
#include "../csr/remainder_warp.cuh"
#include "bdiagh_fused.hpp"
#include "bdiagh_fused_block.hpp"

namespace heptane
{

namespace
{

/*
   Computes  y = M^-1 A u, u = q or q - alpha v, and its sums, for which there is room for K
   Threads   one a row, whole cells a block, in strides of the grid; where M has blocks, cells meet within a warp, or in shared memory if they may lie in two
   Bytes     a row sizeof(Scalar) * (ndiag * block + vectors read + 1); q and v once each where caches hold what neighbours share;
             M^-1: jacobi 1, own_diagonal, own_blocks and folded 0, blocks `block` scalars more
   Order     deterministic: rows as bdiagh_row(), the remainder as remainder_of_warp(), then a thread's rows, threads and blocks in a fixed order
   N         number of block diagonals, the main one in their middle, or 0. Known to the compiler it saves comparisons: us an iteration of BiCGStab with 0 and 7, b = 1, 16.8M rows
             983, 918; b = 3, 0.79M 106, 97.7; b = 8, 0.26M 73.1, 71.4; 2.1M 523, 516; of CG, b = 1, 16.8M 590, 575
   SHARE     lanes share the remainder's rows; backward: tiles from the last to the first
*/
template <int B, bool MINUS, int K, int N, bool SHARE>
__global__ void __launch_bounds__(BdiaghTuning::fused_threads<K>, BdiaghTuning::fused_blocks<B, K>)
  bdiagh_fused_kernel(const __grid_constant__ BdiaghDiagonals A, int found_main, const RemainderRows R, const __grid_constant__ FusedProduct P,
                      const FusedScalars *S, const FusedReduction red, bool backward)
{
  constexpr int     U = BdiaghTuning::fused_together<B>, threads = BdiaghTuning::fused_threads<K>;
  const int         b    = block_of<B>(A);
  const int         used = threads - threads % b; /* threads with a row */
  const int         own = threadIdx.x, i = own % b;
  constexpr bool    in_warp = B > 0 && 32 % (B > 0 ? B : 1) == 0; /* every cell */
  __shared__ Scalar value[2][in_warp ? 1 : threads];              /* in turn, so that one barrier a tile is enough */

  wait_for_predecessor();
  const ProductScalars now = begin_product<MINUS, K>(P, S);
  if (now.still) return;
  const FusedGather<MINUS> u          = {now.input, P.v, now.alpha};
  Scalar                   sums[K]    = {};
  const int                tiles      = (A.rows + used - 1) / used;
  constexpr bool           cells      = B != 1; /* b = 1 has no blocks */
  const bool               own_blocks = cells && P.pc.kind == FusedPc::own_blocks, blocks = own_blocks || (cells && P.pc.kind == FusedPc::blocks);
  const int                main_diagonal = N > 0 ? N / 2 : found_main, skip = own_blocks ? main_diagonal : -1;
  constexpr bool           take_u = K == 4 || N > 0; /* the row's own u as the product comes across it, where that costs no registers */
  int                      turn   = 0;

  for (int k = blockIdx.x; k < tiles; k += gridDim.x) {
    const int   tile = backward ? tiles - 1 - k : k, row = tile * used + own;
    const bool  active = own < used && row < A.rows;
    Scalar      y = 0, self = 0;
    RowOperands o    = {0, 0};
    const auto  warp = SHARE ? __ballot_sync(~0u, active) : 0;
    if (active) {
      Scalar     d = 0, x = 0;
      const auto rest = SHARE ? remainder_word(R, row) : 0;
      o               = row_operands<K>(P, now.input, row, now.alpha, !take_u || (main_diagonal < 0 && !own_blocks));
      if (own_blocks) self = u[row];
      y = bdiagh_row<B, U, N>(
        A, u, row,
        [&](int r, int s, Scalar a, Scalar xs) {
          if (r == main_diagonal && s == i) {
            d = a;
            if (take_u) x = xs;
          }
        },
        skip);
      if (take_u && main_diagonal >= 0 && !P.own_q) o.u = own_blocks ? self : x;
      if (SHARE) y += remainder_of_warp(R, u, row, rest, warp);
      else if (R.mask) y += remainder_row(R, u, row);
      if (P.pc.kind == FusedPc::own_diagonal) y *= inverse_of_diagonal(d);
      else if (P.pc.kind == FusedPc::jacobi) y *= P.pc.inverse[row];
    }
    if (blocks) {
      y = apply_point_block<B, in_warp>(P.pc, active, row, i, y, own, value[turn], [] { __syncthreads(); });
      y += self;
      turn ^= 1;
    }
    if (active) product_row<K>(P, row, y, o, sums);
  }
  finish_product<threads>(P, sums, red);
}

/*
   Computes  y = A^T x unless the iteration stands still
   Threads   one a column
   Bytes     a column sizeof(Scalar) * (ndiag * block + 2); the values of a column of a block are contiguous, neighbouring columns lie ld apart
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
   Threads   one a row
   Bytes     2 sizeof(Scalar) a row
   Order     none: the same 1 is stored by whoever finds a difference
*/
__global__ void __launch_bounds__(BdiaghTuning::threads)
  bdiagh_compare_inverse_kernel(const __grid_constant__ BdiaghDiagonals A, int r, const Scalar *inverse, int *differs)
{
  const int row = blockIdx.x * BdiaghTuning::threads + threadIdx.x;

  if (row < A.rows && inverse[row] != inverse_of_diagonal(bdiagh_diagonal(A, r, row))) *differs = 1;
}

/*
   Computes  whether the blocks of `inverse` are the inverses of the diagonal blocks, up to own_blocks_tolerance
   Threads   one a row
   Bytes     2 sizeof(Scalar) * block a row, the rest from caches
   Order     none: the same 1 is stored by whoever finds a difference
*/
__global__ void __launch_bounds__(BdiaghTuning::threads)
  bdiagh_compare_blocks_kernel(const __grid_constant__ BdiaghDiagonals A, int r, const Scalar *inverse, std::size_t ld, int *differs)
{
  const int row = blockIdx.x * BdiaghTuning::threads + threadIdx.x;

  if (row < A.rows && !(bdiagh_inverse_error(A, r, inverse, ld, row) <= own_blocks_tolerance)) *differs = 1;
}

template <int B, bool MINUS, int K, int N>
cudaError_t launch_for(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                       const FusedReduction &red, cudaStream_t stream)
{
  constexpr int threads  = BdiaghTuning::fused_threads<K>;
  const bool    backward = goes_backward(P);
  const bool    early    = static_cast<std::size_t>(D.rows) * D.ndiag * D.block <= PassTuning::chained_entries;

  const auto tiles = blocks_for(D.rows, threads - threads % D.block);

  if (remainder_is_shared(R))
    return launch_resident<bdiagh_fused_kernel<B, MINUS, K, N, true>>(tiles, threads, stream, early, red, D, main_diagonal, R, P, S, red, backward);
  return launch_resident<bdiagh_fused_kernel<B, MINUS, K, N, false>>(tiles, threads, stream, early, red, D, main_diagonal, R, P, S, red, backward);
}

template <int B, bool MINUS, int K>
cudaError_t launch(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                   cudaStream_t stream)
{
  if constexpr (B > 0)
    if (D.ndiag == 7 && main_diagonal == 3) return launch_for<B, MINUS, K, 7>(D, main_diagonal, R, P, S, red, stream);
  return launch_for<B, MINUS, K, 0>(D, main_diagonal, R, P, S, red, stream);
}

} // namespace

cudaError_t launch_bdiagh_fused(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                                const FusedReduction &red, cudaStream_t stream)
{
  cudaError_t err = cudaSuccess;

  if (!D.rows) return err;
  with_fused_block(
    D.block, [&](auto B) { err = with_product(P, [&](auto minus, auto K) { return launch<B(), minus(), K()>(D, main_diagonal, R, P, S, red, stream); }); });
  return err;
}

cudaError_t launch_bdiagh_fused_transpose(const BdiaghDiagonals &D, const Scalar *x, Scalar *y, const FusedScalars *S, cudaStream_t stream)
{
  cudaError_t err = cudaSuccess;

  if (!D.cols) return err;
  with_fused_block(D.block, [&](auto B) {
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
