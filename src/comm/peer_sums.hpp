/*
   Sums over the ranks of one node: every rank stores its part in the memory of all ranks, and each adds the parts in
   rank order, so that all have the same bits. Host and device share this source. Uses neither MPI nor PETSc objects.
*/
#pragma once

#include "peer_wait.hpp"

namespace heptane
{

/*
   Buffer e & 1 holds sum k of epoch e. Two buffers suffice if every rank executes the same sequence of stores of parts
   and totals, and if between the last total of (k, e) and the store of its part of (k, e + 2) it stores its part of
   some sum (j, f) and then totals (j, f). Rank A stores its part of (j, f) only after all its readers have read the
   words of (k, e), and rank B stores (k, e + 2) only after it has read this part of A: so no word of e is overwritten
   before a reader of A has read it. The argument needs only the exit conditions of the polling loops, not an order of
   memory accesses: in an execution in which A misses e there is no part of A of (j, f).
   A sum that is totalled after every store satisfies this by itself, with j = k and f = e + 1. In CG sum 2, then 0 and
   1 are stored once per iteration, and each is totalled before it is stored again. "All its readers": if several blocks
   total, the block that stores does so after them, by the end of a kernel or a barrier of the grid.
*/
struct PeerSums {
  static constexpr int         most_ranks = 8, most_sums = 8;
  static constexpr std::size_t words = 2 * most_sums * most_ranks; /* of each rank */

  int       ranks          = 1;
  int       rank           = 0;
  PeerWord *at[most_ranks] = {};      /* [r]: in the memory of rank r, [2][most_sums][most_ranks] */
  PeerWord *local          = nullptr; /* at[rank]: at[] would be in local memory if the index were not a compile-time constant */
  /*
     [most_sums], number of stores of a sum, which is its epoch; local, in the memory space of the passes, the same on
     all ranks
  */
  std::uint64_t *published = nullptr;
  PeerLimit      limit;
};

/* Position of a rank's part of a sum in the area of any rank */
HEPTANE_HD int peer_slot(int k, std::uint64_t epoch, int rank)
{
  return (static_cast<int>(epoch & 1) * PeerSums::most_sums + k) * PeerSums::most_ranks + rank;
}

/* The next epoch */
HEPTANE_HD std::uint64_t peer_next(const PeerSums &P, int k)
{
  return peer_counter(P.published + k) + 1;
}

/*
   A sum may also be stored by one thread per rank r: the position of the own part in the memory of r, and the position
   of the part of r in the own memory. They are computed before the sum is known.
*/
struct PeerSlots {
  std::uint64_t   epoch = 0;
  PeerWord       *to    = nullptr;
  const PeerWord *from  = nullptr;
};
HEPTANE_HD PeerSlots peer_slots(const PeerSums &P, int k, int r)
{
  const std::uint64_t epoch = peer_next(P, k);

  return {epoch, P.at[r] + peer_slot(k, epoch, P.rank), P.local + peer_slot(k, epoch, r)};
}
HEPTANE_HD void peer_publish_to(const PeerSlots &slots, double part)
{
  peer_store(slots.to, part, slots.epoch);
}
/* Counts the store of the sum, after each thread has loaded its slots and stored its word */
HEPTANE_HD void peer_published(const PeerSums &P, int k, std::uint64_t epoch)
{
  P.published[k] = epoch;
}

/* By one thread of the rank: stores its parts of sums first, first + 1, ... */
template <int K>
HEPTANE_HD void peer_publish(const PeerSums &P, int first, const double (&part)[K])
{
  std::uint64_t epoch[K];

  HEPTANE_UNROLL
  for (int k = 0; k < K; k++) epoch[k] = peer_counter(P.published + first + k) + 1;
  HEPTANE_UNROLL
  for (int r = 0; r < PeerSums::most_ranks; r++) {
    if (r < P.ranks) {
      HEPTANE_UNROLL
      for (int k = 0; k < K; k++) peer_store(P.at[r] + peer_slot(first + k, epoch[k], P.rank), part[k], epoch[k]);
    }
  }
  HEPTANE_UNROLL
  for (int k = 0; k < K; k++) P.published[first + k] = epoch[k];
}
HEPTANE_HD void peer_publish(const PeerSums &P, int k, double part)
{
  const double one[1] = {part};

  peer_publish(P, k, one);
}

/*
   By any thread: the sum of that epoch. NaN if a part did not arrive within the limit. All words are loaded before the
   first is tested, then the missing words again.
*/
HEPTANE_HD double peer_total(const PeerSums &P, int k, std::uint64_t epoch)
{
  const PeerWord *slot                       = P.local + peer_slot(k, epoch, 0);
  PeerWord        word[PeerSums::most_ranks] = {};
  const bool      complete                   = peer_words(
                           P.limit, epoch, (1u << P.ranks) - 1, [&](int r) { return slot + r; }, word);

  if (!complete) return peer_nan();
  double total = word[0].value;
  HEPTANE_UNROLL
  for (int r = 1; r < PeerSums::most_ranks; r++)
    if (r < P.ranks) total += word[r].value;
  return total;
}
/* The part of r, for callers that add the parts themselves; NaN as above */
HEPTANE_HD double peer_part(const PeerLimit &limit, const PeerSlots &slots)
{
  PeerWord word = {};

  const bool complete = peer_wait(limit, [&] {
    word = peer_load(slots.from);
    return word.epoch == slots.epoch;
  });
  return complete ? word.value : peer_nan();
}
/* The sum stored last, by an earlier kernel or before a barrier of the grid */
HEPTANE_HD double peer_total(const PeerSums &P, int k)
{
  return peer_total(P, k, peer_counter(P.published + k));
}

} // namespace heptane
