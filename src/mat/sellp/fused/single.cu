/*
   The fused product with a copy in single precision on the device, without preconditioner. The kernel of all products,
   with half the bytes of the values and of the vectors, or only of the values if the product combines vectors of
   Scalars.
*/
#include "product.cuh"
#include "../format/single_rows.hpp"
#include "single.hpp"

namespace heptane
{

namespace
{

using Operands = SellpOperandsOf<Single>;
using Product  = FusedProductOf<Single>;

template <bool MINUS, int K, int B, bool WHOLE>
cudaError_t launch(const Operands &O, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  constexpr int            UN = SellpTuning::single_together_none<B, WHOLE>, UI = SellpTuning::folded_together_indexed<B>;
  const bool               early     = sellp_begins_early(O.slices);
  const SellpRemainderSums remainder = {O.remainder, O.sums};

  if constexpr (B == 1)
    if (O.mix == SellpMix::none || O.mix == SellpMix::short_none)
      return launch_product<MINUS, K>(SellpUnitRows<B, UN, 1, Single, WHOLE>{O.slices, remainder}, P, S, red, early, stream);
  return launch_product<MINUS, K>(SellpUnitRows < B, B == 1 ? 1 : UI, UI, Single, WHOLE > {O.slices, remainder}, P, S, red, early, stream);
}

template <bool WHOLE, class Sizes>
cudaError_t launch_of(Sizes sizes, const Operands &O, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  return with_block_of(sizes, O.slices.block,
                       [&](auto B) { return P.v ? launch<true, 4, B(), WHOLE>(O, P, S, red, stream) : launch<false, 1, B(), WHOLE>(O, P, S, red, stream); });
}

/* For vectors of Scalars */
template <int B, int UN, int UI, bool WHOLE>
struct ScalarRows : SellpUnitRows<B, UN, UI, Single, WHOLE> {
  using Stored = Scalar;
};

template <int B, int UN, int UI, bool WHOLE>
cudaError_t launch_combining(const Operands &O, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  ScalarRows<B, UN, UI, WHOLE> rows;

  rows.A         = O.slices;
  rows.remainder = {O.remainder, O.sums};
  return launch_product<false, 0>(rows, P, S, red, sellp_begins_early(O.slices), stream);
}

template <bool WHOLE, class Sizes>
cudaError_t launch_combining_of(Sizes sizes, const Operands &O, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  return with_block_of(sizes, O.slices.block, [&](auto B) {
    constexpr int UN = SellpTuning::single_together_none<1, WHOLE>, UI = SellpTuning::folded_together_indexed<B()>;

    if constexpr (B() == 1)
      if (O.mix == SellpMix::none || O.mix == SellpMix::short_none) return launch_combining<1, UN, 1, WHOLE>(O, P, S, red, stream);
    return launch_combining < B(), B() == 1 ? 1 : UI, UI, WHOLE > (O, P, S, red, stream);
  });
}

template <int K>
inline constexpr int pair_threads = PassTuning::most_threads<K>;
template <int K>
inline constexpr int pair_blocks = SellpTuning::single_resident / pair_threads<K>;

/*
   Computes  y = A u, u = q or q - alpha v, and its K sums, if sellp_single_pairs()
   Threads   a warp per slice of 64 rows, two rows per thread, in strides of the grid; slices with index row by row
   Bytes     per row 4 for each stored entry and vector, 2 for the index of the dropped entry; q and v once each if
             caches hold the elements shared by neighbours
   Order     deterministic: a row as sellp_row_without_dropped(), then the rows of a thread, threads and blocks in a
             fixed order
*/
template <bool MINUS, int K>
__global__ void __launch_bounds__(pair_threads<K>, pair_blocks<K>)
  sellp_single_pair_kernel(const __grid_constant__ SellpSlicesOf<Single> A, const __grid_constant__ Product P, const FusedScalars *S, const FusedReduction red,
                           bool backward)
{
  constexpr int warps = pair_threads<K> / 32, half = SellpTuning::pair_slice / 2;

  wait_for_predecessor();
  const auto now = begin_product<MINUS, K>(P, S);
  if (now.still) return;
  const SingleGather<MINUS> u     = {now.input, P.v, now.alpha};
  const int                 tiles = (A.slices + warps - 1) / warps, r = threadIdx.x % 32;
  Scalar                    sums[K] = {};

  for (int k = blockIdx.x; k < tiles; k += gridDim.x) {
    const int slice = (backward ? tiles - 1 - k : k) * warps + threadIdx.x / 32, row = slice * SellpTuning::pair_slice + r;

    if (row >= A.rows) continue;
    const bool       two  = row + half < A.rows;
    const SellpSlice head = sellp_head(A, slice);
    RowOperands      o    = row_operands<K>(P, now.input, row, now.alpha, false), o2;
    Scalar           y, y2 = 0;
    if (two) o2 = row_operands<K>(P, now.input, row + half, now.alpha, false);
    o.u = u[row];
    if (two) o2.u = u[row + half];
    if (sellp_kind(head) == SellpIndex::none) sellp_single_pair<SellpTuning::pair_together - 1>(A, u, head, slice, r, load_once(A.dropped + row), y, y2);
    else {
      y = sellp_row_without_dropped<1, 1, 1>(A, u, head, slice, r);
      if (two) y2 = sellp_row_without_dropped<1, 1, 1>(A, u, head, slice, r + half);
    }
    product_row<K>(P, row, o.u + y, o, sums);
    if (two) product_row<K>(P, row + half, o2.u + y2, o2, sums);
  }
  finish_product<pair_threads<K>>(P, sums, red);
}

template <bool MINUS, int K>
cudaError_t launch_pairs(const SellpSlicesOf<Single> &A, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  return launch_resident<sellp_single_pair_kernel<MINUS, K>>(blocks_for(A.slices, pair_threads<K> / 32), pair_threads<K>, 1, K, stream, sellp_begins_early(A),
                                                             red, A, P, S, red, goes_backward(P));
}

} // namespace

cudaError_t launch_sellp_single_combining(const Operands &O, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  if (!O.slices.rows) return cudaSuccess;
  if (!combines(P)) return cudaErrorNotSupported;
  if (O.slices.dropped) return launch_combining_of<false>(SellpTuning::SingleSizes(), O, P, S, red, stream);

  const cudaError_t err = launch_sellp_remainder(O, P, S, red.chained && sellp_begins_early(O.slices), stream);
  return err != cudaSuccess ? err : launch_combining_of<true>(SellpTuning::SingleWholeSizes(), O, P, S, red, stream);
}

cudaError_t launch_sellp_single(const Operands &O, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  if (!O.slices.rows) return cudaSuccess;
  if (number_of(P.sums) > 1 && !P.v) return cudaErrorNotSupported;
  if (sellp_single_pairs(O.slices, O.mix))
    return P.v ? launch_pairs<true, 4>(O.slices, P, S, red, stream) : launch_pairs<false, 1>(O.slices, P, S, red, stream);
  if (O.slices.dropped) return launch_of<false>(SellpTuning::SingleSizes(), O, P, S, red, stream);

  const cudaError_t err = launch_sellp_remainder(O, P, S, red.chained && sellp_begins_early(O.slices), stream);
  return err != cudaSuccess ? err : launch_of<true>(SellpTuning::SingleWholeSizes(), O, P, S, red, stream);
}

} // namespace heptane
