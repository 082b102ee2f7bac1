/*
   The folded copy of a matrix in the block-diagonal format: its values on the host or on the device.
*/
#include "../aij/folded_copy.hpp"
#include "../aij/with_block.hpp"
#include "bdiagh_fold_rows.hpp"
#include "bdiagh_fused.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include "bdiagh_fold.hpp"
#endif

namespace heptane
{

namespace
{

/* The copy has the diagonals, without the main one or with all of them, then the remainder */
struct BdiaghSource final : FoldSource {
  const BdiaghDiagonals &D;
  const int              main_diagonal;
  const RemainderRows   &R;
  const std::size_t      entries; /* of the remainder */
  const FusedScaling    &F;
  const double           bytes, flops; /* of a product with the matrix */
  const bool             device;

  BdiaghSource(const BdiaghDiagonals &diagonals, int main, const RemainderRows &remainder, std::size_t remainder_entries, const FusedScaling &scaling,
               double product_bytes, double product_flops, bool on_device)
    : D(diagonals), main_diagonal(main), R(remainder), entries(remainder_entries), F(scaling), bytes(product_bytes), flops(product_flops), device(on_device)
  {}
  std::size_t Diagonals(bool drop) const { return (D.ndiag - drop) * D.ld * D.block; } /* scalars */
  std::size_t Scalars(bool drop) const override { return Diagonals(drop) + entries; }
  int         Host(bool drop, Scalar *copy) const override
  {
    int found = 0;

    with_block(D.block, [&](auto B) {
      for (int row = 0; row < D.rows; row++) found |= bdiagh_fold_row<B()>(D, F, drop ? main_diagonal : -1, row, copy);
    });
    if (R.mask)
      for (int row = 0; row < D.rows; row++) fold_remainder_row(R, F, row, copy + Diagonals(drop));
    return found;
  }
#if PetscDefined(HAVE_CUDA)
  cudaError_t Launch(bool drop, Scalar *copy, int *note, cudaStream_t stream) const override
  {
    return launch_bdiagh_fold(D, R, F, drop ? main_diagonal : -1, copy, copy + Diagonals(drop), note, stream);
  }
#endif
  std::unique_ptr<FusedOperator> Operator(bool dropped, Scalar *copy) const override
  {
    const double    less   = dropped ? 1.0 * D.rows * D.block : 0;
    BdiaghDiagonals scaled = D;
    RemainderRows   rem    = R;

    scaled.ndiag -= dropped;
    if (dropped) std::copy(D.offset + main_diagonal + 1, D.offset + D.ndiag, scaled.offset + main_diagonal);
    scaled.values = copy;
    rem.values    = copy + Diagonals(dropped);
    return std::make_unique<BdiaghFused>(scaled, -1, rem, entries, bytes - sizeof(Scalar) * less, flops - 2 * less, device);
  }
};

} // namespace

std::string BdiaghFused::WhyNotFold(const FusedScaling &F) const
{
  if (F.block == 1) return "";
  if (F.block != D.block) return "point blocks of another size than those of the block diagonals";
  if (R.mask) return "point blocks, and entries off the block diagonals";
  return "";
}

double BdiaghFused::FoldedBytes(const FusedScaling &F) const
{
  return bytes - (main_diagonal >= 0 && F.block == D.block ? sizeof(Scalar) * 1.0 * D.rows * D.block : 0);
}

PetscErrorCode BdiaghFused::Fold(const FusedScaling &F, std::unique_ptr<FusedFolded> *copy, FusedFolding *end) const
{
  const BdiaghSource source(D, main_diagonal, R, rem_entries, F, bytes, flops, device);

  PetscFunctionBegin;
  PetscCall(FoldedCopy::Make(source, device, main_diagonal >= 0 && F.block == D.block, copy, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
