/*
   The values of ghost columns from other ranks of one node: the owner stores them word by word into the memory of each
   reader, and each row has to wait only for the words that it reads. Host and device share this source. Uses neither
   MPI nor PETSc objects; peer_setup.* builds the lists.
*/
#pragma once

#include "../device/scalar.hpp"
#include "peer_wait.hpp"

namespace heptane
{

struct PeerNeighbour {
  int       first;  /* its first value in the send list */
  int       stride; /* words from its buffer 0 to its buffer 1 */
  PeerWord *to;     /* position of this rank's values in its memory, buffer 0 */
};

/*
   Round r, the r-th product, uses buffer r & 1. Two buffers suffice if - a rank begins to push round r + 1 only after
   all its readers have read their ghosts of round r, and - neighbours are symmetric: a rank receives at least one word
   from each rank that it sends to, an empty word if no value
     is needed, and has received one when it ends a round, also if none of its rows reads a value.
   Then B pushes r + 2 to A after it has received a word of r + 1 from A, which A has pushed after it had read all of r:
   B cannot overwrite a word that A has yet to read. As with the sums (peer_sums.hpp) this needs no order of memory
   accesses. No sum is needed in between.
*/
struct PeerHalo {
  int                  sends      = 0; /* with the empty words for other ranks */
  int                  neighbours = 0; /* ranks to which words are sent */
  int                  ghosts     = 0;
  int                  others     = 0;       /* neighbours from which no row reads a word */
  int                  stride     = 0;       /* words of a buffer */
  int                  spare      = 0;       /* the first of PeerHalo::spare_words in it that the rank stores for itself, see peer_local_word() */
  const int           *send_row   = nullptr; /* [sends], sorted by neighbour; negative: an empty word */
  const PeerNeighbour *neighbour  = nullptr; /* [neighbours] */
  const PeerWord      *ghost      = nullptr; /* [2][stride], in own memory; after the ghosts the words that only announce a neighbour */
  const int           *other      = nullptr; /* [others], one word of each such neighbour */
  std::uint64_t       *rounds     = nullptr; /* completed rounds; local, in the memory space of the products, the same on all ranks */
  unsigned            *arrived    = nullptr; /* zero between products: blocks of the device that have read their ghosts */
  /* Not null: the ghosts have arrived when the product begins; there are no sends and no waiting */
  const Scalar *received = nullptr;
  PeerLimit     limit;

  /* On the device. 128 KiB of memory for the two buffers */
  static constexpr int spare_words = 4096;
};

/* The round of the current or next product; callable by any thread until the last one ends the round */
HEPTANE_HD std::uint64_t peer_round(const PeerHalo &H)
{
  return peer_counter(H.rounds) + 1;
}

/*
   Word `number` of the words that this rank stores for itself in a round. A kernel stores it before it ends the round.
   Rows of the kernel may wait for it as for ghost spare + number.
*/
HEPTANE_HD PeerWord *peer_local_word(const PeerHalo &H, std::uint64_t round, int number)
{
  return const_cast<PeerWord *>(H.ghost) + (round & 1 ? H.stride : 0) + H.spare + number;
}

/* First word to a neighbour in a round */
HEPTANE_HD PeerWord *peer_buffer(const PeerHalo &H, std::uint64_t round, int neighbour)
{
  const PeerNeighbour &N = H.neighbour[neighbour];

  return N.to + (round & 1 ? N.stride : 0);
}

/* Stores u of the rows that other ranks need: entries first, first + step, ... of the send list */
template <class U>
HEPTANE_HD void peer_push(const PeerHalo &H, std::uint64_t round, const U &u, int first, int step)
{
  for (int s = first, n = 0; s < H.sends; s += step) {
    while (n + 1 < H.neighbours && s >= H.neighbour[n + 1].first) n++;
    const int row = H.send_row[s];

    peer_store(peer_buffer(H, round, n) + (s - H.neighbour[n].first), row < 0 ? 0. : static_cast<double>(u[row]), round);
  }
}

/*
   Destination of one value, for kernels that produce values one by one: the neighbour, and the index of the word from
   peer_buffer() on
*/
constexpr int         peer_place_bits  = 28;
constexpr std::size_t peer_most_places = std::size_t(1) << peer_place_bits;

constexpr int peer_target(int neighbour, int place)
{
  return neighbour << peer_place_bits | place;
}
/* to: peer_buffer() of each neighbour */
HEPTANE_HD void peer_send(PeerWord *const *to, int target, std::uint64_t round, double value)
{
  peer_store(to[target >> peer_place_bits] + (target & ((1 << peer_place_bits) - 1)), value, round);
}
/* Stores the empty words of the round, for neighbours that need no value: entries first, first + step, ... */
HEPTANE_HD void peer_send_empty(const PeerHalo &H, std::uint64_t round, int first, int step)
{
  for (int n = first; n < H.neighbours; n += step)
    if (H.send_row[H.neighbour[n].first] < 0) peer_store(peer_buffer(H, round, n), 0., round);
}

/*
   Reads the first `count` ghosts j[] when they arrive; all are loaded before the first is tested. NaN if one did not
   arrive within the limit.
*/
template <int N>
HEPTANE_HD void peer_ghosts(const PeerHalo &H, std::uint64_t round, const int (&j)[N], int count, double (&value)[N])
{
  const PeerWord *from    = H.ghost + (round & 1 ? H.stride : 0);
  PeerWord        word[N] = {};

  const bool complete = peer_words(
    H.limit, round, ~0u >> (32 - count), [&](int i) { return from + j[i]; }, word);
  HEPTANE_UNROLL
  for (int i = 0; i < N; i++) value[i] = complete ? word[i].value : peer_nan();
}
HEPTANE_HD double peer_ghost(const PeerHalo &H, std::uint64_t round, int j)
{
  const int one[1] = {j};
  double    value[1];

  peer_ghosts(H, round, one, 1, value);
  return value[0];
}

/*
   By one thread, after all readers of the rank have read their ghosts: reads a word from each neighbour from which no
   row reads one. NaN is the result of a failed wait.
*/
HEPTANE_HD void peer_end_round(const PeerHalo &H, std::uint64_t round)
{
  for (int j = 0; j < H.others; j++) (void)peer_ghost(H, round, H.other[j]);
  *H.rounds = round;
}

/*
   By one thread of the rank, at the end of a kernel of several rounds, each of which was read before a sum over all
   blocks; this round was the last. limit: of the sums
*/
HEPTANE_HD void peer_end_rounds(const PeerHalo &H, const PeerLimit &limit, std::uint64_t round)
{
  *H.rounds = round + (peer_failed(limit) || peer_failed(H.limit) ? 2 : 0); /* after a failure other blocks may have sent words of the next one */
}

} // namespace heptane
