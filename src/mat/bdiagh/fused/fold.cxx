/*
   The folded copy of a matrix in the block-diagonal format: its values on the host or on the device.
*/
#include "../../../device/with_block.hpp"
#include "../../../metrics/metrics.hpp"
#include "../../../pass/offers/folded_copy.hpp"
#include "fold_rows.hpp"
#include "fused.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include "fold.hpp"
#endif

namespace heptane
{

namespace
{

/* Diagonals of a copy */
int number_of_diagonals(const BdiaghOperands &A, FoldForm form)
{
  return form == FoldForm::upper ? A.main_diagonal : A.diagonals.ndiag - (form == FoldForm::unit);
}

/* The copy has the diagonals (all, all but the main one, or only the upper ones), stored as T, then the remainder,
   always stored in Scalars: it is small, and needs only one set of kernels */
template <class T>
struct BdiaghSource final : FoldSource {
  static constexpr bool  single = std::is_same_v<T, Single>;
  const BdiaghOperands  &A;
  const BdiaghDiagonals &D;
  const FusedScaling    &F;
  const double           bytes, flops; /* of a product with the matrix */
  const FusedOwners     &owners;

  BdiaghSource(const BdiaghOperands &operands, const FusedScaling &scaling, double product_bytes, double product_flops, const FusedOwners &arrays)
    : A(operands), D(operands.diagonals), F(scaling), bytes(product_bytes), flops(product_flops), owners(arrays)
  {}
  std::size_t Diagonals(FoldForm form) const { return in_scalars(number_of_diagonals(A, form) * D.ld * D.block, sizeof(T)); }
  std::size_t Scalars(FoldForm form) const override { return Diagonals(form) + A.remainder_entries; }
  int         Host(FoldForm form, Scalar *copy) const override
  {
    T *const out   = reinterpret_cast<T *>(copy);
    int      found = 0;

    if (F.side == FusedSide::none) {
      if constexpr (single)
        for (int row = 0; row < D.rows; row++) found |= bdiagh_round_row(D, row, out);
    } else if (form == FoldForm::upper) {
      for (int row = 0; row < D.rows; row++) found |= bdiagh_fold_upper_row(D, F, A.main_diagonal, row, out);
    } else
      with_block(D.block, [&](auto B) {
        for (int row = 0; row < D.rows; row++) found |= bdiagh_fold_row<B()>(D, F, bdiagh_dropped(form, A.main_diagonal), row, out);
      });
    fold_remainder_host(A.remainder, F, D.rows, copy + Diagonals(form));
    return found;
  }
#if PetscDefined(HAVE_CUDA)
  cudaError_t Launch(FoldForm form, Scalar *copy, int *note, cudaStream_t stream) const override
  {
    const MetricsPass metrics(true, [&] {
      const double values = 1.0 * D.block * (D.ndiag + (single ? 0.5 : 1) * number_of_diagonals(A, form)) * D.rows + 2. * (double)A.remainder_entries;

      return DeclaredPass{"scaled copy of the matrix", sizeof(Scalar) * (values + 1.0 * F.block * D.rows)};
    });

    return launch_bdiagh_fold(D, A.remainder, F, form, A.main_diagonal, reinterpret_cast<T *>(copy), copy + Diagonals(form), note, stream);
  }
#endif
  double Bytes(FoldForm form) const /* of a product with the copy */
  {
    const double column = 1.0 * D.rows * D.block;

    return bytes - sizeof(Scalar) * D.ndiag * column + sizeof(T) * number_of_diagonals(A, form) * column;
  }
  std::unique_ptr<FusedOperator> Operator(FoldForm form, Scalar *copy) const override
  {
    const int           number = number_of_diagonals(A, form);
    const double        work   = flops - (form == FoldForm::whole ? 0 : 2.0 * D.rows * D.block);
    const FusedOwners   kept{nullptr, owners.indices};
    BdiaghOperandsOf<T> scaled = {
      {D.rows, D.cols, D.block, number, D.ld, reinterpret_cast<const T *>(copy), {}},
      -1, form, A.remainder, A.remainder_entries, A.device
    };
    int *const offset = scaled.diagonals.offset;

    scaled.remainder.values = copy + Diagonals(form);
    std::copy(D.offset, D.offset + D.ndiag, offset);
    if (form != FoldForm::whole) std::copy(D.offset + A.main_diagonal + 1, D.offset + D.ndiag, offset + (form == FoldForm::upper ? 0 : A.main_diagonal));
    return std::make_unique<std::conditional_t<single, BdiaghSingle, BdiaghFused>>(scaled, Bytes(form), work, kept);
  }
};

/* Of the block diagonals */
std::string why_not_scaled(const BdiaghOperands &A, const FusedScaling &F)
{
  if (F.side == FusedSide::none || F.block == 1) return "";
  if (F.block != A.diagonals.block) return "point blocks of another size than the block diagonals";
  return remainder_scales(A.remainder, F, F.block) ? "" : "point blocks, and entries off the block diagonals that are not whole blocks";
}

/* The first form to try; scaling from both sides usually means a symmetric matrix */
FoldForm first_form(const BdiaghOperands &A, const FusedScaling &F)
{
  if (F.side == FusedSide::none || A.main_diagonal < 0 || F.block != A.diagonals.block) return FoldForm::whole;
  return F.side == FusedSide::both && bdiagh_in_pairs(A.diagonals, A.main_diagonal) ? FoldForm::upper : FoldForm::unit;
}

} // namespace

std::string BdiaghFused::WhyNotFold(const FusedScaling &F, FusedStored as) const
{
  if (as == FusedStored::scalar && ByMatMult()) return "products use compressed rows, which are faster than block diagonals with many zeros";
  return why_not_scaled(A, F);
}

double BdiaghFused::FoldedBytes(const FusedScaling &F) const
{
  return BdiaghSource<Scalar>(A, F, MatrixBytes(), Flops(), owners).Bytes(first_form(A, F));
}

PetscErrorCode BdiaghFused::Fold(const FusedScaling &F, FusedStored as, std::shared_ptr<FusedFolded> *copy, FusedFoldStatus *end) const
{
  return FusedFolded::Make<BdiaghSource>(as, A.device, first_form(A, F), copy, end, A, F, MatrixBytes(), Flops(), owners);
}

} // namespace heptane
