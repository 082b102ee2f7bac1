/*
   The fused product with a copy in single precision on the device, without preconditioner. The kernel of all products,
   with half the bytes of the values and of the vectors, or only of the values if the product combines vectors of
   Scalars.
*/
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
  constexpr int            UN = SellpTuning::single_together_none<B, WHOLE>, UI = SellpTuning::folded_together_indexed<B>;
  const bool               early     = sellp_begins_early(O.slices);
  const SellpRemainderSums remainder = {O.remainder, O.sums};

  if constexpr (B == 1)
    if (O.mix == SellpMix::none) return launch_product<MINUS, K>(SellpUnitRows<B, UN, 1, Single, WHOLE>{O.slices, remainder}, P, S, red, early, stream);
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
      if (O.mix == SellpMix::none) return launch_combining<1, UN, 1, WHOLE>(O, P, S, red, stream);
    return launch_combining < B(), B() == 1 ? 1 : UI, UI, WHOLE > (O, P, S, red, stream);
  });
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
  if (O.slices.dropped) return launch_of<false>(SellpTuning::SingleSizes(), O, P, S, red, stream);

  const cudaError_t err = launch_sellp_remainder(O, P, S, red.chained && sellp_begins_early(O.slices), stream);
  return err != cudaSuccess ? err : launch_of<true>(SellpTuning::SingleWholeSizes(), O, P, S, red, stream);
}

} // namespace heptane
