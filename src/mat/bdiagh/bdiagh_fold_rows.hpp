/*
   Scaling of one row of block diagonals by a preconditioner, written once for host and device. Knows no PETSc objects and no launch syntax.
*/
#pragma once

#include "../aij/fold_rows.hpp"
#include "bdiagh_rows.hpp"

namespace heptane
{

/* The row scaled into out, which has the block diagonals of A, without number `drop` if that is not -1. FusedScaled bits: what is dropped should be the unit matrix. */
template <int B>
HEPTANE_HD int bdiagh_fold_row(const BdiaghDiagonals &A, const FusedScaling &F, int drop, int row, Scalar *out)
{
  const FoldLeftFactor<B> left(F, row);
  const int               b = block_of<B>(A), cell = row / b, i = row - cell * b;
  int                     found = fold_positive(F, row);

  for (int r = 0; r < A.ndiag; r++) {
    const int     c      = cell + A.offset[r];
    const bool    inside = static_cast<unsigned>(c) < static_cast<unsigned>(A.cols / b);
    const Scalar *v      = A.values + static_cast<std::size_t>(r) * b * A.ld + static_cast<std::size_t>(cell) * b;
    HEPTANE_UNROLL
    for (int s = 0; s < (B > 0 ? B : b); s++) {
      const Scalar a = inside ? fold_entry<B>(F, left, b, v, A.ld, static_cast<std::size_t>(c) * b, i, s) : Scalar(0);
      if (r == drop) found |= fold_unit(a, i, s);
      else out[(static_cast<std::size_t>(r - (drop >= 0 && r > drop)) * b + s) * A.ld + row] = a;
    }
  }
  return found;
}

} // namespace heptane
