/*
   What the columns of other ranks add to a row of a product that waits for them itself. For host and device; knows no MPI and no PETSc objects.
*/
#pragma once

#include "../comm/peer_halo.hpp"
#include "remainder_rows.hpp"

namespace heptane
{

/* Entries ascending, as remainder_row(); columns number the ghosts of H, a few of which are waited for at once */
HEPTANE_HD Scalar halo_row(const RemainderRows &R, const PeerHalo &H, std::uint64_t round, int row)
{
  constexpr int N   = 4;
  const int     k   = remainder_of(R, row);
  Scalar        sum = 0;

  if (k < 0) return sum;
  for (int p = R.ptr[k], end = R.ptr[k + 1]; p < end; p += N) {
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

} // namespace heptane
