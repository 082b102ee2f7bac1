/*
   The fused product with a folded copy on the device: no preconditioner is applied.
*/
#include "bdiagh_fused_block.hpp"
#include "bdiagh_product.cuh"

namespace heptane
{

namespace
{

template <bool MINUS, int K, int B, int N, bool UPPER = false>
cudaError_t launch_for(const BdiaghDiagonals &D, const RemainderRows &R, const FusedProduct &P, FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  const bool early = bdiagh_begins_early(D);

  if (remainder_is_shared(R)) return launch_product<MINUS, K>(BdiaghUnitRows<B, N, UPPER, true>{D, {R}}, P, S, red, early, stream);
  return launch_product<MINUS, K>(BdiaghUnitRows<B, N, UPPER, false>{D, {R}}, P, S, red, early, stream);
}

template <bool MINUS, int K, int B>
cudaError_t launch(const BdiaghDiagonals &D, const RemainderRows &R, const FusedProduct &P, FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  if constexpr (B > 0)
    if (D.ndiag == 6) return launch_for<MINUS, K, B, 6>(D, R, P, S, red, stream);
  return launch_for<MINUS, K, B, 0>(D, R, P, S, red, stream);
}

} // namespace

cudaError_t launch_bdiagh_folded(const BdiaghDiagonals &D, bool upper, const RemainderRows &R, const FusedProduct &P, FusedScalars *S,
                                 const FusedReduction &red, cudaStream_t stream)
{
  cudaError_t err = cudaSuccess;

  if (!D.rows) return err;
  if (upper) return D.ndiag == 3 ? launch_for<false, 1, 1, 3, true>(D, R, P, S, red, stream) : launch_for<false, 1, 1, 0, true>(D, R, P, S, red, stream);
  with_fused_block(D.block, [&](auto B) {
    if (number_of_sums(P.finish) == 4) {
      err = P.v ? launch<true, 4, B()>(D, R, P, S, red, stream) : launch<false, 4, B()>(D, R, P, S, red, stream);
    } else err = launch<false, 1, B()>(D, R, P, S, red, stream);
  });
  return err;
}

} // namespace heptane
