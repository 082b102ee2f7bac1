/*
   The folded copy of a matrix in the block-diagonal format: its values on the host or on the device.
*/
#include "../../metrics/metrics.hpp"
#include "../../pass/folded_copy.hpp"
#include "../../device/with_block.hpp"
#include "bdiagh_fold_rows.hpp"
#include "bdiagh_fused.hpp"
#include "bdiagh_single.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include "bdiagh_fold.hpp"
#endif

namespace heptane
{

namespace
{

/* The copy has the diagonals, all, those beside the main one or those above it, then the remainder, which is stored in Scalars in any case: it is little, and its kernels stay one */
struct BdiaghSource final : FoldSource {
  const BdiaghDiagonals &D;
  const int              main_diagonal;
  const RemainderRows   &R;
  const std::size_t      entries; /* of the remainder */
  const FusedScaling    &F;
  const double           bytes, flops; /* of a product with the matrix */
  const bool             device;
  const FusedOwners     &owners;
  const bool             single; /* diagonals stored as Single */

  BdiaghSource(const BdiaghDiagonals &diagonals, int main, const RemainderRows &remainder, std::size_t remainder_entries, const FusedScaling &scaling,
               double product_bytes, double product_flops, bool on_device, const FusedOwners &arrays, bool in_single = false)
    : D(diagonals), main_diagonal(main), R(remainder), entries(remainder_entries), F(scaling), bytes(product_bytes), flops(product_flops), device(on_device),
      owners(arrays), single(in_single)
  {}
  int         Number(FoldForm form) const { return form == FoldForm::upper ? main_diagonal : form == FoldForm::unit ? D.ndiag - 1 : D.ndiag; }
  std::size_t Diagonals(FoldForm form) const /* Scalars */
  {
    const std::size_t numbers = Number(form) * D.ld * D.block;

    return single ? (numbers * sizeof(Single) + sizeof(Scalar) - 1) / sizeof(Scalar) : numbers;
  }
  std::size_t Scalars(FoldForm form) const override { return Diagonals(form) + entries; }
  template <class Out>
  int Scale(FoldForm form, Out *copy) const
  {
    int found = 0;

    if (form == FoldForm::upper) {
      for (int row = 0; row < D.rows; row++) found |= bdiagh_fold_upper_row(D, F, main_diagonal, row, copy);
    } else
      with_block(D.block, [&](auto B) {
        for (int row = 0; row < D.rows; row++) found |= bdiagh_fold_row<B()>(D, F, bdiagh_dropped(form, main_diagonal), row, copy);
      });
    return found;
  }
  int Round(Single *copy) const
  {
    int found = 0;

    for (int row = 0; row < D.rows; row++) found |= bdiagh_round_row(D, row, copy);
    return found;
  }
  int Host(FoldForm form, Scalar *copy) const override
  {
    const bool plain     = F.side == FusedSide::none;
    Single    *in_single = reinterpret_cast<Single *>(copy);
    const int  found     = plain ? Round(in_single) : single ? Scale(form, in_single) : Scale(form, copy);

    for (int row = 0; R.mask && row < D.rows; row++) {
      if (plain) copy_remainder_row(R, row, copy + Diagonals(form));
      else fold_remainder_row<0>(R, F, row, copy + Diagonals(form));
    }
    return found;
  }
#if PetscDefined(HAVE_CUDA)
  cudaError_t Launch(FoldForm form, Scalar *copy, int *note, cudaStream_t stream) const override
  {
    const MetricsPass metrics(true, [&] {
      const double values = 1.0 * D.block * (D.ndiag + (single ? 0.5 : 1) * Number(form)) * D.rows + 2. * (double)entries;

      return DeclaredPass{"scaled copy of the matrix", sizeof(Scalar) * (values + 1.0 * F.block * D.rows)};
    });

    Scalar *const remainder = copy + Diagonals(form);
    if (single) return launch_bdiagh_fold(D, R, F, form, main_diagonal, reinterpret_cast<Single *>(copy), remainder, note, stream);
    return launch_bdiagh_fold(D, R, F, form, main_diagonal, copy, remainder, note, stream);
  }
#endif
  std::unique_ptr<FusedOperator> Operator(FoldForm form, Scalar *copy) const override
  {
    const bool        upper  = form == FoldForm::upper;
    const double      column = 1.0 * D.rows * D.block, less = (D.ndiag - Number(form)) * column, work = flops - (form == FoldForm::whole ? 0 : 2 * column);
    const FusedOwners kept{nullptr, owners.indices};
    RemainderRows     rem = R;

    rem.values = copy + Diagonals(form);
    if (single)
      return std::make_unique<BdiaghSingle>(Copied(form, reinterpret_cast<const Single *>(copy)), form, rem,
                                            bytes - sizeof(Scalar) * D.ndiag * column + sizeof(Single) * Number(form) * column, work, kept);
    return std::make_unique<BdiaghFused>(Copied(form, copy), -1, rem, entries, bytes - sizeof(Scalar) * less, work, device, kept, upper);
  }

private:
  template <class T>
  BdiaghDiagonalsOf<T> Copied(FoldForm form, const T *copy) const
  {
    BdiaghDiagonalsOf<T> A = {D.rows, D.cols, D.block, Number(form), D.ld, copy, {}};

    std::copy(D.offset, D.offset + D.ndiag, A.offset);
    if (form != FoldForm::whole) std::copy(D.offset + main_diagonal + 1, D.offset + D.ndiag, A.offset + (form == FoldForm::upper ? 0 : main_diagonal));
    return A;
  }
};

} // namespace

std::string BdiaghFused::WhyNotFold(const FusedScaling &F) const
{
  return by_rows ? "products take compressed rows, which are faster than block diagonals with so many zeros" : WhyNotScaled(F);
}

/* Of the block diagonals */
std::string BdiaghFused::WhyNotScaled(const FusedScaling &F) const
{
  if (F.block == 1) return "";
  if (F.block != D.block) return "point blocks of another size than those of the block diagonals";
  return remainder_scales(R, F, D.block) ? "" : "point blocks, and entries off the block diagonals that are not whole blocks";
}

/* The form to begin with; who scales from both sides has a symmetric matrix, as a rule */
static FoldForm first_form(const BdiaghDiagonals &D, int main_diagonal, const FusedScaling &F)
{
  if (main_diagonal < 0 || F.block != D.block || F.rounded)
    return FoldForm::whole; /* rounded inverses: what they make of the diagonal blocks is not exactly the unit matrix */
  return F.side == FusedSide::both && bdiagh_in_pairs(D, main_diagonal) ? FoldForm::upper : FoldForm::unit;
}

double BdiaghFused::FoldedBytes(const FusedScaling &F) const
{
  const BdiaghSource source(D, main_diagonal, R, rem_entries, F, bytes, flops, device, owners);

  return bytes - sizeof(Scalar) * 1.0 * (D.ndiag - source.Number(first_form(D, main_diagonal, F))) * D.rows * D.block;
}

PetscErrorCode BdiaghFused::Fold(const FusedScaling &F, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const
{
  const BdiaghSource source(D, main_diagonal, R, rem_entries, F, bytes, flops, device, owners);

  PetscFunctionBegin;
  PetscCall(FoldedCopy::Make(source, device, first_form(D, main_diagonal, F), copy, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghFused::FoldSingle(const FusedScaling &F, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const
{
  const BdiaghSource source(D, main_diagonal, R, rem_entries, F, bytes, flops, device, owners, true);
  const FoldForm     first = F.side == FusedSide::none ? FoldForm::whole : first_form(D, main_diagonal, F);

  PetscFunctionBegin;
  PetscCall(FoldedCopy::Make(source, device, first, copy, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
