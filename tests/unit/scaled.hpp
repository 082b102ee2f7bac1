/*
   What an entry of a matrix scaled by a preconditioner is by the definition, for the unit tests of scaled copies.
*/
#pragma once

#include "pass/fold.hpp"

namespace heptane
{

/* Entry (i, j) of M^-1, or of its square root where it is on both sides */
inline double scaling_entry(const FusedScaling &F, long i, long j)
{
  if (i / F.block != j / F.block) return 0;
  const double a = F.inverse[(j % F.block) * F.ld + i];
  return F.side == FusedSide::both ? std::sqrt(a) : a;
}

/* stored(i, j): of the matrix */
template <class Stored>
double scaled_entry(const FusedScaling &F, const Stored &stored, long i, long j)
{
  const long row = i / F.block * F.block, column = j / F.block * F.block;
  double     sum = 0;

  if (F.side == FusedSide::both) return scaling_entry(F, i, i) * stored(i, j) * scaling_entry(F, j, j);
  for (int k = 0; k < F.block; k++)
    sum += F.side == FusedSide::left ? scaling_entry(F, i, row + k) * stored(row + k, j) : stored(i, column + k) * scaling_entry(F, column + k, j);
  return sum;
}

} // namespace heptane
