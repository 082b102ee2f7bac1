/*
   Sums over all blocks of the concurrent kernels of all ranks of one node: every block stores its part in the memory of
   every rank, and each block adds all parts in the same order, so that all blocks of all ranks have the same bits. Host
   and device share this source. Uses neither MPI nor PETSc objects.
*/
#pragma once

#include "peer_sums.hpp"

namespace heptane
{

/*
   Table s & 1 holds the parts of sum number s. Two tables suffice without any order of memory accesses other than the
   atomicity of a word. A block stores a part of s + 2 only after it has read all parts of s + 1. These include the part
   of any block A, which A stores only after it has read all parts of s, as a store that depends on the end of a loop is
   not performed before the loop's loads have returned the values that end it. So no part of s is overwritten that a
   block has yet to read: an execution in which one is has no part s + 1 of that block. Numbers continue from kernel to
   kernel and from user to user, so that nothing is reset.
   Such a sum is also a barrier. The words of the halo that a block reads before it stores its part (peer_halo.hpp) are
   read before any rank continues after the sum: their buffers may then be overwritten.
*/
struct PeerGrid {
  static constexpr int most_blocks = 160, most_sums = 4;
  /*
     Copies of each part, each read by a share of the blocks: fewer readers of a cache line. Local parts: as on one GPU.
     Remote parts have fewer copies, as each costs a word between the GPUs: 2 copies make CG 5 % faster than 4. Four
     H200
  */
  static constexpr int copies = 4, remote_copies = 2;
  static constexpr int most_ranks = PeerSums::most_ranks;

  int            ranks              = 1; /* 1: no other ranks, and no table */
  int            rank               = 0;
  int            blocks[most_ranks] = {};      /* of each rank */
  PeerWord      *at[most_ranks]     = {};      /* [r]: in the memory of rank r, [2][copies][most_sums][ranks][most_blocks] */
  PeerWord      *local              = nullptr; /* at[rank] */
  std::uint64_t *sums               = nullptr; /* number of completed sums; local, in the memory space of the kernels, the same on all ranks */
  PeerLimit      limit;

  static constexpr std::size_t words(int ranks) { return 2ul * copies * most_sums * most_blocks * ranks; } /* of each rank */
};

/* Copies of a part of a block of rank `of` in the memory of rank `in` */
HEPTANE_HD int peer_copies(int of, int in)
{
  return of == in ? PeerGrid::copies : PeerGrid::remote_copies;
}

/* Position of the parts of the blocks of rank r of sum k in the table of any rank */
HEPTANE_HD int peer_parts(const PeerGrid &G, int k, std::uint64_t number, int copy, int r)
{
  return (((static_cast<int>(number & 1) * PeerGrid::copies + copy) * PeerGrid::most_sums + k) * G.ranks + r) * PeerGrid::most_blocks;
}

/* Stores a block's part of sum k for rank r, one of its copies */
HEPTANE_HD void peer_part_to(const PeerGrid &G, int r, int k, std::uint64_t number, int copy, int block, double part)
{
  peer_store(G.at[r] + peer_parts(G, k, number, copy, G.rank) + block, part, number);
}

/* The subtotal of rank r that one of `lanes` threads of a block adds; NaN if a part did not arrive within the limit */
HEPTANE_HD double peer_share(const PeerGrid &G, int k, std::uint64_t number, int block, int r, int lane, int lanes)
{
  constexpr int   together = 5; /* loads in flight at once: with a warp one round for 160 blocks */
  const PeerWord *part     = G.local + peer_parts(G, k, number, block % peer_copies(r, G.rank), r);
  const int       blocks   = G.blocks[r];
  double          share    = 0;

  for (int first = lane; first < blocks; first += lanes * together) {
    PeerWord       word[together] = {};
    const int      left           = (blocks - first + lanes - 1) / lanes;
    const unsigned missing        = (1u << (left < together ? left : together)) - 1;

    if (!peer_words(
          G.limit, number, missing, [&](int i) { return part + first + lanes * i; }, word))
      return peer_nan();
    HEPTANE_UNROLL
    for (int i = 0; i < together; i++)
      if (missing >> i & 1) share += word[i].value;
  }
  return share;
}

/*
   Number of the last sum before the kernel, and, by one thread of the rank at its end, of its last one: every block has
   read the former before it stored a part of the first sum of the kernel
*/
HEPTANE_HD std::uint64_t peer_formed(const PeerGrid &G)
{
  return peer_counter(G.sums);
}
HEPTANE_HD void peer_end_sums(const PeerGrid &G, std::uint64_t number)
{
  *G.sums = number + (peer_failed(G.limit) ? 2 : 0); /* after a failure other blocks may have stored parts of the next one */
}

} // namespace heptane
