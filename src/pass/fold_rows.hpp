/*
   Scales entries of a row by a preconditioner, in every format: its blocks are of adjacent rows. For host and device;
   has no PETSc objects and no launch syntax.
*/
#pragma once

#include "fold.hpp"
#include "pc_rows.hpp"

namespace heptane
{

/* The left factor of a row, in registers if B > 0: a number, or a row of a block inverse */
template <int B>
struct FoldLeftFactor {
  static constexpr int most    = B > 0 ? B : 32;
  Scalar               m[most] = {};

  HEPTANE_HD FoldLeftFactor(const FusedScaling &F, std::size_t row)
  {
    if (F.side == FusedSide::right) return;
    if (F.block == 1) m[0] = F.side == FusedSide::both ? half_of(F.inverse[row]) : F.inverse[row];
    else {
      HEPTANE_UNROLL
      for (int k = 0; k < (B > 0 ? B : F.block); k++) m[k] = F.inverse[k * F.ld + row];
    }
  }
};

/*
   Component s of row i of a b x b block, scaled. v: component 0 of its row 0; component s of row k is s * next + k *
   down entries further. first: its first column. F has the same block size, or F.block is 1.
*/
template <int B>
HEPTANE_HD Scalar fold_entry(const FusedScaling &F, const FoldLeftFactor<B> &left, int b, const Scalar *v, std::size_t next, std::size_t first, int i, int s,
                             std::size_t down = 1)
{
  Scalar sum = 0;

  if (F.block == 1) {
    const Scalar a = v[s * next + i * down];
    if (F.side == FusedSide::left) return left.m[0] * a;
    if (F.side == FusedSide::right) return a * F.inverse[first + s];
    return a * (left.m[0] * half_of(F.inverse[first + s])); /* symmetric bitwise */
  }
  if (F.side == FusedSide::left) {
    HEPTANE_UNROLL
    for (int k = 0; k < (B > 0 ? B : b); k++) sum += left.m[k] * v[s * next + k * down];
  } else {
    HEPTANE_UNROLL
    for (int k = 0; k < (B > 0 ? B : b); k++) sum += v[k * next + i * down] * F.inverse[s * F.ld + first + k];
  }
  return sum;
}

/* Whether component s of row i of a block equals the unit matrix, as FusedScaled bits */
HEPTANE_HD int fold_unit(Scalar a, int i, int s)
{
  const Scalar e = s == i ? a - Scalar(1) : a;
  return (e < 0 ? -e : e) <= block_inverse_tolerance ? 0 : scaled_not_unit;
}

/*
   Whether `a` is stored as Out at full precision, as FusedScaled bits; small entries may become zeros next to a
   diagonal of ones
*/
template <class Out>
HEPTANE_HD int fold_in_range(Scalar a)
{
  if constexpr (std::is_same_v<Out, Single>) return (a < 0 ? -a : a) <= single_largest ? 0 : scaled_out_of_range;
  else return 0;
}

/* The larger magnitude; NaN if either is NaN */
HEPTANE_HD Scalar fold_larger(Scalar most, Scalar a)
{
  const Scalar size = a < 0 ? -a : a;
  return size <= most || most != most ? most : size;
}

/*
   Whether a row stored as Single without scaling stays in range: its largest entry is neither too large nor, unless all
   entries are zero, too small
*/
HEPTANE_HD int fold_row_in_range(Scalar most)
{
  return most == 0 || (most >= single_smallest && most <= single_largest) ? 0 : scaled_out_of_range;
}

/* The same for the factor of a row, which scales vectors stored as Out */
template <class Out>
HEPTANE_HD int fold_factor_in_range(const FusedScaling &F, std::size_t row)
{
  if constexpr (std::is_same_v<Out, Single>)
    return F.side != FusedSide::both || (F.inverse[row] >= single_smallest && F.inverse[row] <= single_largest) ? 0 : scaled_out_of_range;
  else return 0;
}

/* Whether symmetric scaling of the row is possible, if requested, as FusedScaled bits */
HEPTANE_HD int fold_positive(const FusedScaling &F, std::size_t row)
{
  return F.side != FusedSide::both || (F.inverse[row] > 0 && is_finite(F.inverse[row])) ? 0 : scaled_not_positive;
}

} // namespace heptane
