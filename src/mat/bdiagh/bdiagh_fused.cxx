/*
   The fused product of the block-diagonal format: the host executor, and the glue of both.
*/
#include "bdiagh_fused.hpp"
#include "../../metrics/metrics.hpp"
#include "../../pass/compare_device.hpp"
#include "../../pass/product_host.hpp"
#include "bdiagh_host.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include "bdiagh_persistent.hpp"
#endif

namespace heptane
{

namespace
{

struct HostRows {
  static constexpr int   no_diagonal = -1;
  const BdiaghDiagonals &D;
  const RemainderRows   &R;
  int                    main_diagonal;
  bool                   upper; /* D has the diagonals above the main one of a symmetric matrix */

  int  rows() const { return D.rows; }
  int  tile() const { return bdiagh_fused_tile(D.block); }
  int  diagonal() const { return main_diagonal; }
  void multiply(const Scalar *x, int first, int last, int skip, Scalar *y) const
  {
    if (upper) bdiagh_mult_symmetric_rows_host(D, x, first, last, y + first);
    else bdiagh_mult_rows_host(D, x, first, last, skip, y + first);
    remainder_add_rows(R, x, first, last, y);
  }
};

} // namespace

void BdiaghFused::Host(const FusedProduct &P, Scalar sums[4]) const
{
  product_host(HostRows{D, R, main_diagonal, upper}, P, sums);
}

void BdiaghFused::HostTranspose(const Scalar *x, Scalar *y) const
{
  bdiagh_mult_transpose_host(D, x, nullptr, y);
}

Stamp BdiaghFused::Signature() const
{
  Stamp s;

  s << D.values << R.mask << R.base << R.ptr << R.col << R.values;
  s << D.rows << D.block << D.ndiag << D.ld << main_diagonal << upper;
  for (int k = 0; k < D.ndiag; k++) s << D.offset[k];
  return s;
}

PetscErrorCode BdiaghFused::InverseDiagonalIs(const Scalar *inverse, int *differs, PetscBool *same) const
{
  PetscFunctionBegin;
  *same = PETSC_FALSE;
  if (main_diagonal < 0) PetscFunctionReturn(PETSC_SUCCESS);
  const MetricsPass metrics(device, [&] { return DeclaredPass{"whether the inverse diagonal is the preconditioner's", 2. * sizeof(Scalar) * D.rows}; });
  if (device) PetscCall(CompareOnDevice([&](auto stream) { return launch_bdiagh_compare_inverse(D, main_diagonal, inverse, differs, stream); }, differs, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghFused::InverseBlocksAre(const Scalar *inverse, std::size_t ld, int block, int *differs, PetscBool *same) const
{
  PetscFunctionBegin;
  *same = PETSC_FALSE;
  if (main_diagonal < 0 || block != D.block) PetscFunctionReturn(PETSC_SUCCESS);
  const MetricsPass metrics(device, [&] { return DeclaredPass{"whether the inverse blocks are the preconditioner's", 2. * sizeof(Scalar) * block * D.rows}; });
  if (device)
    PetscCall(CompareOnDevice([&](auto stream) { return launch_bdiagh_compare_blocks(D, main_diagonal, inverse, ld, differs, stream); }, differs, same));
  else {
    *same = PETSC_TRUE;
    for (int row = 0; row < D.rows && *same; row++) *same = (PetscBool)(bdiagh_inverse_error(D, main_diagonal, inverse, ld, row) <= own_blocks_tolerance);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
cudaError_t BdiaghFused::Launch(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  const bool unit = P.pc.matrix == FusedPc::scaled_unit;

  if (P.halo.peers) return unit ? launch_bdiagh_folded_halo(D, upper, R, P, S, red, stream) : launch_bdiagh_halo(D, main_diagonal, R, P, S, red, stream);
  if (unit) return launch_bdiagh_folded(D, upper, R, P, S, red, stream);
  return launch_bdiagh_fused(D, main_diagonal, R, P, S, red, stream);
}

cudaError_t BdiaghFused::LaunchTranspose(const Scalar *x, Scalar *y, const FusedScalars *S, cudaStream_t stream) const
{
  return launch_bdiagh_fused_transpose(D, x, y, S, stream);
}

PetscErrorCode BdiaghFused::PersistentFits(const FusedPersistent &solve, cudaStream_t stream, FusedResident *answer) const
{
  const bool      of_copy = solve.pc.matrix == FusedPc::scaled_unit && main_diagonal >= 0; /* asked before that is made */
  BdiaghDiagonals A       = D;

  PetscFunctionBegin;
  if (of_copy) {
    A.ndiag--;
    std::copy(D.offset + main_diagonal + 1, D.offset + D.ndiag, A.offset + main_diagonal);
  }
  *answer = FusedResident();
  if (upper || (R.mask && !plans)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(bdiagh_persistent_fits({A, of_copy ? -1 : main_diagonal, R.mask ? plans.get() : nullptr, R.values, Version()}, solve, stream, answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghFused::LaunchPersistent(const FusedPersistent &solve, FusedScalars *S, const FusedReduction &red, cudaStream_t stream,
                                             bool *launched) const
{
  PetscFunctionBegin;
  *launched = false;
  if (upper || (R.mask && !plans)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(launch_bdiagh_persistent({D, main_diagonal, R.mask ? plans.get() : nullptr, R.values, Version()}, solve, S, red, stream, launched));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace heptane
