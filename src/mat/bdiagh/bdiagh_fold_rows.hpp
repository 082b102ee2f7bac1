/*
   Scaling of one row of block diagonals by a preconditioner, written once for host and device. Knows no PETSc objects and no launch syntax.
*/
#pragma once

#include "../../ksp/fused/pc_rows.hpp"
#include "../../ksp/fused/fold.hpp"
#include "../aij/remainder_rows.hpp"
#include "bdiagh_rows.hpp"

namespace heptane
{

/* The factor that stands left of a row, in registers where B > 0: an entry, or a row of a block inverse */
template <int B>
struct BdiaghLeftFactor {
  static constexpr int most    = B > 0 ? B : 32;
  Scalar               m[most] = {};

  HEPTANE_HD BdiaghLeftFactor(const FusedScaling &F, int row)
  {
    if (F.side == FusedSide::right) return;
    if (F.block == 1) m[0] = F.side == FusedSide::both ? half_of(F.inverse[row]) : F.inverse[row];
    else {
      HEPTANE_UNROLL
      for (int k = 0; k < (B > 0 ? B : F.block); k++) m[k] = F.inverse[k * F.ld + row];
    }
  }
};

/* Component s of the row on block diagonal r, scaled; A and F have the same block size, or F.block is 1 */
template <int B>
HEPTANE_HD Scalar bdiagh_scaled(const BdiaghDiagonals &A, const FusedScaling &F, const BdiaghLeftFactor<B> &left, int r, int row, int s)
{
  const int         b = block_of<B>(A), cell = row / b, c = cell + A.offset[r];
  const std::size_t first = static_cast<std::size_t>(c) * b;
  const Scalar     *v     = A.values + static_cast<std::size_t>(r) * b * A.ld;
  Scalar            sum   = 0;

  if (static_cast<unsigned>(c) >= static_cast<unsigned>(A.cols / b)) return 0;
  if (F.block == 1) {
    const Scalar a = v[s * A.ld + row];
    if (F.side == FusedSide::left) return left.m[0] * a;
    if (F.side == FusedSide::right) return a * F.inverse[first + s];
    return a * (left.m[0] * half_of(F.inverse[first + s])); /* stays symmetric to the last bit */
  }
  if (F.side == FusedSide::left) {
    const Scalar *block = v + s * A.ld + static_cast<std::size_t>(cell) * b;
    HEPTANE_UNROLL
    for (int k = 0; k < (B > 0 ? B : b); k++) sum += left.m[k] * block[k];
  } else {
    const Scalar *inverse = F.inverse + s * F.ld + first;
    HEPTANE_UNROLL
    for (int k = 0; k < (B > 0 ? B : b); k++) sum += v[k * A.ld + row] * inverse[k];
  }
  return sum;
}

/* The row scaled into out, which has the block diagonals of A, without number `drop` if that is not -1. FusedScaled bits: what is dropped should be the unit matrix. */
template <int B>
HEPTANE_HD int bdiagh_fold_row(const BdiaghDiagonals &A, const FusedScaling &F, int drop, int row, Scalar *out)
{
  const BdiaghLeftFactor<B> left(F, row);
  const int                 b = block_of<B>(A), i = row % b;
  int                       found = 0;

  if (F.side == FusedSide::both && !(F.inverse[row] > 0 && is_finite(F.inverse[row]))) found |= scaled_not_positive;
  for (int r = 0; r < A.ndiag; r++) {
    HEPTANE_UNROLL
    for (int s = 0; s < (B > 0 ? B : b); s++) {
      const Scalar a = bdiagh_scaled(A, F, left, r, row, s);
      if (r == drop) {
        const Scalar e = s == i ? a - Scalar(1) : a;
        if (!((e < 0 ? -e : e) <= own_blocks_tolerance)) found |= scaled_not_unit;
      } else out[(static_cast<std::size_t>(r - (drop >= 0 && r > drop)) * b + s) * A.ld + row] = a;
    }
  }
  return found;
}

/* Whether the diagonals lie around the main one in pairs, so that those above it may stand for those below: block size 1 */
inline bool bdiagh_in_pairs(const BdiaghDiagonals &A, int main_diagonal)
{
  if (A.block != 1 || A.rows != A.cols || main_diagonal < 0 || A.ndiag != 2 * main_diagonal + 1) return false;
  for (int r = 0; r < main_diagonal; r++)
    if (A.offset[r] != -A.offset[A.ndiag - 1 - r]) return false;
  return true;
}

/* The row scaled from both sides into out, which has the diagonals above the main one, number `main`. FusedScaled bits: of the main diagonal, and of those below, unscaled. */
HEPTANE_HD int bdiagh_fold_half_row(const BdiaghDiagonals &A, const FusedScaling &F, int main, int row, Scalar *out)
{
  const BdiaghLeftFactor<1> left(F, row);
  int                       found = F.inverse[row] > 0 && is_finite(F.inverse[row]) ? 0 : scaled_not_positive;
  const Scalar              e     = bdiagh_scaled(A, F, left, main, row, 0) - Scalar(1);

  if (!((e < 0 ? -e : e) <= own_blocks_tolerance)) found |= scaled_not_unit;
  for (int k = 1; k <= main; k++) {
    const int up = main + k, across = row - A.offset[up];

    out[(k - 1) * A.ld + row] = bdiagh_scaled(A, F, left, up, row, 0);
    if (across >= 0 && A.values[(main - k) * A.ld + row] != A.values[up * A.ld + across]) found |= scaled_not_symmetric;
  }
  return found;
}

/* The row's part of the remainder scaled into out, which lies as R.values does; F.block is 1 */
HEPTANE_HD void bdiagh_fold_remainder_row(const RemainderRows &R, const FusedScaling &F, int row, Scalar *out)
{
  const int                 k = remainder_of(R, row);
  const BdiaghLeftFactor<1> left(F, row);

  if (k < 0) return;
  for (int p = R.ptr[k]; p < R.ptr[k + 1]; p++) {
    const Scalar a = R.values[p];
    out[p] = F.side == FusedSide::left ? left.m[0] * a : F.side == FusedSide::right ? a * F.inverse[R.col[p]] : a * (left.m[0] * half_of(F.inverse[R.col[p]]));
  }
}

} // namespace heptane
