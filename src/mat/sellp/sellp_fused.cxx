/*
   The fused product of the sliced ELLPACK format: the host executor, and the glue of both.
*/
#include "sellp_fused.hpp"
#include "../../pass/compare_device.hpp"
#include "../../pass/product_host.hpp"
#include "sellp_host.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

/* Whole windows of the product, then what is done to their rows, which follow each other, while they are in the cache */
template <int K>
void host(const SellpOperands &A, const FusedProduct &P, Scalar sums[])
{
  const SellpSlices &S    = A.slices;
  const int          unit = S.place ? S.window / S.slice : 1; /* slices whose rows are a range */
  const int          tile = std::max(SellpTuning::host_fused_tile / (S.slice * S.block) / unit, 1) * unit;
  HostProduct<K>     rest(P);

  for (int first = 0; first < S.slices; first += tile) {
    const int         last = std::min(first + tile, S.slices);
    const std::size_t row0 = static_cast<std::size_t>(first) * S.slice * S.block;
    const std::size_t end  = std::min<std::size_t>(static_cast<std::size_t>(last) * S.slice, S.cells) * S.block;

    sellp_mult_slices_host(S, P.q, first, last, P.y);
    if (A.aside.mask)
      for (std::size_t row = row0; row < end; row++) P.y[row] += remainder_row(A.aside, P.q, static_cast<int>(row));
    rest.Rows(row0, end);
  }
  rest.Sums(sums);
}

} // namespace

void SellpFused::Host(const FusedProduct &P, Scalar sums[4]) const
{
  with_product(P, [&](auto, auto K) { host<K()>(A, P, sums); });
}

Stamp SellpFused::Signature() const
{
  const SellpSlices &L = A.slices;
  Stamp              s;

  s << L.values << L.head << L.index << L.length << L.place << A.aside.mask << A.aside.values << A.list.col << A.pieces.sums << A.sums << A.diagonal;
  s << L.rows << L.block << L.slice << L.window << L.slices << A.list.count << A.pieces.list.count << A.mix;
  return s;
}

/* On the device alone: the diagonal blocks of a tile of the host lie at different places */
PetscErrorCode SellpFused::InverseBlocksAre(const Scalar *inverse, std::size_t ld, int block, int *differs, PetscBool *same) const
{
  PetscFunctionBegin;
  *same = PETSC_FALSE;
  if (!A.diagonal || block != A.slices.block) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CompareOnDevice([&](auto stream) { return launch_sellp_compare_blocks(A, inverse, ld, differs, stream); }, differs, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The diagonal is not met on the way at a known place, so with b = 1 its inverse is read as a vector */
#if PetscDefined(HAVE_CUDA)
cudaError_t SellpFused::Launch(const FusedProduct &P, const FusedScalars *S, const FusedReduction &red, cudaStream_t stream) const
{
  if (P.pc.kind == FusedPc::folded_unit) return launch_sellp_folded(A.slices, A.mix, P, S, red, stream);
  return launch_sellp_fused(A, P, S, red, stream);
}
#endif

} // namespace heptane
