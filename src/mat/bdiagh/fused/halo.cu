/*
   The fused product of the block-diagonal format on the device, of a matrix with rows on other GPUs. Fewer kernels than
   for one GPU: for each size of BdiaghTuning::HaloSizes one for seven diagonals whose remainder is not shared, and one
   for all other matrices; one for all other sizes. With a single kernel for all block sizes a product with wells took
   1.5 times as long on two H200 as on one (b = 3).
*/
#include "../../../pass/product/product_halo.cuh"
#include "product.cuh"

namespace heptane
{

namespace
{

/* A format's rows by the number of diagonals: `all` of them stored means the main one in the middle and three on either
   side */
template <bool MINUS, int K, int B>
cudaError_t launch(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                   bool early, cudaStream_t stream)
{
  if constexpr (B > 0 && (K == 1 || MINUS))
    if (!remainder_is_shared(R) && D.ndiag == 7 && main_diagonal == 3)
      return launch_product_halo<MINUS, K>(BdiaghProductRows<B, 7, false>{D, main_diagonal, {R}}, true, P, S, red, early, stream);
  return launch_product_halo<MINUS, K>(BdiaghProductRows<B, 0, true>{D, main_diagonal, {R}}, true, P, S, red, early, stream);
}

template <bool MINUS, int K, int B>
cudaError_t launch_unit(const BdiaghDiagonals &D, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, bool early,
                        cudaStream_t stream)
{
  if constexpr (B > 0)
    if (!remainder_is_shared(R) && D.ndiag == 6)
      return launch_product_halo<MINUS, K>(BdiaghUnitRows<B, 6, false, false>{D, {R}}, true, P, S, red, early, stream);
  return launch_product_halo<MINUS, K>(BdiaghUnitRows<B, 0, false, true>{D, {R}}, true, P, S, red, early, stream);
}

} // namespace

cudaError_t launch_bdiagh_halo(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &given, const FusedProduct &P, const FusedScalars *S,
                               const FusedReduction &red, cudaStream_t stream)
{
  const RemainderRows R     = remainder_without_sums(given);
  const bool          early = bdiagh_begins_early(D);
  cudaError_t         err   = cudaSuccess;

  with_block_of(BdiaghTuning::HaloSizes(), D.block, [&](auto B) {
    if (combines(P)) err = launch<false, 0, B()>(D, main_diagonal, R, P, S, red, early, stream);
    else if (P.v) err = launch<true, 4, B()>(D, main_diagonal, R, P, S, red, early, stream);
    else if (number_of(P.sums) > 1) err = launch < false, 4, B() == 1 ? 1 : 0 > (D, main_diagonal, R, P, S, red, early, stream);
    else err = launch<false, 1, B()>(D, main_diagonal, R, P, S, red, early, stream);
  });
  return err;
}

cudaError_t launch_bdiagh_folded_halo(const BdiaghDiagonals &D, bool upper, const RemainderRows &given, const FusedProduct &P, const FusedScalars *S,
                                      const FusedReduction &red, cudaStream_t stream)
{
  const RemainderRows R     = remainder_without_sums(given);
  const bool          early = bdiagh_begins_early(D);
  cudaError_t         err   = cudaSuccess;

  if (upper && D.ndiag == 3 && !remainder_is_shared(R))
    return launch_product_halo<false, 1>(BdiaghUnitRows<1, 3, true, false>{D, {R}}, true, P, S, red, early, stream);
  if (upper && D.ndiag == 3) return launch_product_halo<false, 1>(BdiaghUnitRows<1, 3, true, true>{D, {R}}, true, P, S, red, early, stream);
  if (upper) return launch_product_halo<false, 1>(BdiaghUnitRows<1, 0, true, true>{D, {R}}, true, P, S, red, early, stream);
  if (number_of(P.sums) > 1 && !P.v) return cudaErrorNotSupported;
  with_block_of(BdiaghTuning::HaloSizes(), D.block, [&](auto B) {
    err = P.v ? launch_unit<true, 4, B()>(D, R, P, S, red, early, stream) : launch_unit<false, 1, B()>(D, R, P, S, red, early, stream);
  });
  return err;
}

} // namespace heptane
