/*
   The fused product of the sliced ELLPACK format and of its copies in single precision: the host executor, and the glue
   of both.
*/
#include "fused.hpp"
#include "../../../metrics/metrics.hpp"
#include "../../../pass/offers/compare_device.hpp"
#include "../../../pass/product/product_host.hpp"
#include "../format/host.hpp"
#include "single.hpp"

namespace heptane
{

namespace
{

template <class T>
struct HostRows {
  static constexpr int      no_diagonal = -1;
  const SellpOperandsOf<T> &A;

  int  rows() const { return A.slices.rows; }
  int  slice() const { return A.slices.slice * A.slices.block; } /* rows of a slice */
  int  tile() const { return sellp_fused_tile(A.slices); }
  int  diagonal() const { return no_diagonal; } /* see InverseIs() */
  void multiply(const Scalar *x, int first, int last, int, Scalar *y) const
  {
    sellp_mult_slices_host(A.slices, x, first / slice(), (last - 1) / slice() + 1, y);
    remainder_add_rows(A.remainder, x, first, last, y);
  }
  void multiply(const Single *x, int first, int last, Scalar *y) const
  {
    sellp_mult_slices_host(A.slices, x, first / slice(), (last - 1) / slice() + 1, y - first);
    for (int row = first; A.remainder.mask && row < last; row++) y[row - first] += remainder_row(A.remainder, x, row);
  }
};

} // namespace

template <class T>
Stamp SellpOperandsOf<T>::Signature() const
{
  const SellpSlicesOf<T> &L = slices;
  Stamp                   s;

  s << L.values << L.head << L.index << L.place << L.dropped << remainder.mask << remainder.values << list.col << pieces.sums << sums << diagonal;
  s << L.rows << L.block << L.slice << L.window << L.slices << list.count << pieces.list.count << mix;
  return s;
}
template struct SellpOperandsOf<Scalar>;
template struct SellpOperandsOf<Single>;

void SellpFused::Host(const FusedProduct &P, Scalar sums[4]) const
{
  product_host(HostRows<Scalar>{A}, P, sums);
}

void SellpSingle::Host(const FusedProduct &P, Scalar[4]) const
{
  combine_host(HostRows<Single>{A}, P);
}

void SellpSingle::Host(const FusedProductOf<Single> &P, Scalar sums[4]) const
{
  single_product_host(HostRows<Single>{A}, P, sums);
}

/* Only blocks on the device: the diagonal blocks of a host tile have different indices. With b = 1 the diagonal is not
   read at a known place, so its inverse is read as a vector. */
PetscErrorCode SellpFused::InverseIs(const FusedPc &pc, int *differs, PetscBool *same) const
{
  PetscFunctionBegin;
  *same = PETSC_FALSE;
  if (pc.form != FusedPc::blocks || !A.diagonal || pc.block != A.slices.block) PetscFunctionReturn(PETSC_SUCCESS);
  const MetricsPass metrics(true, [&] {
    return DeclaredPass{"whether the inverse blocks are the preconditioner's", 2. * sizeof(Scalar) * pc.block * A.slices.rows};
  });
  PetscCall(CompareOnDevice([&](auto stream) { return launch_sellp_compare_blocks(A, pc.inverse, pc.ld, differs, stream); }, differs, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
cudaError_t SellpFused::Launch(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  const bool unit = P.pc.matrix == FusedPc::scaled_unit;

  if (P.halo.peers) return unit ? launch_sellp_folded_halo(A.slices, P, S, red, stream) : launch_sellp_halo(A, P, S, red, stream);
  if (unit) return launch_sellp_folded(A.slices, A.mix, P, S, red, stream);
  return launch_sellp_fused(A, P, S, red, stream);
}

cudaError_t SellpSingle::Launch(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  return launch_sellp_single_combining(A, P, S, red, stream);
}

cudaError_t SellpSingle::Launch(const FusedProductOf<Single> &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  return (P.halo.peers ? launch_sellp_single_halo : launch_sellp_single)(A, P, S, red, stream);
}
#endif

} // namespace heptane
