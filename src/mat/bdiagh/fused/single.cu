/*
   The fused product with a copy in single precision on the device, without preconditioner. On seven-point grids a
   thread sums four rows in single precision. Matrices with a remainder or other diagonals, and products that combine
   vectors of Scalars, use the general kernel.
*/
#include "product.cuh"
#include "single.cuh"
#include "single.hpp"

namespace heptane
{

namespace
{

using Diagonals = BdiaghDiagonalsOf<Single>;
using Product   = FusedProductOf<Single>;

/* For any number of diagonals, whose remainder is shared, if there is any */
template <int B, bool UPPER = false, bool WHOLE = false>
using Rows = BdiaghUnitRows<B, 0, UPPER, true, Single, WHOLE>;

/* The same for vectors of Scalars; N: number of diagonals, or 0 for any number */
template <int B, int N, bool WHOLE>
struct ScalarRows : BdiaghUnitRows<B, N, false, true, Single, WHOLE> {
  using Stored = Scalar;
};

template <int B, int N, bool WHOLE>
cudaError_t launch_combining(const Diagonals &D, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                             cudaStream_t stream)
{
  ScalarRows<B, N, WHOLE> rows;

  rows.A           = D;
  rows.remainder.R = R;
  return launch_product<false, 0>(rows, P, S, red, bdiagh_begins_early(D), stream);
}

template <bool MINUS, int K, int B, bool WHOLE>
cudaError_t launch(const Diagonals &D, const RemainderRows &R, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  constexpr int N     = WHOLE ? 7 : 6;
  const bool    early = bdiagh_begins_early(D);

  if (!R.mask && D.ndiag == N) {
    if constexpr (B > 1) return launch_bdiagh_quads<BdiaghSingleForm<B, N, false, WHOLE, false>, MINUS, K>(D, P, S, red, early, stream);
    if constexpr (B == 1)
      if (bdiagh_next_to_main(D, N / 2 - 1, (N + 1) / 2)) {
        if (bdiagh_are_shifted(D)) return launch_bdiagh_quads<BdiaghSingleForm<1, N, false, WHOLE, true>, MINUS, K>(D, P, S, red, early, stream);
        return launch_bdiagh_quads<BdiaghSingleForm<1, N, false, WHOLE, false>, MINUS, K>(D, P, S, red, early, stream);
      }
  }
  return launch_product<MINUS, K>(Rows<B, false, WHOLE>{D, {R}}, P, S, red, early, stream);
}

cudaError_t launch_upper(const Diagonals &D, const RemainderRows &R, const Product &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream)
{
  const bool early = bdiagh_begins_early(D);

  if (!R.mask && D.ndiag == 3 && bdiagh_next_to_main(D, -1, 0)) {
    if (bdiagh_are_shifted(D)) return launch_bdiagh_quads<BdiaghSingleForm<1, 3, true, false, true>, false, 1>(D, P, S, red, early, stream);
    return launch_bdiagh_quads<BdiaghSingleForm<1, 3, true, false, false>, false, 1>(D, P, S, red, early, stream);
  }
  return launch_product<false, 1>(Rows<1, true>{D, {R}}, P, S, red, early, stream);
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

cudaError_t launch_bdiagh_single_combining(const Diagonals &D, FoldForm form, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                                           const FusedReduction &red, cudaStream_t stream)
{
  cudaError_t err = cudaErrorNotSupported;

  if (!D.rows) return cudaSuccess;
  if (!combines(P) || form == FoldForm::upper) return err;
  if (form == FoldForm::whole)
    with_block_of(BdiaghTuning::SingleWholeSizes(), D.block, [&](auto B) { err = launch_combining<B(), 0, true>(D, R, P, S, red, stream); });
  else
    with_block_of(BdiaghTuning::SingleSizes(), D.block, [&](auto B) {
      constexpr int six = B() > 0 ? 6 : 0;

      err = D.ndiag == six ? launch_combining<B(), six, false>(D, R, P, S, red, stream) : launch_combining<B(), 0, false>(D, R, P, S, red, stream);
    });
  return err;
}

cudaError_t launch_bdiagh_single(const Diagonals &D, FoldForm form, const RemainderRows &R, const Product &P, const FusedScalars *S, const FusedReduction &red,
                                 cudaStream_t stream)
{
  if (!D.rows) return cudaSuccess;
  if (form == FoldForm::upper) return launch_upper(D, R, P, S, red, stream);
  if (form == FoldForm::unit) return launch_of<false>(BdiaghTuning::SingleSizes(), D, R, P, S, red, stream);
  return launch_of<true>(BdiaghTuning::SingleWholeSizes(), D, R, P, S, red, stream);
}

} // namespace heptane
