/*
   Sums over all blocks of the kernels of all ranks of one node, while these kernels run: every block leaves its part in the memory of every rank, and each adds all parts in
   the same order, so that all blocks of all ranks have the same bits. The same source for host and device. Knows no MPI and no PETSc objects.
*/
#pragma once

#include "peer_sums.hpp"

namespace heptane
{

/*
   The parts of sum number s lie in table s & 1. Two tables are enough without any order of memory beside that of a word in itself. A block leaves a part of s + 2 only after it
   had all parts of s + 1. Those of a block A are among them, and A leaves them only after it had all parts of s: a store that a loop has to end before is not done
   before the loop's loads have given what ends it. So no part of s is overwritten that some block has still to read; an execution in which one is has no part s + 1 of
   that block. Numbers go on from kernel to kernel and from user to user, so that nothing is reset.
   Such a sum is a barrier too. What a block has read of the halo before it leaves its part (peer_halo.hpp) it has read before any rank goes on behind the sum: its buffers
   may be overwritten then.
*/
struct PeerGrid {
  static constexpr int most_blocks = 160, most_sums = 4;
  /* Of each part, each of which a part of the blocks reads: fewer readers of a cache line. As on one GPU; of parts of other ranks fewer, which are fewer words between the GPUs: with 1, 2, 4 of them CG took
     8.42, 8.40, 8.81 us with 1.0M rows on four H200 */
  static constexpr int copies = 4, remote_copies = 2;
  static constexpr int most_ranks = PeerSums::most_ranks;

  int            ranks              = 1; /* 1: there is nobody else, and no table */
  int            rank               = 0;
  int            blocks[most_ranks] = {};      /* of each rank */
  PeerWord      *at[most_ranks]     = {};      /* [r]: in the memory of rank r, [2][copies][most_sums][ranks][most_blocks] */
  PeerWord      *own                = nullptr; /* at[rank] */
  std::uint64_t *sums               = nullptr; /* how many were formed; own memory where the kernels run, the same on all ranks */
  PeerLimit      limit;

  static constexpr std::size_t words(int ranks) { return 2ul * copies * most_sums * most_blocks * ranks; } /* of each rank */
};

/* Copies of a part of a block of rank `of` in the memory of rank `in` */
HEPTANE_HD int peer_copies(int of, int in)
{
  return of == in ? PeerGrid::copies : PeerGrid::remote_copies;
}

/* Where the parts of the blocks of rank r of sum k lie in the table of any rank */
HEPTANE_HD int peer_parts(const PeerGrid &G, int k, std::uint64_t number, int copy, int r)
{
  return (((static_cast<int>(number & 1) * PeerGrid::copies + copy) * PeerGrid::most_sums + k) * G.ranks + r) * PeerGrid::most_blocks;
}

/* A block's part of sum k to rank r, one of its copies */
HEPTANE_HD void peer_part_to(const PeerGrid &G, int r, int k, std::uint64_t number, int copy, int block, double part)
{
  peer_store(G.at[r] + peer_parts(G, k, number, copy, G.rank) + block, part, number);
}

/* What one of `lanes` threads of a block adds up of the parts of rank r; NaN where they did not come within the limit */
HEPTANE_HD double peer_share(const PeerGrid &G, int k, std::uint64_t number, int block, int r, int lane, int lanes)
{
  constexpr int   together = 5; /* asked for at once: with a warp one round for 160 blocks */
  const PeerWord *part     = G.own + peer_parts(G, k, number, block % peer_copies(r, G.rank), r);
  const int       blocks   = G.blocks[r];
  double          share    = 0;

  for (int first = lane; first < blocks; first += lanes * together) {
    PeerWord       word[together] = {};
    const int      left           = (blocks - first + lanes - 1) / lanes;
    const unsigned missing        = (1u << (left < together ? left : together)) - 1;

    if (!peer_words(
          G.limit, number, missing, [&](int i) { return part + first + lanes * i; }, word))
      return peer_nothing();
    HEPTANE_UNROLL
    for (int i = 0; i < together; i++)
      if (missing >> i & 1) share += word[i].value;
  }
  return share;
}

/* Of the last sum before the kernel; and, by one thread of the rank at its end, of its last: every block has read the former before it left a part of the first sum of the kernel */
HEPTANE_HD std::uint64_t peer_formed(const PeerGrid &G)
{
  return peer_counter(G.sums);
}
HEPTANE_HD void peer_end_sums(const PeerGrid &G, std::uint64_t number)
{
  *G.sums = number + (peer_failed(G.limit) ? 2 : 0); /* after a failure other blocks may have left parts of the next one */
}

} // namespace heptane
