/*
   Where processes of one node meet without their hosts: each leaves a word in the memory of the others and waits for theirs, with a limit. For host and device; knows no MPI and no PETSc objects.

   On the device a meeting is a kernel of one block: what its process has queued before is done then, and what it queues later begins when all have come. Word w of a group is that of process w.
   Meetings are counted on the device, so that a graph may hold them. A process leaves the word of meeting e + 1 only after it has had those of e from all, so a word is of meeting e or e + 1 while somebody waits for e, and needs no second place.
*/
#pragma once

#include "../../../comm/peer_sums.hpp"

namespace heptane
{

struct GridMeeting {
  static constexpr int         groups = 2, most = PeerSums::most_ranks; /* all processes, those with slabs: the first ones */
  static constexpr std::size_t words = groups * most, bytes = 4096;     /* words of each process; of its memory, with the flag of failures behind the words */

  int            rank     = 0;
  PeerWord      *at[most] = {};      /* words of each process, as this one addresses them */
  std::uint64_t *epoch    = nullptr; /* [groups], of the last meeting of each group; memory of this process on the device, as is `arrived` */
  unsigned      *arrived  = nullptr; /* blocks of a kernel that have done what is before its meeting; zero between kernels */
  PeerLimit      limit;
};

/* This process and another one, by one thread for each other process of the group. False where that did not come in time: limit.failed is raised then, on all */
HEPTANE_HD bool grid_meet(const GridMeeting &M, int group, std::uint64_t epoch, int other)
{
  const PeerWord *from = M.at[M.rank] + group * GridMeeting::most + other;

  peer_store(M.at[other] + group * GridMeeting::most + M.rank, 0., epoch);
  return peer_wait(M.limit, [&] { return peer_load(from).epoch >= epoch; });
}

} // namespace heptane
