/*
   The fused product on the host, written once for all formats: tiles of rows are multiplied, then, while they are in the cache, come the preconditioner and the scalar products.
   A format supplies its rows as a class:
     rows(), tile()                     scalar rows, and the rows of a tile: whole cells
     diagonal()                         which block diagonal is left out for own blocks, as multiply() takes it; no_diagonal: none
     multiply(x, first, last, skip, y)  y = A x in rows [first, last), a tile or the last rows, without block diagonal `skip`; y of row 0 first
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
    : P(product), adds_u(applies_own(P.pc, FusedPc::blocks) || P.pc.matrix == FusedPc::scaled_unit), blocks(applies(P.pc, FusedPc::blocks)),
      step(ProductStep<K>(rest(product, blocks)), FusedScalars())
  {}

  /* P.y of these rows is A u, with own blocks and scaled_unit (A - D) u */
  void Rows(std::size_t first, std::size_t last)
  {
    if (blocks) {
      copy.assign(P.y + first, P.y + last);
      dense_apply_host(last - first, P.pc.block, P.pc.inverse + first, P.pc.ld, false, copy.data(), P.y + first);
    }
    if (adds_u)
      for (std::size_t row = first; row < last; row++) P.y[row] += P.q[row];
    step.Rows(first, last);
  }
  void Sums(Scalar sums[]) const { step.Sums(sums); }

private:
  static FusedProduct rest(FusedProduct product, bool blocks)
  {
    if (blocks) product.pc.form = FusedPc::none;
    return product;
  }

  const FusedProduct       P;
  const bool               adds_u, blocks;
  HostStep<ProductStep<K>> step;
  std::vector<Scalar>      copy;
};

template <int K, class Rows>
void product_host_with(const Rows &A, const FusedProduct &P, Scalar sums[])
{
  const int      skip = applies_own(P.pc, FusedPc::blocks) ? A.diagonal() : Rows::no_diagonal, tile = A.tile();
  HostProduct<K> rest(P);

  for (int first = 0, last; first < A.rows(); first = last) {
    last = A.rows() - first > tile ? first + tile : A.rows();
    A.multiply(P.q, first, last, skip, P.y);
    rest.Rows(first, last);
  }
  rest.Sums(sums);
}

template <class Rows>
void product_host(const Rows &A, const FusedProduct &P, Scalar sums[])
{
  with_product(P, [&](auto, auto K) { product_host_with<K()>(A, P, sums); });
}

} // namespace heptane
