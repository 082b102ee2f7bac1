/*
   What the host does to the rows of a fused product once they are multiplied: the preconditioner, then the scalar products. For the operators of all formats.
*/
#pragma once

#include "../pc/dense/dense_host.hpp"
#include "step_host.hpp"

namespace heptane
{

/* K sums; ranges of rows that ascend, whole cells where M has blocks */
template <int K>
class HostProduct {
public:
  explicit HostProduct(const FusedProduct &product)
    : P(product), own(P.pc.kind == FusedPc::own_blocks || P.pc.kind == FusedPc::folded_unit),
      blocks(P.pc.kind == FusedPc::own_blocks || P.pc.kind == FusedPc::blocks), step(ProductStep<K>(rest(product, blocks)), FusedScalars())
  {}

  /* P.y of these rows is A u, with own_blocks and folded_unit (A - D) u */
  void Rows(std::size_t first, std::size_t last)
  {
    if (blocks) {
      copy.assign(P.y + first, P.y + last);
      dense_apply_host(last - first, P.pc.block, P.pc.inverse + first, P.pc.ld, false, copy.data(), P.y + first);
    }
    if (own)
      for (std::size_t row = first; row < last; row++) P.y[row] += P.q[row];
    step.Rows(first, last);
  }
  void Sums(Scalar sums[]) const { step.Sums(sums); }

private:
  static FusedProduct rest(FusedProduct product, bool blocks)
  {
    if (blocks) product.pc.kind = FusedPc::none;
    return product;
  }

  const FusedProduct       P;
  const bool               own, blocks;
  HostStep<ProductStep<K>> step;
  std::vector<Scalar>      copy;
};

} // namespace heptane
