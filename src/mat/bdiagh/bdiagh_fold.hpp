/*
   A copy of a block in the block-diagonal format that has a preconditioner in it, for the fused solvers.
*/
#pragma once

#include "bdiagh_fused.hpp"

namespace heptane
{

class BdiaghFolded final : public FusedFolded {
public:
  explicit BdiaghFolded(bool on_device) : device(on_device) {}
  ~BdiaghFolded() override;

  /* D, main_diagonal, R (with so many entries): of the matrix, `product` of which moves matrix_bytes and takes product_flops */
  PetscErrorCode Fill(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &R, std::size_t entries, double matrix_bytes, double product_flops,
                      const FusedScaling &, FusedFolding *end);
  bool           OnDevice() const { return device; }
  static bool    MayBeHalf(const BdiaghDiagonals &D, int main_diagonal, const FusedScaling &); /* if it is symmetric */

  bool   Unit() const override { return unit; }
  bool   Half() const override { return half; }
  double MemoryBytes() const override { return sizeof(Scalar) * static_cast<double>(room); }

  const char                 *Name() const override { return "bdiagh"; }
  double                      MatrixBytes() const override { return op->MatrixBytes(); }
  double                      Flops() const override { return op->Flops(); }
  std::vector<std::uintptr_t> Signature() const override { return op->Signature(); }
  void                        Host(const FusedProduct &P, Scalar sums[4]) const override { op->Host(P, sums); }
  bool                        HasTranspose() const override { return false; } /* it would lack the unit diagonal */
  void                        HostTranspose(const Scalar *, Scalar *) const override {}
#if PetscDefined(HAVE_CUDA)
  cudaError_t LaunchTranspose(const Scalar *, Scalar *, const FusedScalars *, cudaStream_t) const override
  {
    return cudaErrorNotSupported;
  }
  cudaError_t Launch(const FusedProduct &P, FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const override
  {
    return op->Launch(P, S, red, stream);
  }
  PetscErrorCode Persistent(const FusedPersistent &, FusedScalars *, const FusedReduction &, cudaStream_t, PetscBool, PetscBool *fits, int *most) const override
  {
    PetscFunctionBegin;
    *fits = PETSC_FALSE;
    *most = 0;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif

private:
  PetscErrorCode Room(std::size_t scalars, bool *got);
  PetscErrorCode Scale(const BdiaghDiagonals &D, const RemainderRows &R, const FusedScaling &, int drop, bool upper, std::size_t diagonal_values, int *found);

  bool                         device, unit = false, half = false;
  Scalar                      *values = nullptr; /* of the diagonals, then of the remainder */
  std::size_t                  room   = 0;
  int                         *note   = nullptr; /* on the device: FusedScaled bits */
  std::unique_ptr<BdiaghFused> op;
};

#if PetscDefined(HAVE_CUDA)
/* bdiagh_fold_row(), where half bdiagh_fold_half_row(), of every row into `diagonals`, bdiagh_fold_remainder_row() into `remainder`; *note (on the device) is raised by what the rows tell */
cudaError_t launch_bdiagh_fold(const BdiaghDiagonals &D, const RemainderRows &R, const FusedScaling &, int drop, bool half, Scalar *diagonals,
                               Scalar *remainder, int *note, cudaStream_t stream);
#endif

} // namespace heptane
