/*
   The folded copy of a matrix in slices: its values on the host or on the device.
*/
#include "../../metrics/metrics.hpp"
#include "../../pass/folded_copy.hpp"
#include "../../device/with_block.hpp"
#include "sellp_fold_rows.hpp"
#include "sellp_fused.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "sellp_fold.hpp"
#endif

namespace heptane
{

namespace
{

/* The copy has the values of the slices, then, without diagonal blocks, SellpSlices::dropped */
struct SellpSource final : FoldSource {
  const SellpOperands &A;
  const FusedScaling  &F;
  const double         bytes, dropped_bytes, flops; /* of a product with the matrix, and bytes of one without diagonal blocks */
  const FusedOwners   &owners;

  SellpSource(const SellpOperands &operands, const FusedScaling &scaling, double product_bytes, double without, double product_flops, const FusedOwners &arrays)
    : A(operands), F(scaling), bytes(product_bytes), dropped_bytes(without), flops(product_flops), owners(arrays)
  {}
  /* FoldForm::upper is not one of ours */
  static bool drop(FoldForm form) { return form != FoldForm::whole; }
  std::size_t Values(FoldForm form) const
  {
    const SellpSlices &S = A.slices;
    return (A.columns - (drop(form) ? S.slices : 0)) * S.slice * S.block * S.block;
  }
  std::uint16_t *Dropped(FoldForm form, Scalar *copy) const { return drop(form) ? reinterpret_cast<std::uint16_t *>(copy + Values(form)) : nullptr; }

  std::size_t Scalars(FoldForm form) const override
  {
    return Values(form) + (drop(form) ? (A.slices.cells * sizeof(std::uint16_t) + sizeof(Scalar) - 1) / sizeof(Scalar) : 0);
  }
  int Host(FoldForm form, Scalar *copy) const override
  {
    int found = 0;

    with_block(A.slices.block, [&](auto B) {
      for (int place = 0; place < A.slices.cells; place++)
        for (int i = 0; i < A.slices.block; i++) found |= sellp_fold_row<B()>(A.slices, F, place, i, copy, Dropped(form, copy));
    });
    return found;
  }
#if PetscDefined(HAVE_CUDA)
  cudaError_t Launch(FoldForm form, Scalar *copy, int *note, cudaStream_t stream) const override
  {
    const MetricsPass metrics(true, [&] {
      return DeclaredPass{"scaled copy of the matrix", bytes + sizeof(Scalar) * ((double)Scalars(form) + 1.0 * F.block * A.slices.rows)};
    });

    return launch_sellp_fold(A.slices, F, copy, Dropped(form, copy), note, stream);
  }
#endif
  std::unique_ptr<FusedOperator> Operator(FoldForm form, Scalar *copy) const override
  {
    const double  less   = drop(form) ? 1.0 * A.slices.rows * A.slices.block : 0;
    SellpOperands scaled = A;

    scaled.slices.values  = copy;
    scaled.slices.dropped = Dropped(form, copy);
    scaled.diagonal       = nullptr;
    return std::make_unique<SellpFused>(scaled, drop(form) ? dropped_bytes : bytes, flops - 2 * less, FusedOwners{nullptr, owners.indices});
  }
};

} // namespace

std::string SellpFused::WhyNotFold(const FusedScaling &F) const
{
  if (A.aside.mask) return "rows are put aside";
  if (F.block != 1 && F.block != A.slices.block) return "point blocks of another size than those of the slices";
  return "";
}

/* Every slice has a column of blocks less; two bytes for each cell say which block is dropped */
double SellpFused::FoldedBytes(const FusedScaling &F) const
{
  const SellpSlices &S = A.slices;

  if (F.block != S.block) return bytes;
  return bytes - sizeof(Scalar) * 1.0 * S.slices * S.slice * S.block * S.block + sizeof(*S.dropped) * 1.0 * S.cells;
}

PetscErrorCode SellpFused::Fold(const FusedScaling &F, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const
{
  const SellpSource source(A, F, bytes, FoldedBytes(F), flops, owners);

  PetscFunctionBegin;
  PetscCall(FoldedCopy::Make(source, A.device, F.block == A.slices.block ? FoldForm::unit : FoldForm::whole, copy, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
