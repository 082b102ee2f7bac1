/*
   A block in the block-diagonal format as the fused solvers use it.
*/
#pragma once

#include "../../../pass/offers/operator.hpp"
#include "../../../pass/remainder_rows.hpp"
#include "../format/rows.hpp"

namespace heptane
{

class BdiaghRemainderPlans;

/* The diagonals, stored as T, and the remainder, whose values are Scalars */
template <class T>
struct BdiaghOperandsOf {
  BdiaghDiagonalsOf<T> diagonals;
  int                  main_diagonal; /* -1: not stored */
  FoldForm             form;          /* of a copy; upper: see bdiagh_symmetric_row() */
  RemainderRows        remainder;
  std::size_t          remainder_entries;
  bool                 device;

  Stamp Signature() const;
};
using BdiaghOperands = BdiaghOperandsOf<Scalar>;

class BdiaghFused final : public FusedMatrix {
public:
  /* plans: of the remainder for persistent kernels, null: it has none; many_zeros: on the host MatMult() uses
     compressed rows, which are faster: BdiaghTuning::host_max_fill */
  BdiaghFused(const BdiaghOperands &operands, double matrix_bytes, double product_flops, const FusedOwners &arrays,
              std::shared_ptr<BdiaghRemainderPlans> remainder_plans = nullptr, bool many_zeros = false)
    : FusedMatrix("bdiagh", matrix_bytes, product_flops, operands.diagonals.block, many_zeros), A(operands), owners(arrays), plans(std::move(remainder_plans))
  {}
  PetscErrorCode InverseIs(const FusedPc &, int *differs, PetscBool *same) const override;
  /* fold.cxx */
  std::string    WhyNotFold(const FusedScaling &, FusedStored) const override;
  double         FoldedBytes(const FusedScaling &) const override;
  PetscErrorCode Fold(const FusedScaling &, FusedStored, std::shared_ptr<FusedFolded> *copy, FusedFoldStatus *end) const override;

  const BdiaghDiagonals &Diagonals() const { return A.diagonals; }
  bool                   HasRemainder() const { return A.remainder.mask != nullptr; }

  using FusedMatrix::Host; /* this and those below: of Single too, which it has not */
  Stamp Signature() const override { return A.Signature(); }
  void  Host(const FusedProduct &, Scalar sums[4]) const override;
  bool  HasTranspose() const override { return !HasRemainder() && !ByMatMult(); }
  void  HostTranspose(const Scalar *x, Scalar *y) const override;
#if PetscDefined(HAVE_CUDA)
  using FusedMatrix::Launch;
  using FusedMatrix::LaunchPersistent;
  using FusedMatrix::PersistentFits;
  cudaError_t    LaunchTranspose(const Scalar *x, Scalar *y, const FusedScalars *, cudaStream_t) const override;
  cudaError_t    Launch(const FusedProduct &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override;
  PetscErrorCode PersistentFits(const FusedPersistent &, cudaStream_t, FusedResident *answer) const override;
  PetscErrorCode LaunchPersistent(const FusedPersistent &, FusedScalars *, const FusedReduction &, cudaStream_t, bool *launched) const override;
#endif

private:
  /* No persistent kernel supports an upper copy, or remainder entries without plans */
  bool StaysInPasses() const
  {
    return A.form == FoldForm::upper || (HasRemainder() && !plans);
  }
  BdiaghRemainderPlans *RemainderPlans() const
  {
    return HasRemainder() ? plans.get() : nullptr;
  }

  BdiaghOperands                        A;
  FusedOwners                           owners;
  std::shared_ptr<BdiaghRemainderPlans> plans;
};

/* A solver's copy stored in single precision: for products of the recurrences in -ksp_fused_precision mixed, which sum
   rows in single precision and scalar products in double; and for products of smoothers, which combine vectors of
   Scalars and sum in Scalars. */
class BdiaghSingle final : public FusedOperator {
public:
  BdiaghSingle(const BdiaghOperandsOf<Single> &operands, double matrix_bytes, double product_flops, const FusedOwners &arrays)
    : FusedOperator("bdiagh", matrix_bytes, product_flops), A(operands), owners(arrays)
  {}
  Stamp Signature() const override { return A.Signature(); }
  void  Host(const FusedProduct &, Scalar sums[4]) const override; /* it combines, and the copy is no upper one */
  void  Host(const FusedProductOf<Single> &, Scalar sums[4]) const override;
#if PetscDefined(HAVE_CUDA)
  using FusedOperator::LaunchPersistent; /* and below: of Scalar too, which it has not */
  using FusedOperator::PersistentFits;
  cudaError_t    Launch(const FusedProduct &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override; /* likewise */
  cudaError_t    Launch(const FusedProductOf<Single> &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override;
  PetscErrorCode PersistentFits(const FusedSinglePersistent &, cudaStream_t, FusedResident *answer) const override;
  PetscErrorCode LaunchPersistent(const FusedSinglePersistent &, FusedScalars *, const FusedReduction &, cudaStream_t, bool *launched) const override;
#endif

private:
  BdiaghOperandsOf<Single> A;
  FusedOwners              owners;
};

#if PetscDefined(HAVE_CUDA)
cudaError_t launch_bdiagh_fused(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                                const FusedReduction &red, cudaStream_t stream);
/* for FusedPc::scaled_unit, four sums only with P.v; upper: D holds the diagonals above the main one of a symmetric
   matrix, and P.finish is cg_product */
cudaError_t launch_bdiagh_folded(const BdiaghDiagonals &D, bool upper, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                                 const FusedReduction &red, cudaStream_t stream);
/* the same if P.halo.peers is not null */
cudaError_t launch_bdiagh_halo(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                               const FusedReduction &red, cudaStream_t stream);
cudaError_t launch_bdiagh_folded_halo(const BdiaghDiagonals &D, bool upper, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                                      const FusedReduction &red, cudaStream_t stream);
/* y = A^T x unless the iteration has stopped */
cudaError_t launch_bdiagh_fused_transpose(const BdiaghDiagonals &D, const Scalar *x, Scalar *y, const FusedScalars *S, cudaStream_t stream);
/* *differs (on the device, zeroed by the caller) is set if inverse is not the inverse diagonal */
cudaError_t launch_bdiagh_compare_inverse(const BdiaghDiagonals &D, int main_diagonal, const Scalar *inverse, int *differs, cudaStream_t stream);
/* is not the inverse of the diagonal blocks up to block_inverse_tolerance */
cudaError_t launch_bdiagh_compare_blocks(const BdiaghDiagonals &D, int main_diagonal, const Scalar *inverse, std::size_t ld, int *differs, cudaStream_t stream);
#endif

} // namespace heptane
