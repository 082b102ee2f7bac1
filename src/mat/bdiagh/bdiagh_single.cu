/*
   The fused product with a copy in single precision on the device: no preconditioner is applied. The kernel is that of all products; half the bytes of the values and of the vectors.
*/
#include "bdiagh_product.cuh"
#include "bdiagh_single.hpp"

namespace heptane
{

namespace
{

using Diagonals = BdiaghDiagonalsOf<Single>;
using Product   = FusedProductOf<Single>;

/* N: six diagonals, with the main one seven, or 0 for any number; their remainder is shared, if there is any */
template <int B, int N, bool SHARE, bool UPPER = false, bool WHOLE = false>
using Rows = BdiaghUnitRows<B, N, UPPER, SHARE, Single, WHOLE>;

template <bool MINUS, int K, int B, bool WHOLE>
cudaError_t launch(const Diagonals &D, const RemainderRows &R, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  constexpr int N     = WHOLE ? 7 : 6;
  const bool    early = bdiagh_begins_early(D);

  if constexpr (B > 0)
    if (!R.mask && D.ndiag == N) return launch_product<MINUS, K>(Rows<B, N, false, false, WHOLE>{D, {R}}, P, S, red, early, stream);
  return launch_product<MINUS, K>(Rows<B, 0, true, false, WHOLE>{D, {R}}, P, S, red, early, stream);
}

template <int N>
cudaError_t launch_upper(const Diagonals &D, const RemainderRows &R, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  const bool early = bdiagh_begins_early(D);

  if (R.mask) return launch_product<false, 1>(Rows<1, N, true, true>{D, {R}}, P, S, red, early, stream);
  return launch_product<false, 1>(Rows<1, N, false, true>{D, {R}}, P, S, red, early, stream);
}

template <bool WHOLE, class Sizes>
cudaError_t launch_of(Sizes sizes, const Diagonals &D, const RemainderRows &R, const Product &P, const FusedScalars *S, const FusedReduction &red,
                      cudaStream_t stream)
{
  cudaError_t err = cudaErrorNotSupported;

  with_block_of(sizes, D.block, [&](auto B) {
    if (P.v) err = launch<true, 4, B(), WHOLE>(D, R, P, S, red, stream);
    else if (number_of(P.sums) <= 1) err = launch<false, 1, B(), WHOLE>(D, R, P, S, red, stream);
  });
  return err;
}

} // namespace

cudaError_t launch_bdiagh_single(const Diagonals &D, FoldForm form, const RemainderRows &R, const Product &P, const FusedScalars *S, const FusedReduction &red,
                                 cudaStream_t stream)
{
  if (!D.rows) return cudaSuccess;
  if (form == FoldForm::upper) return D.ndiag == 3 ? launch_upper<3>(D, R, P, S, red, stream) : launch_upper<0>(D, R, P, S, red, stream);
  if (form == FoldForm::unit) return launch_of<false>(BdiaghTuning::SingleSizes(), D, R, P, S, red, stream);
  return launch_of<true>(BdiaghTuning::SingleWholeSizes(), D, R, P, S, red, stream);
}

} // namespace heptane
