/*
   Scaling of one row of slices by a preconditioner, written once for host and device. No PETSc objects, no launch
   syntax.
*/
#pragma once

#include "../../csr/remainder_scaling.hpp"
#include "../format/rows.hpp"

namespace heptane
{

/* Row i of the cell at a place scaled into out, with the layout of A.values. If dropped is not null: without the cell's
   diagonal block, whose index is stored in dropped[place], in the layout of SellpSlices::dropped. FusedScaled bits:
   whether that block exists and is the unit matrix. */
template <int B, class Out>
HEPTANE_HD int sellp_fold_row(const SellpSlices &A, const FusedScaling &F, int place, int i, Out *out, std::uint16_t *dropped)
{
  const int               b = block_of<B>(A), slice = place / A.slice, l = place - slice * A.slice, cell = sellp_cell(A, place);
  const std::size_t       row = static_cast<std::size_t>(cell) * b + i, next = static_cast<std::size_t>(A.slice) * b, column = next * b;
  const SellpSlice        S = sellp_head(A, slice), stored = dropped ? sellp_without_dropped(S, slice) : S;
  const Scalar           *v = sellp_values<B>(A, S, l * b);
  Out                    *w = out + static_cast<std::size_t>(stored.first) * column + l * b + i;
  const FoldLeftFactor<B> left(F, row);
  int                     found = fold_positive(F, row) | fold_factor_in_range<Out>(F, row), diagonal = -1;

  for (int k = 0; k < S.width; k++) {
    const int  c      = sellp_column(A.index, S, A.slice, k, l, cell);
    const bool inside = static_cast<unsigned>(c) < static_cast<unsigned>(A.cols / b), drop = dropped && diagonal < 0 && c == cell;

    if (drop) diagonal = k; /* the first of equal columns is the entry, the next ones are padding */
    const int at = k - (dropped && diagonal >= 0);
    HEPTANE_UNROLL
    for (int s = 0; s < (B > 0 ? B : b); s++) {
      const Scalar a = inside ? fold_entry<B>(F, left, b, v + k * column, next, static_cast<std::size_t>(c) * b, i, s) : Scalar(0);
      if (drop) found |= fold_unit(a, i, s);
      else if (at < stored.width) w[at * column + s * next] = static_cast<Out>(a);
      if constexpr (std::is_same_v<Out, Single>) found |= fold_in_range<Out>(a);
    }
  }
  if (dropped && (diagonal < 0 || diagonal >= sellp_diagonal_limit)) found |= scaled_not_unit;
  else if (dropped && i == 0) dropped[place] = static_cast<std::uint16_t>(diagonal);
  return found;
}

/* FusedSide::none: row i of the cell at a place rounded into out, which is laid out as A.values */
HEPTANE_HD int sellp_round_row(const SellpSlices &A, int place, int i, Single *out)
{
  const int         b = A.block, slice = place / A.slice, r = (place - slice * A.slice) * b + i;
  const SellpSlice  S    = sellp_head(A, slice);
  const std::size_t next = static_cast<std::size_t>(A.slice) * b;
  const Scalar     *v    = sellp_values<0>(A, S, r);
  Single           *w    = out + (v - A.values);
  Scalar            most = 0;

  for (int k = 0; k < S.width * b; k++) {
    const Scalar a = v[k * next];
    w[k * next]    = static_cast<Single>(a);
    most           = fold_larger(most, a);
  }
  return fold_row_in_range(most);
}

} // namespace heptane
