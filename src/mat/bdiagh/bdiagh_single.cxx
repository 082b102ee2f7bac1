/*
   Products with a copy in single precision: the host executor, and the glue of both.
*/
#include "bdiagh_single.hpp"
#include "../../device/memory.hpp"
#include "../../pass/product_host.hpp"
#include "bdiagh_host.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "bdiagh_persistent_single.hpp"
#endif

namespace heptane
{

namespace
{

struct HostRows {
  static constexpr int             no_diagonal = -1;
  const BdiaghDiagonalsOf<Single> &D;
  const RemainderRows             &R;
  bool                             upper;

  int rows() const { return D.rows; }
  int tile() const { return bdiagh_fused_tile(D.block); }
  int diagonal() const { return no_diagonal; }
  /* Of a product that combines */
  void multiply(const Scalar *x, int first, int last, int, Scalar *y) const
  {
    bdiagh_mult_rows_host(D, x, first, last, y + first);
    remainder_add_rows(R, x, first, last, y);
  }
  void multiply(const Single *x, int first, int last, Scalar *y) const
  {
    if (upper) bdiagh_mult_symmetric_rows_host(D, x, first, last, y);
    else bdiagh_mult_rows_host(D, x, first, last, y);
    if (R.mask)
      for (int row = first; row < last; row++) y[row - first] += remainder_row(R, x, row);
  }
};

} // namespace

void BdiaghSingle::Host(const FusedProduct &P, Scalar[]) const
{
  combine_host(HostRows{D, R, false}, P);
}

void BdiaghSingle::HostSingle(const FusedProductOf<Single> &P, Scalar sums[4]) const
{
  single_product_host(HostRows{D, R, form == FoldForm::upper}, P, sums);
}

Stamp BdiaghSingle::Signature() const
{
  Stamp s;

  s << D.values << R.mask << R.base << R.ptr << R.col << R.values;
  s << D.rows << D.block << D.ndiag << D.ld << form;
  for (int k = 0; k < D.ndiag; k++) s << D.offset[k];
  return s;
}

#if PetscDefined(HAVE_CUDA)
cudaError_t BdiaghSingle::Launch(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  return launch_bdiagh_single_combining(D, form, R, P, S, red, stream);
}

cudaError_t BdiaghSingle::LaunchSingle(const FusedProductOf<Single> &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  return (P.halo.peers ? launch_bdiagh_single_halo : launch_bdiagh_single)(D, form, R, P, S, red, stream);
}

PetscErrorCode BdiaghSingle::PersistentSingleFits(const FusedSinglePersistent &solve, FusedResident *answer) const
{
  PetscFunctionBegin;
  *answer = FusedResident();
  if (!R.mask) PetscCallCUDA(bdiagh_persistent_single_fits(D, form, solve, answer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghSingle::LaunchPersistentSingle(const FusedSinglePersistent &solve, FusedScalars *S, const FusedReduction &red, cudaStream_t stream,
                                                    bool *launched) const
{
  PetscFunctionBegin;
  *launched = false;
  if (!R.mask) PetscCallCUDA(launch_bdiagh_persistent_single(D, form, solve, S, red, stream, launched));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace heptane
