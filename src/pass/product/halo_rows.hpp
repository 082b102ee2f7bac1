/*
   The off-rank contribution to a row of a product whose kernel reads the halo itself. For host and device; uses neither
   MPI nor PETSc objects.
*/
#pragma once

#include "../../comm/peer_halo.hpp"
#include "../remainder_rows.hpp"

namespace heptane
{

/* Reads the first `count` ghosts j[], as peer_ghosts() or from values that have arrived already */
template <int N>
HEPTANE_HD void halo_ghosts(const PeerHalo &H, std::uint64_t round, const int (&j)[N], int count, double (&value)[N])
{
  if (!H.received) {
    peer_ghosts(H, round, j, count, value);
    return;
  }
  HEPTANE_UNROLL
  for (int i = 0; i < N; i++) value[i] = i < count ? static_cast<double>(H.received[j[i]]) : 0;
}

/* Entries first, ... of R, ascending; columns are ghosts of H, a few of which are loaded together */
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
    halo_ghosts(H, round, j, count, x);
    HEPTANE_UNROLL
    for (int i = 0; i < N; i++)
      if (i < count) sum += R.values[p + i] * static_cast<Scalar>(x[i]);
  }
  return sum;
}

/* The subtotal of lane `lane` of 32: every 32nd of the entries first to end - 1 of R; columns are ghosts of H */
HEPTANE_HD Scalar halo_share(const RemainderRows &R, int first, int end, int lane, const PeerHalo &H, std::uint64_t round)
{
  constexpr int N = 4, lanes = 32;
  Scalar        sum = 0;

  for (int p = first + lane; p < end; p += N * lanes) {
    const int left = (end - p + lanes - 1) / lanes, count = left < N ? left : N;
    int       j[N] = {};
    Scalar    a[N] = {};
    double    x[N];

    HEPTANE_UNROLL
    for (int i = 0; i < N; i++)
      if (i < count) {
        j[i] = R.col[p + i * lanes];
        a[i] = R.values[p + i * lanes];
      }
    halo_ghosts(H, round, j, count, x);
    HEPTANE_UNROLL
    for (int i = 0; i < N; i++)
      if (i < count) sum += a[i] * static_cast<Scalar>(x[i]);
  }
  return sum;
}

/*
   Loaded for 32 rows together with the data that a format loads for one row: which rows have off-rank columns, and the
   number of such rows before them
*/
struct HaloWord {
  std::uint32_t mask = 0;
  int           base = 0;
};

HEPTANE_HD HaloWord halo_word(const RemainderRows &R, int row)
{
  if (!R.mask) return HaloWord();
  return {load_shared(R.mask + row / 32), load_shared(R.base + row / 32)};
}

/*
   All entries of a row, as remainder_row(). word: of the 32 rows around this one. R.ptr null: all rows of R have
   R.longest entries, which saves loading the row's start.
*/
HEPTANE_HD Scalar halo_row(const RemainderRows &R, const HaloWord &word, const PeerHalo &H, std::uint64_t round, int row)
{
  const std::uint32_t bit = std::uint32_t(1) << row % 32;

  if (!(word.mask & bit)) return 0;
  const int k = word.base + count_bits(word.mask & (bit - 1)), first = R.ptr ? R.ptr[k] : k * R.longest;
  return halo_entries(R, first, R.ptr ? R.ptr[k + 1] : first + R.longest, H, round);
}

} // namespace heptane
