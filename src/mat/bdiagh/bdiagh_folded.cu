/*
   The fused product with a folded copy on the device: no preconditioner is applied, no row needs another, so that rows are spread over threads whatever the block size
   (b = 3, 0.79M rows, us an iteration of BiCGStab: 87; 95 with whole cells a block).
*/
#include "../../device/launch.hpp"
#include "../../pass/pass_tuning.hpp"
#include "../../pass/gather.hpp"
#include "../../pass/launch_resident.cuh"
#include "../../pass/product_scalars.cuh"
#include "../csr/remainder_warp.cuh"
#include "bdiagh_fused.hpp"
#include "bdiagh_fused_block.hpp"

namespace heptane
{

namespace
{

/*
   Computes  y = u + A u, A without its unit diagonal, u = q or q - alpha v, and its sums, for which there is room for K
   Threads   one a row, in strides of the grid; warps begin on whole lines of the value columns
   Bytes     a row sizeof(Scalar) * (ndiag * block + vectors read + 1); q and v once each where caches hold what neighbours share, and UPPER the values
   Order     deterministic: rows as bdiagh_row(), UPPER as bdiagh_symmetric_row() with the same bits, the remainder as remainder_of_warp(), then a
             thread's rows, threads and blocks in a fixed order
   UPPER     A holds the diagonals above the main one of a symmetric matrix, B = 1
   SHARE     lanes share the remainder's rows
   N         number of block diagonals of A, or 0; backward: from the last rows to the first; both as bdiagh_fused_kernel
*/
template <int B, bool MINUS, int K, int N, bool UPPER, bool SHARE>
__global__ void __launch_bounds__(BdiaghTuning::fused_threads<K>, BdiaghTuning::fused_blocks<B, K>)
  bdiagh_folded_kernel(const __grid_constant__ BdiaghDiagonals A, const RemainderRows R, const __grid_constant__ FusedProduct P, const FusedScalars *S,
                       const FusedReduction red, bool backward)
{
  constexpr int U = BdiaghTuning::folded_together<B>, threads = BdiaghTuning::fused_threads<K>;

  wait_for_predecessor();
  const ProductScalars now = begin_product<MINUS, K>(P, S);
  if (now.still) return;
  const Scalar            *input   = now.input;
  const FusedGather<MINUS> u       = {input, P.v, now.alpha};
  const int                tiles   = (A.rows + threads - 1) / threads;
  Scalar                   sums[K] = {};

  for (int k = blockIdx.x; k < tiles; k += gridDim.x) {
    const int  row  = (backward ? tiles - 1 - k : k) * threads + threadIdx.x;
    const auto warp = SHARE ? __ballot_sync(~0u, row < A.rows) : 0;
    if (row >= A.rows) continue;
    const auto  rest = SHARE ? remainder_word(R, row) : 0;
    RowOperands o    = row_operands<K>(P, input, row, u.alpha, false);
    o.u              = u[row];
    Scalar y         = o.u;
    if constexpr (UPPER) y += bdiagh_symmetric_row<N>(A, u, row);
    else y += bdiagh_row<B, U, N>(A, u, row);
    if (SHARE) y += remainder_of_warp(R, u, row, rest, warp);
    else if (R.mask) y += remainder_row(R, u, row);
    product_row<K>(P, row, y, o, sums);
  }
  finish_product<threads>(P, sums, red);
}

template <int B, bool MINUS, int K, int N, bool UPPER = false>
cudaError_t launch_for(const BdiaghDiagonals &D, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                       cudaStream_t stream)
{
  constexpr int threads  = BdiaghTuning::fused_threads<K>;
  const bool    backward = goes_backward(P);
  const bool    early    = static_cast<std::size_t>(D.rows) * D.ndiag * D.block <= PassTuning::chained_entries;

  const auto tiles = blocks_for(D.rows, threads);

  if (remainder_is_shared(R))
    return launch_resident<bdiagh_folded_kernel<B, MINUS, K, N, UPPER, true>>(tiles, threads, stream, early, red, D, R, P, S, red, backward);
  return launch_resident<bdiagh_folded_kernel<B, MINUS, K, N, UPPER, false>>(tiles, threads, stream, early, red, D, R, P, S, red, backward);
}

template <int B, bool MINUS, int K>
cudaError_t launch(const BdiaghDiagonals &D, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                   cudaStream_t stream)
{
  if constexpr (B > 0)
    if (D.ndiag == 6) return launch_for<B, MINUS, K, 6>(D, R, P, S, red, stream);
  return launch_for<B, MINUS, K, 0>(D, R, P, S, red, stream);
}

} // namespace

cudaError_t launch_bdiagh_folded(const BdiaghDiagonals &D, bool upper, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                                 const FusedReduction &red, cudaStream_t stream)
{
  cudaError_t err = cudaSuccess;

  if (!D.rows) return err;
  if (upper) return D.ndiag == 3 ? launch_for<1, false, 1, 3, true>(D, R, P, S, red, stream) : launch_for<1, false, 1, 0, true>(D, R, P, S, red, stream);
  with_fused_block(D.block, [&](auto B) { err = with_product(P, [&](auto minus, auto K) { return launch<B(), minus(), K()>(D, R, P, S, red, stream); }); });
  return err;
}

} // namespace heptane
