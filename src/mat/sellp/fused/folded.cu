/*
   The fused product with a folded copy on the device: no preconditioner is applied.
*/
#include "product.cuh"

namespace heptane
{

namespace
{

template <bool MINUS, int K, int B>
cudaError_t launch(const SellpSlices &A, SellpMix mix, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  constexpr int UN = SellpTuning::folded_together_none<B>, UI = SellpTuning::folded_together_indexed<B>;
  const bool    early = sellp_begins_early(A);

  if constexpr (B == 1)
    if (mix == SellpMix::none || mix == SellpMix::short_none) return launch_product<MINUS, K>(SellpUnitRows<B, UN, 1>{A}, P, S, red, early, stream);
  return launch_product<MINUS, K>(SellpUnitRows < B, B == 1 ? 1 : UN, UI > {A}, P, S, red, early, stream);
}

} // namespace

cudaError_t launch_sellp_folded(const SellpSlices &A, SellpMix mix, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                                cudaStream_t stream)
{
  if (!A.rows) return cudaSuccess;
  if (number_of(P.sums) > 1 && !P.v) return cudaErrorNotSupported;
  return with_block_of(SellpTuning::FusedSizes(), A.block,
                       [&](auto B) { return P.v ? launch<true, 4, B()>(A, mix, P, S, red, stream) : launch<false, 1, B()>(A, mix, P, S, red, stream); });
}

} // namespace heptane
