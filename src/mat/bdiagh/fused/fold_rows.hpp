/*
   Scaling of one row of block diagonals by a preconditioner, written once for host and device. No PETSc objects, no
   launch syntax.
*/
#pragma once

#include "../../csr/remainder_scaling.hpp"
#include "../format/rows.hpp"

namespace heptane
{

/* The diagonal that bdiagh_fold_row() leaves out of a copy of this form, or -1 */
inline int bdiagh_dropped(FoldForm form, int main_diagonal)
{
  return form == FoldForm::unit ? main_diagonal : -1;
}

/* The row scaled into out, which has the block diagonals of A, without diagonal `drop` if that is not -1. FusedScaled
   bits: of the dropped block, which should be the unit matrix. */
template <int B, class Out>
HEPTANE_HD int bdiagh_fold_row(const BdiaghDiagonals &A, const FusedScaling &F, int drop, int row, Out *out)
{
  const FoldLeftFactor<B> left(F, row);
  const int               b = block_of<B>(A), cell = row / b, i = row - cell * b;
  int                     found = fold_positive(F, row) | fold_factor_in_range<Out>(F, row);

  for (int r = 0; r < A.ndiag; r++) {
    const int     c      = cell + A.offset[r];
    const bool    inside = static_cast<unsigned>(c) < static_cast<unsigned>(A.cols / b);
    const Scalar *v      = A.values + static_cast<std::size_t>(r) * b * A.ld + static_cast<std::size_t>(cell) * b;
    HEPTANE_UNROLL
    for (int s = 0; s < (B > 0 ? B : b); s++) {
      const Scalar a = inside ? fold_entry<B>(F, left, b, v, A.ld, static_cast<std::size_t>(c) * b, i, s) : Scalar(0);
      if (r == drop) found |= fold_unit(a, i, s);
      else out[(static_cast<std::size_t>(r - (drop >= 0 && r > drop)) * b + s) * A.ld + row] = a;
      if constexpr (std::is_same_v<Out, Single>) found |= fold_in_range<Out>(a);
    }
  }
  return found;
}

/* FusedSide::none: the row rounded */
HEPTANE_HD int bdiagh_round_row(const BdiaghDiagonals &A, int row, Single *out)
{
  Scalar most = 0;

  for (int k = 0; k < A.ndiag * A.block; k++) {
    const Scalar a      = A.values[k * A.ld + row];
    out[k * A.ld + row] = static_cast<Single>(a);
    most                = fold_larger(most, a);
  }
  return fold_row_in_range(most);
}

/* Whether the diagonals are in pairs around the main one, so that the upper ones can represent the lower ones: block
   size 1 */
inline bool bdiagh_in_pairs(const BdiaghDiagonals &A, int main_diagonal)
{
  if (A.block != 1 || A.rows != A.cols || main_diagonal < 0 || A.ndiag != 2 * main_diagonal + 1) return false;
  for (int r = 0; r < main_diagonal; r++)
    if (A.offset[r] != -A.offset[A.ndiag - 1 - r]) return false;
  return true;
}

/* The row scaled from both sides into out, which has the diagonals above the main one, index `main`. FusedScaled bits:
   of the main diagonal, and of the lower ones, unscaled. */
template <class Out>
HEPTANE_HD int bdiagh_fold_upper_row(const BdiaghDiagonals &A, const FusedScaling &F, int main, int row, Out *out)
{
  const FoldLeftFactor<1> left(F, row);
  const Scalar *const     v = A.values + row;
  int found = fold_positive(F, row) | fold_unit(fold_entry<1>(F, left, 1, v + main * A.ld, 0, row, 0, 0), 0, 0) | fold_factor_in_range<Out>(F, row);

  for (int k = 1; k <= main; k++) {
    const int up = main + k, column = row + A.offset[up], across = row - A.offset[up];

    const Scalar a            = column < A.cols ? fold_entry<1>(F, left, 1, v + up * A.ld, 0, column, 0, 0) : Scalar(0);
    out[(k - 1) * A.ld + row] = a;
    found |= fold_in_range<Out>(a);
    if (across >= 0 && v[(main - k) * A.ld] != A.values[up * A.ld + across]) found |= scaled_not_symmetric;
  }
  return found;
}

} // namespace heptane
