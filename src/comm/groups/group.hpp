/*
   Groups of consecutive processes of a node, one of which, the leader, works for all: those that share a GPU, or as many
   as -heptane_groups says. Knows neither matrices nor solvers.
*/
#pragma once

#include "meeting.hpp"
#include <memory>
#include <petscsys.h>
#include <string>
#include <vector>

namespace heptane
{

class ProcessGroup {
public:
  /*
     The group of this process within comm, remembered with comm; null where no group of comm has two processes. Collective
     when comm is first asked for, and when -heptane_groups has changed
  */
  static PetscErrorCode Of(MPI_Comm comm, std::shared_ptr<ProcessGroup> *group);
  ~ProcessGroup();

  bool     Leads() const { return rank == leader; }
  int      Size() const { return size; }
  int      Rank() const { return rank; } /* within the group, in the order of comm */
  int      Leader() const { return leader; }
  MPI_Comm Members() const { return members; }
  /* On a leader all leaders, in the order of comm; elsewhere all others */
  MPI_Comm Peers() const { return peers; }
  Meeting &Meets() { return meeting; }
  /* Collective over the members: memory of any values that they share; *why not, the same on all. It is given back by destroying the pointer, at any time */
  PetscErrorCode Window(Where side, std::size_t bytes, std::shared_ptr<GroupWindow> *window, std::string *why);
  /* "8 processes in 2 groups, solved by processes 0 and 4" */
  const std::string &Text() const { return text; }

private:
  PetscErrorCode Make(MPI_Comm comm, const std::vector<int> &first, const std::vector<int> &leads, std::string *why);

  MPI_Comm    members = MPI_COMM_NULL, peers = MPI_COMM_NULL;
  int         size = 1, rank = 0, leader = 0;
  Meeting     meeting;
  std::string text;

  std::vector<std::shared_ptr<GroupWindow>> windows; /* in the same order on all members */
};

/* Of each process its node, numbered by its first process, and its GPU; empty: none. For tests apart from MPI */
struct GroupMember {
  int         node = 0;
  std::string gpu;
};
/*
   The first process of the group of each, and the leader of that. size: processes of a group, 0: by their GPUs. Groups have
   consecutive processes of one node; where those of a GPU are not, as many groups as GPUs, nearly equal. Leaders have
   different GPUs where that can be.
*/
void group_processes(const std::vector<GroupMember> &all, int size, std::vector<int> *first, std::vector<int> *leader);

} // namespace heptane
