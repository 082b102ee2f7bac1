/*
   The fused product of the block-diagonal format and of its copies in single precision: the host executor, and the glue
   of both.
*/
#include "fused.hpp"
#include "../../../metrics/metrics.hpp"
#include "../../../pass/offers/compare_device.hpp"
#include "../../../pass/product/product_host.hpp"
#include "../format/host.hpp"
#include "single.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include "persistent.hpp"
  #include "persistent_single.hpp"
#endif

namespace heptane
{

namespace
{

template <class T>
struct HostRows {
  static constexpr int       no_diagonal = -1;
  const BdiaghOperandsOf<T> &A;

  int  rows() const { return A.diagonals.rows; }
  int  tile() const { return bdiagh_fused_tile(A.diagonals.block); }
  int  diagonal() const { return A.main_diagonal; }
  bool upper() const { return A.form == FoldForm::upper; }
  void multiply(const Scalar *x, int first, int last, int skip, Scalar *y) const
  {
    if constexpr (std::is_same_v<T, Single>) bdiagh_mult_rows_host(A.diagonals, x, first, last, y + first); /* of a product that combines */
    else if (upper()) bdiagh_mult_symmetric_rows_host(A.diagonals, x, first, last, y + first);
    else bdiagh_mult_rows_host(A.diagonals, x, first, last, skip, y + first);
    remainder_add_rows(A.remainder, x, first, last, y);
  }
  void multiply(const Single *x, int first, int last, Scalar *y) const
  {
    if (upper()) bdiagh_mult_symmetric_rows_host(A.diagonals, x, first, last, y);
    else bdiagh_mult_rows_host(A.diagonals, x, first, last, y);
    for (int row = first; A.remainder.mask && row < last; row++) y[row - first] += remainder_row(A.remainder, x, row);
  }
};

} // namespace

template <class T>
Stamp BdiaghOperandsOf<T>::Signature() const
{
  const BdiaghDiagonalsOf<T> &D = diagonals;
  const RemainderRows        &R = remainder;
  Stamp                       s;

  s << D.values << R.mask << R.base << R.ptr << R.col << R.values;
  s << D.rows << D.block << D.ndiag << D.ld << main_diagonal << form;
  for (int k = 0; k < D.ndiag; k++) s << D.offset[k];
  return s;
}
template struct BdiaghOperandsOf<Scalar>;
template struct BdiaghOperandsOf<Single>;

void BdiaghFused::Host(const FusedProduct &P, Scalar sums[4]) const
{
  product_host(HostRows<Scalar>{A}, P, sums);
}

void BdiaghSingle::Host(const FusedProduct &P, Scalar[4]) const
{
  combine_host(HostRows<Single>{A}, P);
}

void BdiaghSingle::Host(const FusedProductOf<Single> &P, Scalar sums[4]) const
{
  single_product_host(HostRows<Single>{A}, P, sums);
}

void BdiaghFused::HostTranspose(const Scalar *x, Scalar *y) const
{
  bdiagh_mult_transpose_host(A.diagonals, x, nullptr, y);
}

PetscErrorCode BdiaghFused::InverseIs(const FusedPc &pc, int *differs, PetscBool *same) const
{
  const BdiaghDiagonals &D      = A.diagonals;
  const int              main   = A.main_diagonal;
  const bool             points = pc.form == FusedPc::point;

  PetscFunctionBegin;
  *same = PETSC_FALSE;
  if (main < 0 || (!points && pc.block != D.block)) PetscFunctionReturn(PETSC_SUCCESS);
  const MetricsPass metrics(A.device, [&] {
    return DeclaredPass{points ? "whether the inverse diagonal is the preconditioner's" : "whether the inverse blocks are the preconditioner's",
                        2. * sizeof(Scalar) * (points ? 1 : pc.block) * D.rows};
  });
  if (A.device) {
    const auto compare = [&](auto stream) {
      return points ? launch_bdiagh_compare_inverse(D, main, pc.inverse, differs, stream)
                    : launch_bdiagh_compare_blocks(D, main, pc.inverse, pc.ld, differs, stream);
    };
    PetscCall(CompareOnDevice(compare, differs, same));
  } else if (!points) {
    *same = PETSC_TRUE;
    for (int row = 0; row < D.rows && *same; row++) *same = (PetscBool)(bdiagh_inverse_error(D, main, pc.inverse, pc.ld, row) <= block_inverse_tolerance);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
cudaError_t BdiaghFused::Launch(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  const BdiaghDiagonals &D     = A.diagonals;
  const RemainderRows   &R     = A.remainder;
  const bool             upper = A.form == FoldForm::upper, unit = P.pc.matrix == FusedPc::scaled_unit;

  if (P.halo.peers) return unit ? launch_bdiagh_folded_halo(D, upper, R, P, S, red, stream) : launch_bdiagh_halo(D, A.main_diagonal, R, P, S, red, stream);
  if (unit) return launch_bdiagh_folded(D, upper, R, P, S, red, stream);
  return launch_bdiagh_fused(D, A.main_diagonal, R, P, S, red, stream);
}

cudaError_t BdiaghSingle::Launch(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  return launch_bdiagh_single_combining(A.diagonals, A.form, A.remainder, P, S, red, stream);
}

cudaError_t BdiaghSingle::Launch(const FusedProductOf<Single> &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  return (P.halo.peers ? launch_bdiagh_single_halo : launch_bdiagh_single)(A.diagonals, A.form, A.remainder, P, S, red, stream);
}

cudaError_t BdiaghFused::LaunchTranspose(const Scalar *x, Scalar *y, const FusedScalars *S, cudaStream_t stream) const
{
  return launch_bdiagh_fused_transpose(A.diagonals, x, y, S, stream);
}

PetscErrorCode BdiaghFused::PersistentFits(const FusedPersistent &solve, cudaStream_t stream, FusedResident *answer) const
{
  const int       main    = A.main_diagonal;
  const bool      of_copy = solve.pc.matrix == FusedPc::scaled_unit && main >= 0; /* asked before that is made */
  BdiaghDiagonals D       = A.diagonals;

  PetscFunctionBegin;
  if (of_copy) {
    D.ndiag--;
    std::copy(A.diagonals.offset + main + 1, A.diagonals.offset + A.diagonals.ndiag, D.offset + main);
  }
  *answer = FusedResident();
  if (StaysInPasses()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(bdiagh_persistent_fits({D, of_copy ? -1 : main, RemainderPlans(), A.remainder.values, Version()}, solve, stream, answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghFused::LaunchPersistent(const FusedPersistent &solve, FusedScalars *S, const FusedReduction &red, cudaStream_t stream,
                                             bool *launched) const
{
  PetscFunctionBegin;
  *launched = false;
  if (StaysInPasses()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallCUDA(launch_bdiagh_persistent({A.diagonals, A.main_diagonal, RemainderPlans(), A.remainder.values, Version()}, solve, S, red, stream, launched));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghSingle::PersistentFits(const FusedSinglePersistent &solve, cudaStream_t, FusedResident *answer) const
{
  PetscFunctionBegin;
  *answer = FusedResident();
  if (!A.remainder.mask) PetscCallCUDA(bdiagh_persistent_single_fits(A.diagonals, A.form, solve, answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghSingle::LaunchPersistent(const FusedSinglePersistent &solve, FusedScalars *S, const FusedReduction &red, cudaStream_t stream,
                                              bool *launched) const
{
  PetscFunctionBegin;
  *launched = false;
  if (!A.remainder.mask) PetscCallCUDA(launch_bdiagh_persistent_single(A.diagonals, A.form, solve, S, red, stream, launched));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace heptane
