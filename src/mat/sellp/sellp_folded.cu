/*
   The fused product with a folded copy on the device: no preconditioner is applied, no row needs another, so that rows are spread over threads whatever the block size.
*/
#include "../../device/launch.hpp"
#include "../../pass/pass_tuning.hpp"
#include "../../pass/gather.hpp"
#include "../../pass/launch_resident.cuh"
#include "../../pass/product_scalars.cuh"
#include "../../device/with_block.hpp"
#include "sellp_fused.hpp"

namespace heptane
{

namespace
{

/*
   Computes  y = u + A u, A without its unit diagonal, u = q or q - alpha v, and its sums, for which there is room for K
   Threads   one a row, in the order of the places, in strides of the grid
   Bytes     as sellp_mult_kernel, 2 a cell, and the vectors of the scalar products; q and v once each where caches hold what neighbours share
   Order     deterministic: rows as sellp_row_without_dropped(), then a thread's rows, threads and blocks in a fixed order
   backward  from the last rows to the first, as bdiagh_fused_kernel
*/
template <int B, bool MINUS, int K, int UN, int UI>
__global__ void __launch_bounds__(SellpTuning::folded_threads<K>, SellpTuning::folded_blocks<B, K>)
  sellp_folded_kernel(const __grid_constant__ SellpSlices A, const __grid_constant__ FusedProduct P, const FusedScalars *S, const FusedReduction red,
                      bool backward)
{
  constexpr int  threads  = SellpTuning::folded_threads<K>;
  const int      b        = block_of<B>(A);
  const unsigned in_slice = static_cast<unsigned>(A.slice * b);

  wait_for_predecessor();
  const ProductScalars now = begin_product<MINUS, K>(P, S);
  if (now.still) return;
  const Scalar            *input   = now.input;
  const FusedGather<MINUS> u       = {input, P.v, now.alpha};
  const int                tiles   = (A.rows + threads - 1) / threads;
  Scalar                   sums[K] = {};

  for (int k = blockIdx.x; k < tiles; k += gridDim.x) {
    const unsigned at = static_cast<unsigned>(backward ? tiles - 1 - k : k) * threads + threadIdx.x;
    if (at >= static_cast<unsigned>(A.rows)) continue;
    const int         slice = static_cast<int>(at / in_slice), r = static_cast<int>(at - slice * in_slice);
    const std::size_t row = A.place ? static_cast<std::size_t>(sellp_cell(A, slice * A.slice + r / b)) * b + r % b : at;
    RowOperands       o   = row_operands<K>(P, input, row, u.alpha, false);
    o.u                   = u[row];
    product_row<K>(P, row, o.u + sellp_row_without_dropped<B, UN, UI>(A, u, sellp_head(A, slice), slice, r), o, sums);
  }
  finish_product<threads>(P, sums, red);
}

template <int B, bool MINUS, int K>
cudaError_t launch(const SellpSlices &A, SellpMix mix, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  constexpr int threads = SellpTuning::folded_threads<K>, UN = SellpTuning::folded_together_none<B>, UI = SellpTuning::folded_together_indexed<B>;
  const bool    backward = goes_backward(P);
  const bool    early    = static_cast<std::size_t>(A.rows) <= PassTuning::chained_rows;
  const auto    tiles    = blocks_for(A.rows, threads);

  if constexpr (B == 1)
    if (mix == SellpMix::none || mix == SellpMix::short_none)
      return launch_resident<sellp_folded_kernel<B, MINUS, K, UN, 1>>(tiles, threads, stream, early, red, A, P, S, red, backward);
  return launch_resident<sellp_folded_kernel<B, MINUS, K, B == 1 ? 1 : UN, UI>>(tiles, threads, stream, early, red, A, P, S, red, backward);
}

} // namespace

cudaError_t launch_sellp_folded(const SellpSlices &A, SellpMix mix, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                                cudaStream_t stream)
{
  if (!A.rows) return cudaSuccess;
  return with_block(A.block, [&](auto B) { return with_product(P, [&](auto minus, auto K) { return launch<B(), minus(), K()>(A, mix, P, S, red, stream); }); });
}

} // namespace heptane
