/*
   Scaling by rows and columns on the host: by block columns of a slice, in as many streams as a block has columns.
*/
#include "change.hpp"
#include "../../../device/host_clones.hpp"
#include "../../../device/with_block.hpp"
#include <algorithm>

namespace heptane
{

namespace kernels
{

/* Block column k of all cells of a slice; column(lane): their block columns; the order of each product follows
   sellp_scale_row() */
template <int B, class Column>
HEPTANE_HOST_INLINE void scale_column(const SellpSlices &A, Scalar *v, const Scalar *l, const Scalar *r, int first, int lanes, const Column &column)
{
  const int         b = block_of<B>(A), cells = A.cols / b;
  const std::size_t next = static_cast<std::size_t>(A.slice) * b;

  for (int lane = 0; lane < lanes; lane++) {
    const int      cell = sellp_cell(A, first + lane);
    const unsigned c    = static_cast<unsigned>(column(lane, cell));
    if (c >= static_cast<unsigned>(cells)) continue; /* padding without index */
    for (int s = 0; s < b; s++) {
      const Scalar right = factor(r, static_cast<std::size_t>(c) * b + s);
      Scalar      *w     = v + s * next + lane * b;
      for (int i = 0; i < b; i++) w[i] = scaled(w[i], factor(l, static_cast<std::size_t>(cell) * b + i), right);
    }
  }
}

template <int B>
HEPTANE_HOST_CLONES void scale(const SellpSlices &A, Scalar *values, const Scalar *l, const Scalar *r)
{
  const int b = block_of<B>(A);

  for (int slice = 0; slice < A.slices; slice++) {
    const SellpSlice S     = A.head[slice];
    const int       *index = sellp_index(A.index, S), first = slice * A.slice, lanes = std::min(A.slice, A.cells - first);

    for (int k = 0; k < S.width; k++) {
      Scalar *v = values + (static_cast<std::size_t>(S.first) + k) * b * b * A.slice;

      if (sellp_kind(S) == SellpIndex::none)
        scale_column<B>(A, v, l, r, first, lanes, [&](int, int cell) HEPTANE_HOST_LAMBDA { return SellpColumnNone{index, cell}(k); });
      else if (sellp_kind(S) == SellpIndex::narrow)
        scale_column<B>(A, v, l, r, first, lanes, [&](int lane, int) HEPTANE_HOST_LAMBDA { return SellpColumnNarrow(index, S.width, A.slice, lane)(k); });
      else scale_column<B>(A, v, l, r, first, lanes, [&](int lane, int) HEPTANE_HOST_LAMBDA { return SellpColumnWide{index, A.slice, lane}(k); });
    }
  }
}

} // namespace kernels

void sellp_scale_host(const SellpSlices &A, Scalar *values, const Scalar *l, const Scalar *r)
{
  with_block(A.block, [&](auto B) { kernels::scale<B()>(A, values, l, r); });
}

} // namespace heptane
