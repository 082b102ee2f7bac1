/*
   The fused product with a copy in single precision on the device, of a matrix with rows on other GPUs. Fewer kernels
   than for one GPU, one row per thread: see SellpTuning::SingleHaloSizes.
*/
#include "../../../pass/product/product_halo.cuh"
#include "product.cuh"
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
  constexpr int UI = SellpTuning::folded_together_indexed<B>, UN = B == 1 ? SellpTuning::single_together_none<B, WHOLE> : UI;

  return launch_product_halo<MINUS, K>(
    SellpUnitRows<B, UN, UI, Single, WHOLE>{
      O.slices, {O.remainder, O.sums}
  },
    !O.slices.place, P, S, red, sellp_begins_early(O.slices), stream);
}

template <bool WHOLE, class Sizes>
cudaError_t launch_of(Sizes sizes, const Operands &O, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  return with_block_of(sizes, O.slices.block,
                       [&](auto B) { return P.v ? launch<true, 4, B(), WHOLE>(O, P, S, red, stream) : launch<false, 1, B(), WHOLE>(O, P, S, red, stream); });
}

} // namespace

cudaError_t launch_sellp_single_halo(const Operands &O, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  if (number_of(P.sums) > 1 && !P.v) return cudaErrorNotSupported;
  if (O.slices.dropped) return launch_of<false>(SellpTuning::SingleHaloSizes(), O, P, S, red, stream);

  const cudaError_t err = launch_sellp_remainder(O, P, S, red.chained && sellp_begins_early(O.slices), stream);
  return err != cudaSuccess ? err : launch_of<true>(BlockSizes<1>(), O, P, S, red, stream);
}

} // namespace heptane
