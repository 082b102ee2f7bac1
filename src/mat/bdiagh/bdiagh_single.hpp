/*
   A solver's copy of a block stored in single precision: the products of the recurrences in -ksp_fused_precision mixed, where rows are summed in single precision and scalar products in double; and
   those of smoothers, which combine vectors of Scalars and sum in these.
*/
#pragma once

#include "../../pass/operator.hpp"
#include "../../pass/remainder_rows.hpp"
#include "bdiagh_rows.hpp"

namespace heptane
{

class BdiaghSingle final : public FusedOperator {
public:
  /* whole: rem's values, which are Scalars, lie behind the diagonals */
  BdiaghSingle(const BdiaghDiagonalsOf<Single> &diagonals, FoldForm of, const RemainderRows &rem, double matrix_bytes, double product_flops,
               const FusedOwners &arrays)
    : D(diagonals), form(of), R(rem), bytes(matrix_bytes), flops(product_flops), owners(arrays)
  {}
  const char *Name() const override { return "bdiagh"; }
  double      MatrixBytes() const override { return bytes; }
  double      Flops() const override { return flops; }
  Stamp       Signature() const override;
  void        Host(const FusedProduct &, Scalar sums[4]) const override; /* it combines, and the copy is no upper one */
  void        HostSingle(const FusedProductOf<Single> &, Scalar sums[4]) const override;
#if PetscDefined(HAVE_CUDA)
  cudaError_t    Launch(const FusedProduct &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override; /* likewise */
  cudaError_t    LaunchSingle(const FusedProductOf<Single> &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override;
  PetscErrorCode PersistentSingleFits(const FusedSinglePersistent &, FusedResident *answer) const override;
  PetscErrorCode LaunchPersistentSingle(const FusedSinglePersistent &, FusedScalars *, const FusedReduction &, cudaStream_t, bool *launched) const override;
#endif

private:
  BdiaghDiagonalsOf<Single> D;
  FoldForm                  form;
  RemainderRows             R;
  double                    bytes, flops;
  FusedOwners               owners;
};

#if PetscDefined(HAVE_CUDA)
/* One sum, or four with P.v */
cudaError_t launch_bdiagh_single(const BdiaghDiagonalsOf<Single> &D, FoldForm form, const RemainderRows &R, const FusedProductOf<Single> &P,
                                 const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);
/* A product that combines, with vectors of Scalars */
cudaError_t launch_bdiagh_single_combining(const BdiaghDiagonalsOf<Single> &D, FoldForm form, const RemainderRows &R, const FusedProduct &P,
                                           const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);
/* The same where P.halo.peers is not null */
cudaError_t launch_bdiagh_single_halo(const BdiaghDiagonalsOf<Single> &D, FoldForm form, const RemainderRows &R, const FusedProductOf<Single> &P,
                                      const FusedScalars *S, const FusedReduction &red, cudaStream_t stream);
#endif

} // namespace heptane
