/*
   Meeting of the processes of a group: members arrive and sleep; the leader collects them, agrees with the other leaders,
   works, and wakes the members with an answer. Its state is in shared memory; only leaders call MPI.
*/
#pragma once

#include "window.hpp"
#include <cstdint>
#include <string>

namespace heptane
{

/* Answer of a leader to its members. Zero codes and empty texts mean success */
struct RendezvousAnswer {
  int       what   = 0; /* the user's */
  int       code   = 0; /* a PetscErrorCode of the leader */
  int       reason = 0, failed = 0;
  long long its = 0, norms = 0;
  double    rnorm = 0, logged = 0;
  char      text[256] = "";
};

class Rendezvous {
public:
  /* Collective over the members. leaders: used on the leader only; first: number of the first member, for messages. *why not: the same on all */
  PetscErrorCode Create(MPI_Comm members, MPI_Comm leaders, int leader, int first, std::string *why);
  void           Free()
  {
    window.Free();
    control = nullptr;
  }

  /* Each process, once in a meeting, after its stores; the leader then calls Collect(), a member Await() */
  PetscErrorCode Arrive(unsigned flags, const std::string &why);
  /* Leader: the flags of all members of all groups; *why: the first text, or null. An error on all leaders if a process is missing */
  PetscErrorCode Collect(unsigned *flags, std::string *why);
  /* Leader: members see all that it stored earlier */
  void Answer(const RendezvousAnswer &);
  /* Member: sleeps until the answer. An error if the leader does not arrive, has ended, or answers with one */
  PetscErrorCode Await(RendezvousAnswer *);
  /* Replaces a meeting after an error of this process: the other processes raise an error and do not wait */
  PetscErrorCode Fail();
  /* A meeting with this process has failed: there are no more meetings */
  bool Failed() const;

private:
  struct Control;
  enum class Waited { there, failed, late, ended };

  Waited      WaitFor(std::uint32_t *word, double seconds, int whose) const;
  bool        Ended(int whose) const;
  std::string Missing(Waited waited, int whose);

  GroupWindow   window;
  Control      *control = nullptr;
  MPI_Comm      leaders = MPI_COMM_NULL;
  int           size = 1, rank = 0, leader = 0;
  int           first = 0;
  bool          pids  = false; /* process ids are valid on all members */
  std::uint32_t round = 0;
};

} // namespace heptane
