/*
   The folded copy of a matrix in slices: its values on the host or on the device.
*/
#include "../../metrics/metrics.hpp"
#include "../../pass/folded_copy.hpp"
#include "../../device/with_block.hpp"
#include "sellp_fold_rows.hpp"
#include "sellp_single.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "sellp_fold.hpp"
#endif

namespace heptane
{

namespace
{

/* The copy has the values of the slices, then, without diagonal blocks, SellpShape::dropped, then, of a single one, those of the rows put aside, which are stored in Scalars in any case */
struct SellpSource final : FoldSource {
  const SellpOperands &A;
  const FusedScaling  &F;
  const double         bytes, flops; /* of a product with the matrix */
  const FusedOwners   &owners;
  const bool           single; /* slices stored as Single */

  SellpSource(const SellpOperands &operands, const FusedScaling &scaling, double product_bytes, double product_flops, const FusedOwners &arrays,
              bool in_single = false)
    : A(operands), F(scaling), bytes(product_bytes), flops(product_flops), owners(arrays), single(in_single)
  {}
  /* FoldForm::upper is not one of ours */
  static bool drop(FoldForm form) { return form != FoldForm::whole; }
  std::size_t Values(FoldForm form) const
  {
    const SellpSlices &S = A.slices;
    return (A.columns - (drop(form) ? S.slices : 0)) * S.slice * S.block * S.block;
  }
  std::size_t    Stored(FoldForm form) const { return in_scalars(Values(form), single ? sizeof(Single) : sizeof(Scalar)); } /* Scalars */
  std::size_t    Dropping(FoldForm form) const { return drop(form) ? in_scalars(A.slices.cells, sizeof(std::uint16_t)) : 0; }
  std::uint16_t *Dropped(FoldForm form, Scalar *copy) const { return drop(form) ? reinterpret_cast<std::uint16_t *>(copy + Stored(form)) : nullptr; }
  Scalar        *Aside(FoldForm form, Scalar *copy) const { return copy + Stored(form) + Dropping(form); }

  std::size_t Scalars(FoldForm form) const override { return Stored(form) + Dropping(form) + (single ? A.aside_entries : 0); }
  template <class Out>
  int Scale(FoldForm form, Out *values, Scalar *copy) const
  {
    int found = 0;

    with_block(A.slices.block, [&](auto B) {
      for (int place = 0; place < A.slices.cells; place++)
        for (int i = 0; i < A.slices.block; i++) found |= sellp_fold_row<B()>(A.slices, F, place, i, values, Dropped(form, copy));
    });
    return found;
  }
  int Round(Single *values) const
  {
    int found = 0;

    for (int place = 0; place < A.slices.cells; place++)
      for (int i = 0; i < A.slices.block; i++) found |= sellp_round_row(A.slices, place, i, values);
    return found;
  }
  int Host(FoldForm form, Scalar *copy) const override
  {
    const bool plain = F.side == FusedSide::none;
    const int  found = plain ? Round(reinterpret_cast<Single *>(copy)) : single ? Scale(form, reinterpret_cast<Single *>(copy), copy) : Scale(form, copy, copy);

    for (int row = 0; A.aside.mask && row < A.slices.rows; row++) {
      if (plain) copy_remainder_row(A.aside, row, Aside(form, copy));
      else fold_remainder_row<0>(A.aside, F, row, Aside(form, copy));
    }
    return found;
  }
#if PetscDefined(HAVE_CUDA)
  cudaError_t Launch(FoldForm form, Scalar *copy, int *note, cudaStream_t stream) const override
  {
    const MetricsPass metrics(true, [&] {
      return DeclaredPass{"scaled copy of the matrix", bytes + sizeof(Scalar) * ((double)Scalars(form) + 1.0 * F.block * A.slices.rows)};
    });

    if (!single) return launch_sellp_fold(A.slices, F, copy, Dropped(form, copy), note, stream);
    return launch_sellp_fold(A.slices, A.aside, F, reinterpret_cast<Single *>(copy), Dropped(form, copy), Aside(form, copy), note, stream);
  }
#endif
  double Bytes(FoldForm form) const /* of a product with the copy */
  {
    const double all = sizeof(Scalar) * (double)Values(FoldForm::whole), left = (single ? sizeof(Single) : sizeof(Scalar)) * (double)Values(form);

    return bytes - all + left + (drop(form) ? sizeof(std::uint16_t) * 1.0 * A.slices.cells : 0);
  }
  std::unique_ptr<FusedOperator> Operator(FoldForm form, Scalar *copy) const override
  {
    const double      less = drop(form) ? 1.0 * A.slices.rows * A.slices.block : 0;
    const FusedOwners kept{nullptr, owners.indices};

    if (single) return std::make_unique<SellpSingle>(Copied(form, reinterpret_cast<const Single *>(copy), copy), Bytes(form), flops - 2 * less, kept);
    return std::make_unique<SellpFused>(Copied(form, copy, copy), Bytes(form), flops - 2 * less, kept);
  }

private:
  static std::size_t in_scalars(std::size_t n, std::size_t size)
  {
    return (n * size + sizeof(Scalar) - 1) / sizeof(Scalar);
  }
  template <class T>
  SellpOperandsOf<T> Copied(FoldForm form, const T *values, Scalar *copy) const
  {
    SellpOperandsOf<T> scaled = {};

    static_cast<SellpShape &>(scaled.slices) = A.slices;
    scaled.slices.values                     = values;
    scaled.slices.dropped                    = Dropped(form, copy);
    scaled.mix                               = A.mix;
    scaled.columns                           = A.columns;
    scaled.device                            = A.device;
    scaled.aside                             = A.aside;
    scaled.aside_entries                     = A.aside_entries;
    scaled.list                              = A.list;
    scaled.pieces                            = A.pieces;
    scaled.sums                              = A.sums;
    scaled.aside.values = scaled.list.values = scaled.pieces.list.values = Aside(form, copy);
    return scaled;
  }
};

} // namespace

static std::string why_not_by_blocks(const FusedScaling &F, const SellpOperands &A)
{
  return F.block != 1 && F.block != A.slices.block ? "point blocks of another size than those of the slices" : "";
}

std::string SellpFused::WhyNotFold(const FusedScaling &F) const
{
  return A.aside.mask ? "rows are put aside" : why_not_by_blocks(F, A);
}

std::string SellpFused::WhyNotSingle(const FusedScaling &F) const
{
  if (F.side == FusedSide::none || F.block == 1) return "";
  if (!remainder_scales(A.aside, F, A.slices.block)) return "point blocks, and rows are put aside that are not whole blocks";
  return why_not_by_blocks(F, A);
}

/* The form to begin with: without the diagonal blocks every slice has a column of blocks less, so that none may be empty, and two bytes for each cell say which block is dropped */
static FoldForm first_form(const SellpOperands &A, const FusedScaling &F)
{
  return F.side != FusedSide::none && F.block == A.slices.block && !F.rounded && !A.aside.mask && A.droppable ? FoldForm::unit : FoldForm::whole;
}

double SellpFused::FoldedBytes(const FusedScaling &F) const
{
  return SellpSource(A, F, bytes, flops, owners).Bytes(first_form(A, F));
}

PetscErrorCode SellpFused::Fold(const FusedScaling &F, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const
{
  const SellpSource source(A, F, bytes, flops, owners);

  PetscFunctionBegin;
  PetscCall(FoldedCopy::Make(source, A.device, first_form(A, F), copy, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpFused::FoldSingle(const FusedScaling &F, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const
{
  const SellpSource source(A, F, bytes, flops, owners, true);

  PetscFunctionBegin;
  PetscCall(FoldedCopy::Make(source, A.device, first_form(A, F), copy, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
