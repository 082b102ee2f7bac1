/*
   The fused product of the sliced ELLPACK format on the device.
*/
#include "../../../metrics/metrics.hpp"
#include "../../csr/pieces.cuh"
#include "inverse.hpp"
#include "product.cuh"

namespace heptane
{

namespace
{

constexpr int remainder_threads = 256;

/*
   Computes  sums[k] = row k of the list of A u, u = q or q - alpha v
   Threads   a warp per row
   Bytes     per entry sizeof(Scalar) + 4, u gathered
   Order     deterministic: each lane ascending, lanes by a fixed butterfly
*/
template <bool MINUS, class T>
__global__ void __launch_bounds__(remainder_threads)
  sellp_remainder_kernel(const CsrRows A, Scalar *sums, const __grid_constant__ FusedProductOf<T> P, const FusedScalars *S)
{
  const int k = static_cast<int>((blockIdx.x * static_cast<std::size_t>(remainder_threads) + threadIdx.x) / 32), lane = threadIdx.x % 32;

  wait_for_predecessor();
  const auto now = begin_product<MINUS, 1>(P, S);
  if (now.still || k >= A.count) return;
  const FusedGather<MINUS, T> u   = {combines(P) ? P.q : now.input, P.v, now.alpha}; /* as in the product that follows */
  Scalar                      sum = csr_row(A, u, k, lane, 32);
#pragma unroll
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (lane == 0) sums[k] = sum;
}

/*
   Computes  sums[k] = sum of the pieces of row k
   Threads   a warp per row
   Bytes     sizeof(Scalar) per piece and per row
   Order     deterministic: each lane ascending, lanes by a fixed butterfly
*/
__global__ void __launch_bounds__(remainder_threads) sellp_pieces_kernel(const CsrPieces P, int count, Scalar *sums, const FusedScalars *S)
{
  const int k = static_cast<int>((blockIdx.x * static_cast<std::size_t>(remainder_threads) + threadIdx.x) / 32), lane = threadIdx.x % 32;

  wait_for_predecessor();
  if (S->stop != FusedStop::no || k >= count) return;
  const Scalar sum = csr_pieces_sum(P, k, lane);
  if (lane == 0) sums[k] = sum;
}

/*
   Computes  whether the blocks of `inverse` are the inverses of the diagonal blocks, up to block_inverse_tolerance
   Threads   one per row, in the order of the places
   Bytes     2 sizeof(Scalar) * block per row, the rest from caches
   Order     none: every thread that finds a difference stores the same 1
*/
__global__ void __launch_bounds__(SellpTuning::device_threads)
  sellp_compare_blocks_kernel(const __grid_constant__ SellpSlices A, const std::uint16_t *diagonal, const Scalar *inverse, std::size_t ld, int *differs)
{
  const int at = blockIdx.x * SellpTuning::device_threads + threadIdx.x, place = at / A.block;

  if (place < A.cells && !(sellp_inverse_error(A, diagonal, inverse, ld, place, at % A.block) <= block_inverse_tolerance)) *differs = 1;
}

template <bool MINUS, class T, class V>
cudaError_t launch_remainder(const SellpOperandsOf<T> &O, const FusedProductOf<V> &P, const FusedScalars *S, bool early, cudaStream_t stream)
{
  const bool     pieces = O.pieces.first != nullptr;
  const CsrRows &list   = pieces ? O.pieces.list : O.list;
  cudaError_t    err    = cudaSuccess;
  {
    const MetricsPass metrics(true, [&] {
      return DeclaredPass{"product: rows put aside", (sizeof(T) + 4.) * O.remainder_entries + sizeof(Scalar) * (double)list.count};
    });
    err = launch_chained(sellp_remainder_kernel<MINUS, V>, blocks_for(static_cast<std::size_t>(list.count) * 32, remainder_threads), remainder_threads, stream,
                         early, list, pieces ? O.pieces.sums : O.sums, P, S);
  }
  if (err == cudaSuccess && pieces) {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"product: pieces of rows put aside", sizeof(Scalar) * (1. * list.count + O.list.count)}; });
    err = launch_chained(sellp_pieces_kernel, blocks_for(static_cast<std::size_t>(O.list.count) * 32, remainder_threads), remainder_threads, stream, early,
                         O.pieces, O.list.count, O.sums, S);
  }
  return err;
}

template <bool MINUS, int K, int B>
cudaError_t launch(const SellpOperands &O, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  constexpr int UN = SellpTuning::fused_together_none, UI = SellpTuning::fused_together_indexed<B>;
  const bool    early = sellp_begins_early(O.slices);

  const cudaError_t err = launch_sellp_remainder(O, P, S, red.chained && early, stream);

  if (err != cudaSuccess) return err;
  if constexpr (B == 1) {
    if (O.mix == SellpMix::none || O.mix == SellpMix::short_none) return launch_product<MINUS, K>(SellpProductRows<B, UN, 1>{O}, P, S, red, early, stream);
    return launch_product<MINUS, K>(SellpProductRows<B, 1, UI>{O}, P, S, red, early, stream);
  } else return launch_product<MINUS, K>(SellpProductRows<B, UI, UI>{O}, P, S, red, early, stream);
}

} // namespace

cudaError_t launch_sellp_remainder(const SellpOperands &O, const FusedProduct &P, const FusedScalars *S, bool early, cudaStream_t stream)
{
  if (!O.remainder.mask) return cudaSuccess;
  return P.v ? launch_remainder<true>(O, P, S, early, stream) : launch_remainder<false>(O, P, S, early, stream);
}

cudaError_t launch_sellp_remainder(const SellpOperandsOf<Single> &O, const FusedProductOf<Single> &P, const FusedScalars *S, bool early, cudaStream_t stream)
{
  if (!O.remainder.mask) return cudaSuccess;
  return P.v ? launch_remainder<true>(O, P, S, early, stream) : launch_remainder<false>(O, P, S, early, stream);
}

cudaError_t launch_sellp_remainder(const SellpOperandsOf<Single> &O, const FusedProduct &P, const FusedScalars *S, bool early, cudaStream_t stream)
{
  return O.remainder.mask ? launch_remainder<false>(O, P, S, early, stream) : cudaSuccess;
}

cudaError_t launch_sellp_fused(const SellpOperands &O, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  if (!O.slices.rows) return cudaSuccess;
  if (combines(P)) return with_block_of(SellpTuning::CombineSizes(), O.slices.block, [&](auto B) { return launch<false, 0, B()>(O, P, S, red, stream); });
  return with_block_of(SellpTuning::FusedSizes(), O.slices.block,
                       [&](auto B) { return with_product(P, [&](auto minus, auto K) { return launch<minus(), K(), B()>(O, P, S, red, stream); }); });
}

cudaError_t launch_sellp_compare_blocks(const SellpOperands &O, const Scalar *inverse, std::size_t ld, int *differs, cudaStream_t stream)
{
  constexpr int threads = SellpTuning::device_threads;

  if (!O.slices.rows) return cudaSuccess;
  sellp_compare_blocks_kernel<<<blocks_for(O.slices.rows, threads), threads, 0, stream>>>(O.slices, O.diagonal, inverse, ld, differs);
  return cudaGetLastError();
}

} // namespace heptane
