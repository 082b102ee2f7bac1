/*
   Products with a copy in single precision: the host executor, and the glue of both.
*/
#include "sellp_single.hpp"
#include "../../pass/product_host.hpp"
#include "sellp_host.hpp"

namespace heptane
{

namespace
{

struct HostRows {
  static constexpr int           no_diagonal = -1;
  const SellpOperandsOf<Single> &A;

  int rows() const { return A.slices.rows; }
  int slice() const { return A.slices.slice * A.slices.block; } /* rows of a slice */
  int tile() const { return sellp_fused_tile(A.slices); }
  int diagonal() const { return no_diagonal; }
  /* Of a product that combines */
  void multiply(const Scalar *x, int first, int last, int, Scalar *y) const
  {
    sellp_mult_slices_host(A.slices, x, first / slice(), (last - 1) / slice() + 1, y);
    remainder_add_rows(A.aside, x, first, last, y);
  }
  void multiply(const Single *x, int first, int last, Scalar *y) const
  {
    sellp_mult_slices_host(A.slices, x, first / slice(), (last - 1) / slice() + 1, y - first);
    for (int row = first; A.aside.mask && row < last; row++) y[row - first] += remainder_row(A.aside, x, row);
  }
};

} // namespace

void SellpSingle::Host(const FusedProduct &P, Scalar[]) const
{
  combine_host(HostRows{A}, P);
}

void SellpSingle::HostSingle(const FusedProductOf<Single> &P, Scalar sums[4]) const
{
  single_product_host(HostRows{A}, P, sums);
}

Stamp SellpSingle::Signature() const
{
  const SellpSlicesOf<Single> &L = A.slices;
  Stamp                        s;

  s << L.values << L.head << L.index << L.place << L.dropped << A.aside.mask << A.aside.values << A.list.col << A.pieces.sums << A.sums;
  s << L.rows << L.block << L.slice << L.window << L.slices << A.list.count << A.pieces.list.count << A.mix;
  return s;
}

#if PetscDefined(HAVE_CUDA)
cudaError_t SellpSingle::Launch(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  return launch_sellp_single_combining(A, P, S, red, stream);
}

cudaError_t SellpSingle::LaunchSingle(const FusedProductOf<Single> &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  return (P.halo.peers ? launch_sellp_single_halo : launch_sellp_single)(A, P, S, red, stream);
}
#endif

} // namespace heptane
