/*
   The fused product of the sliced ELLPACK format on the device, of a matrix with rows on other GPUs. Fewer kernels than
   for one GPU: see SellpTuning::HaloSizes.
*/
#include "../../../pass/product/product_halo.cuh"
#include "product.cuh"

namespace heptane
{

namespace
{

template <bool MINUS, int K, int B>
cudaError_t launch(const SellpOperands &O, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  constexpr int UN = SellpTuning::fused_together_none, UI = SellpTuning::fused_together_indexed<B>;
  const bool    early = sellp_begins_early(O.slices);

  const cudaError_t err = launch_sellp_remainder(O, P, S, red.chained && early, stream);

  if (err != cudaSuccess) return err;
  return launch_product_halo<MINUS, K>(SellpProductRows < B, B == 1 ? UN : UI, UI > {O}, !O.slices.place, P, S, red, early, stream);
}

template <bool MINUS, int K, int B>
cudaError_t launch_unit(const SellpSlices &A, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  constexpr int UN = SellpTuning::folded_together_none<B>, UI = SellpTuning::folded_together_indexed<B>;

  return launch_product_halo<MINUS, K>(SellpUnitRows<B, UN, UI>{A}, !A.place, P, S, red, sellp_begins_early(A), stream);
}

} // namespace

cudaError_t launch_sellp_halo(const SellpOperands &O, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  if (combines(P)) return with_block_of(BlockSizes<1>(), O.slices.block, [&](auto B) { return launch<false, 0, B()>(O, P, S, red, stream); });
  return with_block_of(SellpTuning::HaloSizes(), O.slices.block,
                       [&](auto B) { return with_product(P, [&](auto minus, auto K) { return launch<minus(), K(), B()>(O, P, S, red, stream); }); });
}

cudaError_t launch_sellp_folded_halo(const SellpSlices &A, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  if (number_of(P.sums) > 1 && !P.v) return cudaErrorNotSupported;
  return with_block_of(SellpTuning::HaloSizes(), A.block,
                       [&](auto B) { return P.v ? launch_unit<true, 4, B()>(A, P, S, red, stream) : launch_unit<false, 1, B()>(A, P, S, red, stream); });
}

} // namespace heptane
