/*
   A block in slices as the fused solvers use it.
*/
#pragma once

#include "../../../pass/offers/operator.hpp"
#include "../../../pass/remainder_rows.hpp"
#include "../../csr/rows.hpp"
#include "../format/rows.hpp"

namespace heptane
{

/* The slices, stored as T, and the rows put aside (by number, and as a list; on the device sums[] stores their sums of
   a product) */
template <class T>
struct SellpOperandsOf {
  SellpSlicesOf<T>     slices;
  SellpMix             mix;
  std::size_t          columns; /* of blocks, in all slices */
  RemainderRows        remainder;
  std::size_t          remainder_entries;
  CsrRows              list;
  CsrPieces            pieces; /* on the device */
  Scalar              *sums;
  bool                 device;
  bool                 droppable; /* every slice has a column of blocks: sellp_without_dropped() */
  const std::uint16_t *diagonal;  /* see sellp_diagonal_places(); null: blocks cannot be own */

  Stamp Signature() const;
};
using SellpOperands = SellpOperandsOf<Scalar>;

class SellpFused final : public FusedMatrix {
public:
  SellpFused(const SellpOperands &operands, double matrix_bytes, double product_flops, const FusedOwners &arrays)
    : FusedMatrix("sellp", matrix_bytes, product_flops, operands.slices.block, false), A(operands), owners(arrays)
  {}
  PetscErrorCode InverseIs(const FusedPc &, int *differs, PetscBool *same) const override;
  /* fold.cxx */
  std::string    WhyNotFold(const FusedScaling &, FusedStored) const override;
  double         FoldedBytes(const FusedScaling &) const override;
  PetscErrorCode Fold(const FusedScaling &, FusedStored, std::shared_ptr<FusedFolded> *copy, FusedFoldStatus *end) const override;

  using FusedMatrix::Host; /* this and that below: of Single too, which it has not */
  Stamp Signature() const override { return A.Signature(); }
  void  Host(const FusedProduct &, Scalar sums[4]) const override;
#if PetscDefined(HAVE_CUDA)
  using FusedMatrix::Launch;
  cudaError_t Launch(const FusedProduct &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override;
#endif

private:
  SellpOperands A;
  FusedOwners   owners;
};

/*
   A solver's copy stored in single precision: for products of the recurrences in -ksp_fused_precision mixed, and for
   products of smoothers, which combine vectors of Scalars. Arithmetic and sums are in double precision.
*/
class SellpSingle final : public FusedOperator {
public:
  /* The values of the rows put aside are Scalars */
  SellpSingle(const SellpOperandsOf<Single> &operands, double matrix_bytes, double product_flops, const FusedOwners &arrays)
    : FusedOperator("sellp", matrix_bytes, product_flops), A(operands), owners(arrays)
  {}
  Stamp Signature() const override { return A.Signature(); }
  void  Host(const FusedProduct &, Scalar sums[4]) const override; /* it combines */
  void  Host(const FusedProductOf<Single> &, Scalar sums[4]) const override;
#if PetscDefined(HAVE_CUDA)
  cudaError_t Launch(const FusedProduct &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override; /* likewise */
  cudaError_t Launch(const FusedProductOf<Single> &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override;
#endif

private:
  SellpOperandsOf<Single> A;
  FusedOwners             owners;
};

#if PetscDefined(HAVE_CUDA)
cudaError_t launch_sellp_fused(const SellpOperands &A, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);
/* A.sums of the rows put aside, before the product of the other rows; the values of these rows are always Scalars */
cudaError_t launch_sellp_remainder(const SellpOperands &A, const FusedProduct &P, const FusedScalars *S, bool early, cudaStream_t stream);
cudaError_t launch_sellp_remainder(const SellpOperandsOf<Single> &A, const FusedProductOf<Single> &P, const FusedScalars *S, bool early, cudaStream_t stream);
cudaError_t launch_sellp_remainder(const SellpOperandsOf<Single> &A, const FusedProduct &P, const FusedScalars *S, bool early,
                                   cudaStream_t stream); /* P.v is null */
/* the two below if P.halo.peers is not null */
cudaError_t launch_sellp_halo(const SellpOperands &A, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);
cudaError_t launch_sellp_folded_halo(const SellpSlices &A, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);
/* for FusedPc::scaled_unit, four sums only with P.v; A.dropped is not null */
cudaError_t launch_sellp_folded(const SellpSlices &A, SellpMix mix, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                                cudaStream_t stream);
/* *differs = 1 unless these blocks may be FusedPc::matrix_diagonal; A.diagonal is not null */
cudaError_t launch_sellp_compare_blocks(const SellpOperands &A, const Scalar *inverse, std::size_t ld, int *differs, cudaStream_t stream);
#endif

} // namespace heptane
