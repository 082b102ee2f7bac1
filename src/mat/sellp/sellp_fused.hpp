/*
   A block in slices as the fused solvers use it.
*/
#pragma once

#include "../../pass/operator.hpp"
#include "../csr/csr_rows.hpp"
#include "../../pass/remainder_rows.hpp"
#include "sellp_rows.hpp"

namespace heptane
{

/* The slices, stored as T, and the rows put aside (by number, and as a list, whose sums of a product sums[] takes on the device) */
template <class T>
struct SellpOperandsOf {
  SellpSlicesOf<T>     slices;
  SellpMix             mix;
  std::size_t          columns; /* of blocks, in all slices */
  RemainderRows        aside;
  std::size_t          aside_entries;
  CsrRows              list;
  CsrPieces            pieces; /* on the device */
  Scalar              *sums;
  bool                 device;
  bool                 droppable; /* every slice has a column of blocks: sellp_without_dropped() */
  const std::uint16_t *diagonal;  /* see sellp_diagonal_places(); null: blocks cannot be own */
};
using SellpOperands = SellpOperandsOf<Scalar>;

class SellpFused final : public FusedOperator {
public:
  SellpFused(const SellpOperands &operands, double matrix_bytes, double product_flops, const FusedOwners &arrays)
    : A(operands), bytes(matrix_bytes), flops(product_flops), owners(arrays)
  {}
  const char *Name() const override { return "sellp"; }
  double      MatrixBytes() const override { return bytes; }
  double      Flops() const override { return flops; }
  bool        AppliesBlocks(int block) const override { return block == A.slices.block; }

  PetscErrorCode InverseBlocksAre(const Scalar *inverse, std::size_t ld, int block, int *differs, PetscBool *same) const override;
  /* sellp_fold.cxx */
  std::string    WhyNotFold(const FusedScaling &) const override;
  double         FoldedBytes(const FusedScaling &) const override;
  PetscErrorCode Fold(const FusedScaling &, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const override;
  std::string    WhyNotSingle(const FusedScaling &) const override;
  PetscErrorCode FoldSingle(const FusedScaling &, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const override;

  Stamp Signature() const override;
  void  Host(const FusedProduct &, Scalar sums[4]) const override;
#if PetscDefined(HAVE_CUDA)
  cudaError_t Launch(const FusedProduct &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override;
#endif

private:
  SellpOperands A;
  double        bytes, flops;
  FusedOwners   owners;
};

#if PetscDefined(HAVE_CUDA)
cudaError_t launch_sellp_fused(const SellpOperands &A, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);
/* A.sums of the rows put aside, before the product of the others; the values of these rows are Scalars in any case */
cudaError_t launch_sellp_aside(const SellpOperands &A, const FusedProduct &P, const FusedScalars *S, bool early, cudaStream_t stream);
cudaError_t launch_sellp_aside(const SellpOperandsOf<Single> &A, const FusedProductOf<Single> &P, const FusedScalars *S, bool early, cudaStream_t stream);
cudaError_t launch_sellp_aside(const SellpOperandsOf<Single> &A, const FusedProduct &P, const FusedScalars *S, bool early,
                               cudaStream_t stream); /* P.v is null */
/* the two below where P.halo.peers is not null */
cudaError_t launch_sellp_halo(const SellpOperands &A, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);
cudaError_t launch_sellp_folded_halo(const SellpSlices &A, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);
/* for FusedPc::scaled_unit, four sums with P.v alone; A.dropped is not null */
cudaError_t launch_sellp_folded(const SellpSlices &A, SellpMix mix, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                                cudaStream_t stream);
/* *differs = 1 unless these blocks may be FusedPc::own; A.diagonal is not null */
cudaError_t launch_sellp_compare_blocks(const SellpOperands &A, const Scalar *inverse, std::size_t ld, int *differs, cudaStream_t stream);
#endif

} // namespace heptane
