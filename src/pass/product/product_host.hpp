/*
   The fused product on the host, written once for all formats: a tile of rows is multiplied; while it is in the cache,
   the preconditioner and the scalar products follow. A format supplies its rows as a class:
     rows(), tile()                     scalar rows, and the rows of a tile: whole cells
     diagonal()                         index of the block diagonal that is skipped for own blocks; no_diagonal: none
     multiply(x, first, last, skip, y)  y = A x in rows [first, last), a tile or the last rows, without block diagonal
                                        `skip`; y of row 0 first
*/
#pragma once

#include "../../pc/dense/host.hpp"
#include "../step_host.hpp"

namespace heptane
{

/* K sums; ascending ranges of rows, whole cells if M has blocks */
template <int K>
class HostProduct {
public:
  explicit HostProduct(const FusedProduct &product)
    : P(product), adds_u(applies_matrix_diagonal(P.pc, FusedPc::blocks) || P.pc.matrix == FusedPc::scaled_unit), blocks(applies(P.pc, FusedPc::blocks)),
      step(ProductStep<K>(rest(product, blocks)), FusedScalars())
  {}

  /* On input P.y of these rows is A u, or (A - D) u with own blocks and scaled_unit */
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

/* Rows of a tile: whole cells of A, and of M if its blocks have another size */
template <class Rows>
int tile_of(const Rows &A, const FusedPc &pc)
{
  return applies(pc, FusedPc::blocks) && A.tile() % pc.block ? A.tile() * pc.block : A.tile();
}

template <int K, class Rows>
void product_host_with(const Rows &A, const FusedProduct &P, Scalar sums[])
{
  const int      skip = applies_matrix_diagonal(P.pc, FusedPc::blocks) ? A.diagonal() : Rows::no_diagonal, tile = tile_of(A, P.pc);
  HostProduct<K> rest(P);

  for (int first = 0, last; first < A.rows(); first = last) {
    last = A.rows() - first > tile ? first + tile : A.rows();
    A.multiply(P.q, first, last, skip, P.y);
    remainder_add_rows(P.halo.rows, P.halo.ghost, first, last, P.y);
    rest.Rows(first, last);
  }
  rest.Sums(sums);
}

/*
   y = A u stored as Single, A a scaled copy: a tile of rows is summed in Scalars, columns of other processes are added
   last, and the result is rounded once. multiply(x, first, last, y) of Rows adds the whole row. The sums of rows 0,
   lanes, 2 lanes, ... are added first, then the sums of the lanes, in ascending order.
*/
template <int K, class Rows>
void single_product_host_with(const Rows &A, const FusedProductOf<Single> &P, Scalar sums[])
{
  constexpr int       lanes          = 8;
  const bool          unit           = P.pc.matrix == FusedPc::scaled_unit;
  const int           tile           = A.tile();
  Scalar              part[lanes][K] = {};
  std::vector<Scalar> y(tile);

  for (int first = 0, last; first < A.rows(); first = last) {
    last = A.rows() - first > tile ? first + tile : A.rows();
    A.multiply(P.q, first, last, y.data());
    for (int row = first; P.halo.rows.mask && row < last; row++) y[row - first] += remainder_row(P.halo.rows, P.halo.ghost, row);
    for (int row = first; row < last; row++)
      product_row<K>(P, row, unit ? y[row - first] + P.q[row] : y[row - first], row_operands<K>(P, P.q, row, Scalar(0)), part[row % lanes]);
  }
  for (int k = 0; k < K; k++) {
    sums[k] = 0;
    for (int lane = 0; lane < lanes; lane++) sums[k] += part[lane][k];
  }
}

template <class Rows>
void single_product_host(const Rows &A, const FusedProductOf<Single> &P, Scalar sums[])
{
  with_product(P, [&](auto, auto K) { single_product_host_with<K()>(A, P, sums); });
}

/* For products with combines(P) */
template <class Rows>
void combine_host(const Rows &A, const FusedProduct &P)
{
  const ProductCombination &c             = P.combine;
  const bool                matrix_blocks = applies_matrix_diagonal(P.pc, FusedPc::blocks), blocks = applies(P.pc, FusedPc::blocks);
  const bool                minus_u = matrix_blocks || P.pc.matrix == FusedPc::scaled_unit;
  const int                 skip = matrix_blocks ? A.diagonal() : Rows::no_diagonal, tile = tile_of(A, P.pc);
  std::vector<Scalar>       old, r;

  for (int first = 0, last; first < A.rows(); first = last) {
    Scalar *y = P.y + first;

    last = A.rows() - first > tile ? first + tile : A.rows();
    if (c.old) old.assign(c.old + first, c.old + last); /* old may be y */
    A.multiply(P.q, first, last, skip, P.y);
    remainder_add_rows(P.halo.rows, P.halo.ghost, first, last, P.y);
    for (int k = 0; k < last - first; k++) y[k] = c.rhs[first + k] - y[k];
    if (blocks) {
      r.assign(y, y + (last - first));
      dense_apply_host(last - first, P.pc.block, P.pc.inverse + first, P.pc.ld, false, r.data(), y);
    }
    for (int k = 0; k < last - first; k++) {
      const Scalar u = P.q[first + k], z = (applies(P.pc, FusedPc::point) ? P.pc.inverse[first + k] * y[k] : y[k]) - (minus_u ? u : Scalar(0));

      y[k] = combine_row(c, z, u, c.old ? old[k] : Scalar(0));
    }
  }
}

template <class Rows>
void product_host(const Rows &A, const FusedProduct &P, Scalar sums[])
{
  if (combines(P)) combine_host(A, P);
  else with_product(P, [&](auto, auto K) { product_host_with<K()>(A, P, sums); });
}

} // namespace heptane
