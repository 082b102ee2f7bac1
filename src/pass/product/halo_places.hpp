/*
   The halo of a solve in one kernel: the values that each thread sends, and the off-rank contribution to A u of its
   rows, updated by recurrence from received values. For host and device; uses neither MPI nor PETSc objects.
*/
#pragma once

#include "halo_rows.hpp"

namespace heptane
{

/* See HaloPlaces */
template <int PLACES, bool MANY>
struct HaloFurther {
  volatile int target[PLACES], targets_end[PLACES], ghost[PLACES], ghosts_end[PLACES]; /* entries after the first, or after the first COLUMNS */
};
template <int PLACES>
struct HaloFurther<PLACES, false> {};

/*
   Rows of one thread, one in each of PLACES places. C: the columns of other ranks; u = z + b u: the vector that is
   multiplied, of which only z is sent. As C u = C z + b C u, a row updates its part of C u by recurrence and needs no
   remote value of u. Recurrences of several vectors work alike: a row stores KEPT such parts. z is sent before a sum
   over all blocks and read after it, so that the transfer overlaps the sum.
   Rounding, CG: while b = beta / beta_old, an error of j iterations ago enters with beta / beta_j. Relative to u that
   is at most as large as a present error, as |u_j| / beta_j grows with j: |u_j|^2 / beta_j^2 is the sum of 1 / beta_i
   up to j if M is the identity.
   Round numbers continue the rounds of the products (peer_halo.hpp). A round is read before the sum (peer_grid.hpp)
   after which the round that reuses its buffer, the next but one, is sent; hence no wait for empty words of neighbours.
   A kernel may end with a round that is never read. The first round of a later kernel uses the other buffer, all of
   whose words were read before the last sum but one, and the round after it overwrites words that no thread waits for.
   Stored in local memory, not in registers, as few threads have such rows. Threads without such rows touch only four
   words of it: local memory that is written by all threads of a device tends to stay in the second-level cache and to
   evict values (36 MB with 16 rows per thread). The words of a few places are loaded together, whether or not the
   places have such rows: conditional loads one after the other would wait for memory 16 times with 16 places.
   COLUMNS: columns of a row that are loaded together, further ones after them: the unknowns of a cell. A row with fewer
   columns repeats its first one, times zero.
   MANY: rows of wells are sent to several ranks, and the locations of their further words are stored too; without MANY
   such rows are few, and are searched in each round.
*/
template <int PLACES, int KEPT = 1, int COLUMNS = 1, bool MANY = false>
class HaloPlaces {
public:
  /*
     The thread's place q is row first + q * step if that is less than end. sent: by row, columns are peer_target();
     rows: columns are ghosts
  */
  HEPTANE_HD void find(const RemainderRows &sent, const RemainderRows &rows, int first, int step, int end)
  {
    unsigned sends = 0, sends_more = 0, receives = 0, receives_more = 0;

    for (int q = 0; q < PLACES; q++) {
      const int row = first + q * step;
      if (row < end && remainder_of(sent, row) >= 0) sends |= 1u << q;
      if (row < end && remainder_of(rows, row) >= 0) receives |= 1u << q;
    }
    for (int q = 0; q < PLACES && (sends || receives); q++) {
      const int row = first + q * step, s = sends >> q & 1 ? remainder_of(sent, row) : -1, t = receives >> q & 1 ? remainder_of(rows, row) : -1;

      target[q]   = 0;
      received[q] = 0;
      for (int c = 0; c < COLUMNS; c++) ghost[q][c] = 0, factor[q][c] = 0;
      for (int k = 0; k < KEPT; k++) part[k][q] = 0;
      if (s >= 0) {
        const int at = sent.ptr[s];
        target[q]    = sent.col[at];
        if (sent.ptr[s + 1] - at > 1) sends_more |= 1u << q;
        if constexpr (MANY) further.target[q] = at + 1, further.targets_end[q] = sent.ptr[s + 1];
      }
      if (t >= 0) {
        const int at = rows.ptr[t], number = rows.ptr[t + 1] - at;
        for (int c = 0; c < COLUMNS; c++) {
          ghost[q][c]  = rows.col[c < number ? at + c : at];
          factor[q][c] = c < number ? rows.values[at + c] : Scalar(0);
        }
        if (number > COLUMNS) receives_more |= 1u << q;
        if constexpr (MANY) further.ghost[q] = at + COLUMNS, further.ghosts_end[q] = at + number;
      }
    }
    with_send = sends, with_sends = sends_more, with_ghost = receives, with_ghosts = receives_more;
  }

  /* Bit q: the row in place q is sent, or has columns of other ranks */
  HEPTANE_HD unsigned sends() const { return with_send; }
  HEPTANE_HD unsigned receives() const { return with_ghost; }
  /* Bit q: the row has more than COLUMNS of them */
  HEPTANE_HD unsigned several() const { return with_ghosts; }
  /*
     Bit q: receive() skips all off-rank columns but the first COLUMNS of the row in place q; the caller adds the others
     after each round
  */
  HEPTANE_HD void exclude(unsigned rows) { with_ghosts = with_ghosts & ~rows; }
  HEPTANE_HD void add(int q, Scalar z) { received[q] = received[q] + z; }

  /*
     value(q): the number of the thread's row in place q, which need not be a compile-time constant, here and below. to:
     peer_buffer() of each neighbour in the round
  */
  template <class Value>
  HEPTANE_HD void send(PeerWord *const *to, const RemainderRows &sent, int first, int step, std::uint64_t round, Value &&value) const
  {
    const unsigned sends = with_send;

    HEPTANE_UNROLL_BY(copies)
    for (int begin = 0; begin < PLACES; begin += 4) {
      int t[4];

      if (!(sends >> begin & 15)) continue;
      HEPTANE_UNROLL
      for (int i = 0; i < 4 && begin + i < PLACES; i++) t[i] = target[begin + i];
      HEPTANE_UNROLL
      for (int i = 0; i < 4 && begin + i < PLACES; i++)
        if (sends >> (begin + i) & 1) peer_send(to, t[i], round, static_cast<double>(value(begin + i)));
    }
    for_bits(with_sends, [&](int q) {
      const double v = static_cast<double>(value(q));
      int          begin, end;

      further_targets(sent, q, first + q * step, &begin, &end);
      for (int p = begin; p < end; p++) peer_send(to, sent.col[p], round, v);
    });
  }

  /* The same, one place after the other, in less code: once per kernel */
  template <class Value>
  HEPTANE_HD void send_first(PeerWord *const *to, const RemainderRows &sent, int first, int step, std::uint64_t round, Value &&value) const
  {
    for_bits(with_send, [&](int q) {
      const double v = static_cast<double>(value(q));
      const int    k = remainder_of(sent, first + q * step);

      for (int p = sent.ptr[k]; p < sent.ptr[k + 1]; p++) peer_send(to, sent.col[p], round, v);
    });
  }

  /* Waits for the round and computes C z of the thread's rows. NaN if a word does not arrive within the limit */
  HEPTANE_HD void receive(const PeerHalo &H, const RemainderRows &rows, int first, int step, std::uint64_t round)
  {
    const unsigned  receives = with_ghost;
    const PeerWord *from     = H.ghost + (round & 1 ? H.stride : 0);

    HEPTANE_UNROLL_BY(copies)
    for (int begin = 0; begin < PLACES; begin += waiting) {
      PeerWord       word[words] = {};
      const unsigned places = receives >> begin & ((1u << waiting) - 1), missing = columns_of(places);
      int            j[words] = {};
      Scalar         a[words];

      if (!places) continue;
      HEPTANE_UNROLL
      for (int i = 0; i < words && begin + i / COLUMNS < PLACES; i++) j[i] = ghost[begin + i / COLUMNS][i % COLUMNS];
      HEPTANE_UNROLL
      for (int i = 0; i < words && begin + i / COLUMNS < PLACES; i++) a[i] = factor[begin + i / COLUMNS][i % COLUMNS];
      const bool complete = peer_words(
        H.limit, round, missing, [&](int i) { return from + j[i]; }, word);
      HEPTANE_UNROLL
      for (int i = 0; i < waiting && begin + i < PLACES; i++) {
        Scalar sum = a[i * COLUMNS] * static_cast<Scalar>(word[i * COLUMNS].value);

        HEPTANE_UNROLL
        for (int c = 1; c < COLUMNS; c++) sum += a[i * COLUMNS + c] * static_cast<Scalar>(word[i * COLUMNS + c].value);
        if (places >> i & 1) received[begin + i] = complete ? sum : static_cast<Scalar>(peer_nan());
      }
    }
    if (with_ghosts) receive_shares(H, rows, first, step, round);
  }

  /* each(q, C z, the recurred part, which it changes) for the rows that have columns of other ranks */
  template <class Each>
  HEPTANE_HD void update_halo(Each &&each)
  {
    const unsigned receives = with_ghost;

    HEPTANE_UNROLL_BY(copies)
    for (int begin = 0; begin < PLACES; begin += together) {
      Scalar z[together], kept[together][KEPT];

      if (!(receives >> begin & ((1u << together) - 1))) continue;
      HEPTANE_UNROLL
      for (int i = 0; i < together && begin + i < PLACES; i++) {
        z[i] = received[begin + i];
        HEPTANE_UNROLL
        for (int k = 0; k < KEPT; k++) kept[i][k] = part[k][begin + i];
      }
      HEPTANE_UNROLL
      for (int i = 0; i < together && begin + i < PLACES; i++) {
        if (!(receives >> (begin + i) & 1)) continue;
        each(begin + i, z[i], kept[i]);
        HEPTANE_UNROLL
        for (int k = 0; k < KEPT; k++) part[k][begin + i] = kept[i][k];
      }
    }
  }

private:
  static constexpr int together = 4; /* places loaded together: a word needs four registers */
  /*
     Copies of the code in which places are constants. With many places the copies spill registers: one copy is 4 %
     faster with 16 rows per thread, 13 % slower with 8. H200
  */
  static constexpr int copies  = PLACES > 10 ? 1 : PLACES;
  static constexpr int waiting = COLUMNS > 1 ? 2 * together / COLUMNS : together, words = waiting * COLUMNS; /* places whose words are in flight */

  /* A bit for each word of the places */
  static HEPTANE_HD unsigned columns_of(unsigned places)
  {
    unsigned bits = 0;

    HEPTANE_UNROLL
    for (int i = 0; i < waiting; i++) bits |= places >> i & 1 ? ((1u << COLUMNS) - 1) << i * COLUMNS : 0;
    return bits;
  }

  /*
     f(q) for the bits q that are set, in one copy of the code: a copy per place would make the kernel several times as
     long
  */
  template <class F>
  static HEPTANE_HD void for_bits(unsigned bits, F &&f)
  {
    for (unsigned left = bits; left; left &= left - 1) f(count_bits((left & (0u - left)) - 1));
  }
  /* The columns after the first COLUMNS, for rows that have more */
  HEPTANE_HD void receive_shares(const PeerHalo &H, const RemainderRows &rows, int first, int step, std::uint64_t round)
  {
    for_bits(with_ghosts, [&](int q) {
      int begin, end;

      further_ghosts(rows, q, first + q * step, &begin, &end);
      received[q] = received[q] + halo_entries(rows, begin, end, H, round);
    });
  }
  HEPTANE_HD void further_targets(const RemainderRows &sent, int q, int row, int *begin, int *end) const
  {
    if constexpr (MANY) *begin = further.target[q], *end = further.targets_end[q];
    else {
      const int k = remainder_of(sent, row);
      *begin = sent.ptr[k] + 1, *end = sent.ptr[k + 1];
    }
  }
  HEPTANE_HD void further_ghosts(const RemainderRows &rows, int q, int row, int *begin, int *end) const
  {
    if constexpr (MANY) *begin = further.ghost[q], *end = further.ghosts_end[q];
    else {
      const int k = remainder_of(rows, row);
      *begin = rows.ptr[k] + COLUMNS, *end = rows.ptr[k + 1];
    }
  }

  volatile unsigned         with_send, with_sends, with_ghost, with_ghosts; /* bit q: of the row in place q; sends, ghosts: more than one */
  volatile int              target[PLACES], ghost[PLACES][COLUMNS];         /* the first of a row */
  volatile Scalar           factor[PLACES][COLUMNS];
  HaloFurther<PLACES, MANY> further;
  volatile Scalar           part[KEPT][PLACES], received[PLACES]; /* the recurred parts, and C z */
};

} // namespace heptane
