/*
   A barrier of the processes of one node without their hosts, with a time limit: each stores a word in the memory of
   every other process and polls the words it receives. For host and device; uses no MPI and no PETSc objects.
   On the device a barrier is a kernel of one block: earlier work on its stream is done, and later work begins when all
   words have arrived. Word w of a group belongs to process w. The device counts barriers, so that a graph may contain
   them. A process sends the word of barrier e + 1 only after it has received all words of e. So a receiver of e reads a
   word of e or e + 1, and one word per process is enough.
*/
#pragma once

#include "../../../comm/peer_sums.hpp"

namespace heptane
{

struct GridBarrier {
  static constexpr int groups = 2, most = PeerSums::most_ranks; /* all processes; processes with slabs, which are the first ones */
  /* words of each process; bytes of its memory, with the failure flag after the words */
  static constexpr std::size_t words = groups * most, bytes = 4096;

  int            rank     = 0;
  PeerWord      *at[most] = {};      /* words of each process, as this one addresses them */
  std::uint64_t *epoch    = nullptr; /* [groups], the last barrier of each group; in device memory of this process, as is `arrived` */
  unsigned      *arrived  = nullptr; /* blocks of a kernel that have done their work before its barrier; zero between kernels */
  PeerLimit      limit;
};

/* A barrier of this process and another one, called by one thread for each other process of the group. Returns false
   after a timeout; limit.failed is then set on all processes */
HEPTANE_HD bool grid_barrier(const GridBarrier &M, int group, std::uint64_t epoch, int other)
{
  const PeerWord *from = M.at[M.rank] + group * GridBarrier::most + other;

  peer_store(M.at[other] + group * GridBarrier::most + M.rank, 0., epoch);
  return peer_wait(M.limit, [&] { return peer_load(from).epoch >= epoch; });
}

} // namespace heptane
