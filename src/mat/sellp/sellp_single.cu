/*
   The fused product with a copy in single precision on the device: no preconditioner is applied. The kernel is that of all products; half the bytes of the values and of the vectors.
*/
#include "sellp_product.cuh"
#include "sellp_single.hpp"

namespace heptane
{

namespace
{

using Operands = SellpOperandsOf<Single>;
using Product  = FusedProductOf<Single>;

template <bool MINUS, int K, int B, bool WHOLE>
cudaError_t launch(const Operands &O, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  constexpr int        UN = SellpTuning::single_together_none<B, WHOLE>, UI = SellpTuning::folded_together_indexed<B>;
  const bool           early = sellp_begins_early(O.slices);
  const SellpAsideSums aside = {O.aside, O.sums};

  if constexpr (B == 1)
    if (O.mix == SellpMix::none || O.mix == SellpMix::short_none)
      return launch_product<MINUS, K>(SellpUnitRows<B, UN, 1, Single, WHOLE>{O.slices, aside}, P, S, red, early, stream);
  return launch_product<MINUS, K>(SellpUnitRows < B, B == 1 ? 1 : UI, UI, Single, WHOLE > {O.slices, aside}, P, S, red, early, stream);
}

template <bool WHOLE, class Sizes>
cudaError_t launch_of(Sizes sizes, const Operands &O, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  return with_block_of(sizes, O.slices.block,
                       [&](auto B) { return P.v ? launch<true, 4, B(), WHOLE>(O, P, S, red, stream) : launch<false, 1, B(), WHOLE>(O, P, S, red, stream); });
}

} // namespace

cudaError_t launch_sellp_single(const Operands &O, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  if (!O.slices.rows) return cudaSuccess;
  if (number_of(P.sums) > 1 && !P.v) return cudaErrorNotSupported;
  if (O.slices.dropped) return launch_of<false>(SellpTuning::SingleSizes(), O, P, S, red, stream);

  const cudaError_t err = launch_sellp_aside(O, P, S, red.chained && sellp_begins_early(O.slices), stream);
  return err != cudaSuccess ? err : launch_of<true>(SellpTuning::SingleWholeSizes(), O, P, S, red, stream);
}

} // namespace heptane
