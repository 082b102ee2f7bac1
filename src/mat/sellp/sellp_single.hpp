/*
   A solver's copy of slices stored in single precision: the products of the recurrences in -ksp_fused_precision mixed, and those of smoothers, which combine vectors of Scalars. Arithmetic and sums are
   in double precision.
*/
#pragma once

#include "sellp_fused.hpp"

namespace heptane
{

class SellpSingle final : public FusedOperator {
public:
  /* The values of the rows put aside are Scalars */
  SellpSingle(const SellpOperandsOf<Single> &operands, double matrix_bytes, double product_flops, const FusedOwners &arrays)
    : A(operands), bytes(matrix_bytes), flops(product_flops), owners(arrays)
  {}
  const char *Name() const override { return "sellp"; }
  double      MatrixBytes() const override { return bytes; }
  double      Flops() const override { return flops; }
  Stamp       Signature() const override;
  void        Host(const FusedProduct &, Scalar sums[4]) const override; /* it combines */
  void        HostSingle(const FusedProductOf<Single> &, Scalar sums[4]) const override;
#if PetscDefined(HAVE_CUDA)
  cudaError_t Launch(const FusedProduct &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override; /* likewise */
  cudaError_t LaunchSingle(const FusedProductOf<Single> &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override;
#endif

private:
  SellpOperandsOf<Single> A;
  double                  bytes, flops;
  FusedOwners             owners;
};

#if PetscDefined(HAVE_CUDA)
/* One sum, or four with P.v */
cudaError_t launch_sellp_single(const SellpOperandsOf<Single> &O, const FusedProductOf<Single> &P, const FusedScalars *S, const FusedReduction &red,
                                cudaStream_t stream);
/* A product that combines, with vectors of Scalars */
cudaError_t launch_sellp_single_combining(const SellpOperandsOf<Single> &O, const FusedProduct &P, const FusedScalars *S, const FusedReduction &red,
                                          cudaStream_t stream);
/* The same where P.halo.peers is not null */
cudaError_t launch_sellp_single_halo(const SellpOperandsOf<Single> &O, const FusedProductOf<Single> &P, const FusedScalars *S, const FusedReduction &red,
                                     cudaStream_t stream);
#endif

} // namespace heptane
