/*
   The folded copy of a matrix in slices: its values on the host or on the device.
*/
#include "../../../device/with_block.hpp"
#include "../../../metrics/metrics.hpp"
#include "../../../pass/offers/folded_copy.hpp"
#include "fold_rows.hpp"
#include "fused.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "fold.hpp"
#endif

namespace heptane
{

namespace
{

/* FoldForm::upper is not one of ours */
bool drops(FoldForm form)
{
  return form != FoldForm::whole;
}

/* The copy has the values of the slices, stored as T; then, without diagonal blocks, SellpShape::dropped; then, if T is
   Single, the values of the rows put aside, always stored in Scalars: a copy in Scalars has no such rows */
template <class T>
struct SellpSource final : FoldSource {
  static constexpr bool single = std::is_same_v<T, Single>;
  const SellpOperands  &A;
  const SellpSlices    &S;
  const FusedScaling   &F;
  const double          bytes, flops; /* of a product with the matrix */
  const FusedOwners    &owners;

  SellpSource(const SellpOperands &operands, const FusedScaling &scaling, double product_bytes, double product_flops, const FusedOwners &arrays)
    : A(operands), S(operands.slices), F(scaling), bytes(product_bytes), flops(product_flops), owners(arrays)
  {}
  std::size_t    Values(FoldForm form) const { return (A.columns - (drops(form) ? S.slices : 0)) * S.slice * S.block * S.block; }
  std::size_t    Stored(FoldForm form) const { return in_scalars(Values(form), sizeof(T)); }
  std::uint16_t *Dropped(FoldForm form, Scalar *copy) const { return drops(form) ? reinterpret_cast<std::uint16_t *>(copy + Stored(form)) : nullptr; }
  std::size_t    RemainderOffset(FoldForm form) const { return Stored(form) + (drops(form) ? in_scalars(S.cells, sizeof(std::uint16_t)) : 0); }

  std::size_t Scalars(FoldForm form) const override { return RemainderOffset(form) + (single ? A.remainder_entries : 0); }
  int         Host(FoldForm form, Scalar *copy) const override
  {
    T *const             out     = reinterpret_cast<T *>(copy);
    std::uint16_t *const dropped = Dropped(form, copy);
    int                  found   = 0;

    with_block(S.block, [&](auto B) {
      for (int place = 0; place < S.cells; place++)
        for (int i = 0; i < S.block; i++) {
          if (F.side != FusedSide::none) found |= sellp_fold_row<B()>(S, F, place, i, out, dropped);
          else if constexpr (single) found |= sellp_round_row(S, place, i, out);
        }
    });
    fold_remainder_host(A.remainder, F, S.rows, copy + RemainderOffset(form));
    return found;
  }
#if PetscDefined(HAVE_CUDA)
  cudaError_t Launch(FoldForm form, Scalar *copy, int *note, cudaStream_t stream) const override
  {
    const MetricsPass metrics(true, [&] {
      return DeclaredPass{"scaled copy of the matrix", bytes + sizeof(Scalar) * ((double)Scalars(form) + 1.0 * F.block * S.rows)};
    });

    if constexpr (single)
      return launch_sellp_fold(S, A.remainder, F, reinterpret_cast<Single *>(copy), Dropped(form, copy), copy + RemainderOffset(form), note, stream);
    else return launch_sellp_fold(S, F, copy, Dropped(form, copy), note, stream);
  }
#endif
  double Bytes(FoldForm form) const /* of a product with the copy */
  {
    const double all = sizeof(Scalar) * (double)Values(FoldForm::whole), left = sizeof(T) * (double)Values(form);

    return bytes - all + left + (drops(form) ? sizeof(std::uint16_t) * 1.0 * S.cells : 0);
  }
  std::unique_ptr<FusedOperator> Operator(FoldForm form, Scalar *copy) const override
  {
    const double       less = drops(form) ? 1.0 * S.rows * S.block : 0;
    const FusedOwners  kept{nullptr, owners.indices};
    SellpOperandsOf<T> scaled = {};

    static_cast<SellpShape &>(scaled.slices) = S;
    scaled.slices.values                     = reinterpret_cast<const T *>(copy);
    scaled.slices.dropped                    = Dropped(form, copy);
    scaled.mix                               = A.mix;
    scaled.columns                           = A.columns;
    scaled.device                            = A.device;
    scaled.remainder                         = A.remainder;
    scaled.remainder_entries                 = A.remainder_entries;
    scaled.list                              = A.list;
    scaled.pieces                            = A.pieces;
    scaled.sums                              = A.sums;
    scaled.remainder.values = scaled.list.values = scaled.pieces.list.values = copy + RemainderOffset(form);
    return std::make_unique<std::conditional_t<single, SellpSingle, SellpFused>>(scaled, Bytes(form), flops - 2 * less, kept);
  }
};

/* The form to begin with: without the diagonal blocks every slice has a column of blocks less, so that none may be
   empty, and two bytes for each cell say which block is dropped */
FoldForm first_form(const SellpOperands &A, const FusedScaling &F)
{
  return F.side != FusedSide::none && F.block == A.slices.block && !A.remainder.mask && A.droppable ? FoldForm::unit : FoldForm::whole;
}

} // namespace

std::string SellpFused::WhyNotFold(const FusedScaling &F, FusedStored as) const
{
  if (as == FusedStored::scalar && A.remainder.mask) return "rows are stored in the remainder";
  if (F.side == FusedSide::none || F.block == 1) return "";
  if (!remainder_scales(A.remainder, F, A.slices.block)) return "point blocks, and rows of the remainder that are not whole blocks";
  return F.block != A.slices.block ? "point blocks of another size than the blocks of the slices" : "";
}

double SellpFused::FoldedBytes(const FusedScaling &F) const
{
  return SellpSource<Scalar>(A, F, MatrixBytes(), Flops(), owners).Bytes(first_form(A, F));
}

PetscErrorCode SellpFused::Fold(const FusedScaling &F, FusedStored as, std::shared_ptr<FusedFolded> *copy, FusedFoldStatus *end) const
{
  return FusedFolded::Make<SellpSource>(as, A.device, first_form(A, F), copy, end, A, F, MatrixBytes(), Flops(), owners);
}

} // namespace heptane
