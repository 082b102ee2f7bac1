/*
   Whether given blocks are the inverses of the diagonal blocks of slices, row by row, for host and device. No PETSc
   objects.
*/
#pragma once

#include "../format/rows.hpp"

namespace heptane
{

/* Largest difference between a row of M^-1 D and of the identity, for row i of the cell at a place; D: its diagonal
   block, index diagonal[place]; M^-1: inverse[s * ld + row]. NaN if one occurs. */
HEPTANE_HD Scalar sellp_inverse_error(const SellpSlices &A, const std::uint16_t *diagonal, const Scalar *inverse, std::size_t ld, int place, int i)
{
  const int         b = A.block, slice = place / A.slice, first = place % A.slice * b;
  const std::size_t row   = static_cast<std::size_t>(sellp_cell(A, place)) * b + i;
  const std::size_t next  = static_cast<std::size_t>(A.slice) * b;
  const Scalar     *d     = sellp_values<0>(A, sellp_head(A, slice), first) + static_cast<std::size_t>(diagonal[place]) * b * next;
  Scalar            error = 0;

  for (int s = 0; s < b; s++) {
    Scalar e = s == i ? Scalar(-1) : Scalar(0);
    for (int k = 0; k < b; k++) e += inverse[k * ld + row] * d[s * next + k];
    e = e < 0 ? -e : e;
    if (!(e <= error)) error = e;
    if (e != e) break;
  }
  return error;
}

} // namespace heptane
