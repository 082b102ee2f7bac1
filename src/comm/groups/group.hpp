/*
   Groups of consecutive processes of a node, one of which, the leader, works for all: the processes that share a GPU, or
   the number of -heptane_groups. Independent of matrices and solvers.
*/
#pragma once

#include "rendezvous.hpp"
#include <memory>
#include <petscsys.h>
#include <set>
#include <string>
#include <vector>

namespace heptane
{

class ProcessGroup {
public:
  /*
     The group of this process within comm, kept with comm; null if each group of comm has one process. Collective at the
     first call for comm, and after a change of -heptane_groups
  */
  static PetscErrorCode Of(MPI_Comm comm, std::shared_ptr<ProcessGroup> *group);
  ~ProcessGroup();

  bool     Leads() const { return rank == leader; }
  int      Size() const { return size; }
  int      Rank() const { return rank; } /* within the group, in the order of comm */
  int      Leader() const { return leader; }
  MPI_Comm Members() const { return members; }
  /* On a leader: all leaders, in the order of comm; on a member: all members that do not lead */
  MPI_Comm    Peers() const { return peers; }
  Rendezvous &GetRendezvous() { return rendezvous; }
  /* Collective over the members: memory of any values that they share; *why not, the same on all. It is given back by destroying the pointer, at any time */
  PetscErrorCode Window(Where side, std::size_t bytes, std::shared_ptr<GroupWindow> *window, std::string *why);
  /* "8 processes share 2 GPUs: solves run on processes 0 and 4" */
  const std::string &Text() const { return text; }

private:
  PetscErrorCode Make(MPI_Comm comm, const std::set<std::string> &gpus, const std::vector<int> &first, const std::vector<int> &leads, std::string *why);

  MPI_Comm    members = MPI_COMM_NULL, peers = MPI_COMM_NULL;
  int         size = 1, rank = 0, leader = 0;
  Rendezvous  rendezvous;
  std::string text;

  std::vector<std::shared_ptr<GroupWindow>> windows; /* in the same order on all members */
};

/* Node of a process, numbered by its first process, and its GPU; empty: none. Independent of MPI, for tests */
struct GroupMember {
  int         node = 0;
  std::string gpu;
};
/*
   For each process the first process and the leader of its group. size: processes of a group, 0: by their GPUs. A group
   has consecutive processes of one node; if the processes of a GPU are not consecutive, there are as many groups as GPUs,
   nearly equal in size. Leaders have different GPUs if possible.
*/
void group_processes(const std::vector<GroupMember> &all, int size, std::vector<int> *first, std::vector<int> *leader);

} // namespace heptane
