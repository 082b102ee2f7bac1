/*
   A block in the block-diagonal format as the fused solvers use it.
*/
#pragma once

#include "../../pass/operator.hpp"
#include "../../pass/remainder_rows.hpp"
#include "bdiagh_rows.hpp"

namespace heptane
{

class BdiaghRemainderPlans;

class BdiaghFused final : public FusedOperator {
public:
  BdiaghFused(const BdiaghDiagonals &diagonals, int main, const RemainderRows &rem, std::size_t remainder_entries, double matrix_bytes, double product_flops,
              bool on_device, const FusedOwners &arrays, bool upper_only = false, std::shared_ptr<BdiaghRemainderPlans> remainder_plans = nullptr,
              bool many_zeros = false)
    : D(diagonals), main_diagonal(main), R(rem), rem_entries(remainder_entries), bytes(matrix_bytes), flops(product_flops), device(on_device), owners(arrays),
      upper(upper_only), plans(std::move(remainder_plans)), by_rows(many_zeros)
  {}
  const char    *Name() const override { return "bdiagh"; }
  double         MatrixBytes() const override { return bytes; }
  double         Flops() const override { return flops; }
  bool           AppliesBlocks(int block) const override { return block == D.block; }
  bool           ByMatMult() const override { return by_rows; }
  PetscErrorCode InverseDiagonalIs(const Scalar *inverse, int *differs, PetscBool *same) const override;
  PetscErrorCode InverseBlocksAre(const Scalar *inverse, std::size_t ld, int block, int *differs, PetscBool *same) const override;
  /* bdiagh_fold.cxx */
  std::string    WhyNotFold(const FusedScaling &) const override;
  double         FoldedBytes(const FusedScaling &) const override;
  PetscErrorCode Fold(const FusedScaling &, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const override;

  std::string    WhyNotSingle(const FusedScaling &F) const override { return F.side == FusedSide::none ? "" : WhyNotScaled(F); }
  PetscErrorCode FoldSingle(const FusedScaling &, std::shared_ptr<FusedFolded> *copy, FusedFolding *end) const override;

  const BdiaghDiagonals &Diagonals() const { return D; }
  bool                   HasRemainder() const { return R.mask != nullptr; }

  Stamp Signature() const override;
  void  Host(const FusedProduct &, Scalar sums[4]) const override;
  bool  HasTranspose() const override { return !R.mask && !by_rows; }
  void  HostTranspose(const Scalar *x, Scalar *y) const override;
#if PetscDefined(HAVE_CUDA)
  cudaError_t    LaunchTranspose(const Scalar *x, Scalar *y, const FusedScalars *, cudaStream_t) const override;
  cudaError_t    Launch(const FusedProduct &, const FusedScalars *, const FusedReduction &, cudaStream_t) const override;
  PetscErrorCode PersistentFits(const FusedPersistent &, cudaStream_t, FusedResident *answer) const override;
  PetscErrorCode LaunchPersistent(const FusedPersistent &, FusedScalars *, const FusedReduction &, cudaStream_t, bool *launched) const override;
#endif

private:
  std::string WhyNotScaled(const FusedScaling &) const;

  BdiaghDiagonals D;
  int             main_diagonal; /* -1: not stored */
  RemainderRows   R;
  std::size_t     rem_entries;
  double          bytes, flops;
  bool            device;
  FusedOwners     owners;
  bool            upper; /* a folded copy of the upper half of a symmetric matrix: see bdiagh_symmetric_row() */

  std::shared_ptr<BdiaghRemainderPlans> plans;   /* of the remainder for persistent kernels; null: it has none */
  bool                                  by_rows; /* on the host MatMult() takes compressed rows, which are faster: BdiaghTuning::host_max_fill */
};

#if PetscDefined(HAVE_CUDA)
cudaError_t launch_bdiagh_fused(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                                const FusedReduction &red, cudaStream_t stream);
/* for FusedPc::scaled_unit, four sums with P.v alone; upper: D holds the diagonals above the main one of a symmetric matrix, and P.finish is cg_product */
cudaError_t launch_bdiagh_folded(const BdiaghDiagonals &D, bool upper, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                                 const FusedReduction &red, cudaStream_t stream);
/* the same where P.halo.peers is not null */
cudaError_t launch_bdiagh_halo(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                               const FusedReduction &red, cudaStream_t stream);
cudaError_t launch_bdiagh_folded_halo(const BdiaghDiagonals &D, bool upper, const RemainderRows &R, const FusedProduct &P, const FusedScalars *S,
                                      const FusedReduction &red, cudaStream_t stream);
/* y = A^T x unless the iteration stands still */
cudaError_t launch_bdiagh_fused_transpose(const BdiaghDiagonals &D, const Scalar *x, Scalar *y, const FusedScalars *S, cudaStream_t stream);
/* *differs (on the device, zeroed by the caller) is raised where inverse is not the inverse diagonal */
cudaError_t launch_bdiagh_compare_inverse(const BdiaghDiagonals &D, int main_diagonal, const Scalar *inverse, int *differs, cudaStream_t stream);
/* is not the inverse of the diagonal blocks up to own_blocks_tolerance */
cudaError_t launch_bdiagh_compare_blocks(const BdiaghDiagonals &D, int main_diagonal, const Scalar *inverse, std::size_t ld, int *differs, cudaStream_t stream);
#endif

} // namespace heptane
