/*
   The fused product with a folded copy on the device: no preconditioner is applied.
*/
#include "product.cuh"

namespace heptane
{

namespace
{

template <int B, int N, bool SHARE, bool UPPER = false>
using Rows = BdiaghUnitRows<B, N, UPPER, SHARE>;

/* Rows whose remainder is shared, of blocks: the number of diagonals is not known to the compiler */
template <bool MINUS, int K, int B>
cudaError_t launch(const BdiaghDiagonals &D, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                   cudaStream_t stream)
{
  const bool early = bdiagh_begins_early(D), share = remainder_is_shared(R), six = D.ndiag == 6;

  if constexpr (B > BdiaghTuning::few_kernels_from) {
    if (!share && six) return launch_product<MINUS, K>(Rows<B, 6, false>{D, {R}}, P, S, red, early, stream);
    return launch_product<MINUS, K>(Rows<0, 0, true>{D, {R}}, P, S, red, early, stream);
  } else {
    if constexpr (B == 1)
      if (share && six) return launch_product<MINUS, K>(Rows<B, 6, true>{D, {R}}, P, S, red, early, stream);
    if (share) return launch_product<MINUS, K>(Rows<B, 0, true>{D, {R}}, P, S, red, early, stream);
    if constexpr (B > 0)
      if (six) return launch_product<MINUS, K>(Rows<B, 6, false>{D, {R}}, P, S, red, early, stream);
    return launch_product<MINUS, K>(Rows<B, 0, false>{D, {R}}, P, S, red, early, stream);
  }
}

template <int N>
cudaError_t launch_upper(const BdiaghDiagonals &D, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                         cudaStream_t stream)
{
  const bool early = bdiagh_begins_early(D);

  if (remainder_is_shared(R)) return launch_product<false, 1>(Rows<1, N, true, true>{D, {R}}, P, S, red, early, stream);
  return launch_product<false, 1>(Rows<1, N, false, true>{D, {R}}, P, S, red, early, stream);
}

} // namespace

cudaError_t launch_bdiagh_folded(const BdiaghDiagonals &D, bool upper, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                                 const FusedReduction &red, cudaStream_t stream)
{
  cudaError_t err = cudaSuccess;

  if (!D.rows) return err;
  if (upper) return D.ndiag == 3 ? launch_upper<3>(D, R, P, S, red, stream) : launch_upper<0>(D, R, P, S, red, stream);
  if (number_of(P.sums) > 1 && !P.v) return cudaErrorNotSupported;
  with_block_of(BdiaghTuning::FoldedSizes(), D.block,
                [&](auto B) { err = P.v ? launch<true, 4, B()>(D, R, P, S, red, stream) : launch<false, 1, B()>(D, R, P, S, red, stream); });
  return err;
}

} // namespace heptane
