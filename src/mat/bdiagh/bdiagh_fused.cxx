/*
   The fused product of the block-diagonal format: the host executor, and the glue of both.
*/
#include "bdiagh_fused.hpp"
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

/* A tile of the product, then what is done to its rows while they are in the cache */
template <int K>
void host(const BdiaghDiagonals &D, bool upper, int main_diagonal, const RemainderRows &R, const FusedProduct &P, Scalar sums[])
{
  const int      skip = P.pc.kind == FusedPc::own_blocks ? main_diagonal : -1;
  const int      tile = bdiagh_fused_tile(D.block);
  HostProduct<K> rest(P);

  for (int row0 = 0; row0 < D.rows; row0 += tile) {
    const int end = std::min(row0 + tile, D.rows);

    if (upper) bdiagh_mult_symmetric_rows_host(D, P.q, row0, end, P.y + row0);
    else bdiagh_mult_rows_host(D, P.q, row0, end, skip, P.y + row0);
    if (R.mask)
      for (int row = row0; row < end; row++) P.y[row] += remainder_row(R, P.q, row);
    rest.Rows(row0, end);
  }
  rest.Sums(sums);
}

} // namespace

void BdiaghFused::Host(const FusedProduct &P, Scalar sums[4]) const
{
  with_product(P, [&](auto, auto K) { host<K()>(D, upper, main_diagonal, R, P, sums); });
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
  if (device) PetscCall(CompareOnDevice([&](auto stream) { return launch_bdiagh_compare_inverse(D, main_diagonal, inverse, differs, stream); }, differs, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghFused::InverseBlocksAre(const Scalar *inverse, std::size_t ld, int block, int *differs, PetscBool *same) const
{
  PetscFunctionBegin;
  *same = PETSC_FALSE;
  if (main_diagonal < 0 || block != D.block) PetscFunctionReturn(PETSC_SUCCESS);
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
  if (P.pc.kind == FusedPc::folded_unit) return launch_bdiagh_folded(D, upper, R, P, S, red, stream);
  return launch_bdiagh_fused(D, main_diagonal, R, P, S, red, stream);
}

cudaError_t BdiaghFused::LaunchTranspose(const Scalar *x, Scalar *y, const FusedScalars *S, cudaStream_t stream) const
{
  return launch_bdiagh_fused_transpose(D, x, y, S, stream);
}

PetscErrorCode BdiaghFused::PersistentFits(const FusedPersistent &solve, cudaStream_t stream, FusedResident *answer) const
{
  PetscFunctionBegin;
  *answer = FusedResident();
  if (R.mask && !plans) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(bdiagh_persistent_fits({D, main_diagonal, R.mask ? plans.get() : nullptr, R.values}, solve, stream, answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghFused::LaunchPersistent(const FusedPersistent &solve, FusedScalars *S, const FusedReduction &red, cudaStream_t stream,
                                             bool *launched) const
{
  PetscFunctionBegin;
  *launched = false;
  if (R.mask && !plans) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(launch_bdiagh_persistent({D, main_diagonal, R.mask ? plans.get() : nullptr, R.values}, solve, S, red, stream, launched));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace heptane
