/*
   The fused product of the sliced ELLPACK format: the host executor, and the glue of both.
*/
#include "sellp_fused.hpp"
#include "../../metrics/metrics.hpp"
#include "../../pass/compare_device.hpp"
#include "../../pass/product_host.hpp"
#include "sellp_host.hpp"

namespace heptane
{

namespace
{

struct HostRows {
  static constexpr int no_diagonal = -1;
  const SellpOperands &A;

  int  rows() const { return A.slices.rows; }
  int  slice() const { return A.slices.slice * A.slices.block; } /* rows of a slice */
  int  tile() const { return sellp_fused_tile(A.slices); }
  int  diagonal() const { return no_diagonal; } /* see InverseBlocksAre() */
  void multiply(const Scalar *x, int first, int last, int, Scalar *y) const
  {
    sellp_mult_slices_host(A.slices, x, first / slice(), (last - 1) / slice() + 1, y);
    remainder_add_rows(A.aside, x, first, last, y);
  }
};

} // namespace

void SellpFused::Host(const FusedProduct &P, Scalar sums[4]) const
{
  product_host(HostRows{A}, P, sums);
}

Stamp SellpFused::Signature() const
{
  const SellpSlices &L = A.slices;
  Stamp              s;

  s << L.values << L.head << L.index << L.place << A.aside.mask << A.aside.values << A.list.col << A.pieces.sums << A.sums << A.diagonal;
  s << L.rows << L.block << L.slice << L.window << L.slices << A.list.count << A.pieces.list.count << A.mix;
  return s;
}

/* On the device alone: the diagonal blocks of a tile of the host lie at different places */
PetscErrorCode SellpFused::InverseBlocksAre(const Scalar *inverse, std::size_t ld, int block, int *differs, PetscBool *same) const
{
  PetscFunctionBegin;
  *same = PETSC_FALSE;
  if (!A.diagonal || block != A.slices.block) PetscFunctionReturn(PETSC_SUCCESS);
  const MetricsPass metrics(true, [&] {
    return DeclaredPass{"whether the inverse blocks are the preconditioner's", 2. * sizeof(Scalar) * block * A.slices.rows};
  });
  PetscCall(CompareOnDevice([&](auto stream) { return launch_sellp_compare_blocks(A, inverse, ld, differs, stream); }, differs, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diagonal is not met on the way at a known place, so with b = 1 its inverse is read as a vector */
#if PetscDefined(HAVE_CUDA)
cudaError_t SellpFused::Launch(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  const bool unit = P.pc.matrix == FusedPc::scaled_unit;

  if (P.halo.peers) return unit ? launch_sellp_folded_halo(A.slices, P, S, red, stream) : launch_sellp_halo(A, P, S, red, stream);
  if (unit) return launch_sellp_folded(A.slices, A.mix, P, S, red, stream);
  return launch_sellp_fused(A, P, S, red, stream);
}
#endif

} // namespace heptane
