/*
   The fused product of the block-diagonal format: the host executor, and the glue of both.
*/
#include "bdiagh_fused.hpp"
#include "../../device/memory.hpp"
#include "bdiagh_dispatch.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include "bdiagh_persistent.hpp"
#endif

namespace heptane
{

namespace
{

/* One tile of rows [row0, row0 + W) or, B == 0, one cell after another */
template <int B, bool MINUS, int K>
void host(const BdiaghDiagonals &D, int main_diagonal, const BdiaghRemainder &R, const FusedProduct &P, Scalar sums[4])
{
  constexpr int             W     = B > 0 ? BdiaghTuning::host_tile<B> / B * B : 1;
  const int                 b     = block_of<B>(D);
  const Scalar              alpha = P.alpha ? *P.alpha : Scalar(0);
  const BdiaghGather<MINUS> u     = {P.q, P.v, alpha};
  const int                 tile  = B > 0 ? W : b;
  std::vector<Scalar>       y(tile);

  for (int row0 = 0; row0 < D.rows; row0 += tile) {
    const int rows = std::min(tile, D.rows - row0);

    if constexpr (B > 0) {
      if (rows == W) bdiagh_tile<B, W>(D, u, row0, y.data());
      else
        for (int w = 0; w < rows; w++) y[w] = bdiagh_row<B, 1>(D, u, row0 + w);
    } else
      for (int w = 0; w < rows; w++) y[w] = bdiagh_row<0, 1>(D, u, row0 + w);
    if (R.mask)
      for (int w = 0; w < rows; w++) y[w] += bdiagh_remainder_row(R, u, row0 + w);
    for (int w = 0; w < rows; w++) {
      const int row = row0 + w;
      Scalar    z   = y[w];

      if (P.pc.kind == FusedPc::blocks) z = pc_block_row(P.pc, row, y.data() + (w - w % b));
      else if (P.pc.kind == FusedPc::jacobi) z *= P.pc.inverse[row];
      else if (P.pc.kind == FusedPc::own_diagonal) z *= inverse_of_diagonal(bdiagh_diagonal(D, main_diagonal, row));
      product_row<K>(P, row, z, row_operands<K>(P, row, alpha), sums);
    }
  }
}

} // namespace

void BdiaghFused::Host(const FusedProduct &P, Scalar sums[4]) const
{
  std::fill(sums, sums + 4, Scalar(0));
  with_block(D.block, [&](auto B) {
    if (number_of_sums(P.finish) == 4) P.v ? host<B(), true, 4>(D, main_diagonal, R, P, sums) : host<B(), false, 4>(D, main_diagonal, R, P, sums);
    else host<B(), false, 1>(D, main_diagonal, R, P, sums);
  });
}

std::vector<std::uintptr_t> BdiaghFused::Signature() const
{
  return {reinterpret_cast<std::uintptr_t>(D.values), reinterpret_cast<std::uintptr_t>(R.mask), reinterpret_cast<std::uintptr_t>(R.values),
          static_cast<std::uintptr_t>(D.rows), static_cast<std::uintptr_t>(D.ndiag)};
}

PetscErrorCode BdiaghFused::InverseDiagonalIs(const Scalar *inverse, PetscBool *same) const
{
  int differs = 0;

  PetscFunctionBegin;
  *same = PETSC_FALSE;
  if (main_diagonal < 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (!device) {
    for (int row = 0; row < D.rows && !differs; row++) differs = inverse[row] != inverse_of_diagonal(bdiagh_diagonal(D, main_diagonal, row));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;
    int         *on_device;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(DeviceCalloc(1, &on_device));
    PetscCallCUDA(launch_bdiagh_compare_inverse(D, main_diagonal, inverse, on_device, stream));
    PetscCall(CopyToHost(&differs, on_device, 1));
    PetscCall(DeviceFree(&on_device));
  }
#endif
  *same = (PetscBool)!differs;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
cudaError_t BdiaghFused::Launch(const FusedProduct &P, FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  return launch_bdiagh_fused(D, main_diagonal, R, P, S, red, stream);
}

PetscErrorCode BdiaghFused::Persistent(const FusedPersistent &solve, FusedScalars *S, const FusedReduction &red, cudaStream_t stream, PetscBool launch,
                                       PetscBool *fits) const
{
  bool found      = false;
  int  max_blocks = 0;

  PetscFunctionBegin;
  *fits = PETSC_FALSE;
  if (R.mask) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(launch_bdiagh_persistent(D, main_diagonal, solve, S, red, stream, launch, &found, &max_blocks));
  PetscCheck(
    !max_blocks || solve.blocks <= max_blocks, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
    "-ksp_fused_persistent_blocks %d: at most %d blocks can be resident on this device at once, and blocks that are not would never arrive at a barrier; use 0 (automatic) to %d",
    solve.blocks, max_blocks, max_blocks);
  *fits = (PetscBool)found;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace heptane
