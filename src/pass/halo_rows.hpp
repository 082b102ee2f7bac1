/*
   What the columns of other ranks add to a row of a product that waits for them itself. For host and device; knows no MPI and no PETSc objects.
*/
#pragma once

#include "../comm/peer_halo.hpp"
#include "remainder_rows.hpp"

namespace heptane
{

/* Entries first, ... of R, ascending; columns number the ghosts of H, a few of which are waited for at once */
HEPTANE_HD Scalar halo_entries(const RemainderRows &R, int first, int end, const PeerHalo &H, std::uint64_t round)
{
  constexpr int N   = 4;
  Scalar        sum = 0;

  for (int p = first; p < end; p += N) {
    const int count = end - p < N ? end - p : N;
    int       j[N]  = {};
    double    x[N];

    HEPTANE_UNROLL
    for (int i = 0; i < N; i++)
      if (i < count) j[i] = R.col[p + i];
    peer_ghosts(H, round, j, count, x);
    HEPTANE_UNROLL
    for (int i = 0; i < N; i++)
      if (i < count) sum += R.values[p + i] * static_cast<Scalar>(x[i]);
  }
  return sum;
}

/* All entries of a row, as remainder_row(). word: of the mask, with the bits of the 32 rows around this one */
HEPTANE_HD Scalar halo_row(const RemainderRows &R, std::uint32_t word, const PeerHalo &H, std::uint64_t round, int row)
{
  const std::uint32_t bit = std::uint32_t(1) << row % 32;

  if (!(word & bit)) return 0;
  const int k = R.base[row / 32] + count_bits(word & (bit - 1));
  return halo_entries(R, R.ptr[k], R.ptr[k + 1], H, round);
}

} // namespace heptane
