/*
   How the processes of a group meet: each arrives and sleeps, the leader finds all of them, agrees with the other leaders,
   works, and wakes them with an answer. All of it lies in shared memory; only the leaders call MPI.
*/
#pragma once

#include "window.hpp"
#include <cstdint>
#include <string>

namespace heptane
{

/* What a leader tells the others of its group. Zero codes and empty texts are good */
struct MeetingAnswer {
  int       what   = 0; /* the user's */
  int       code   = 0; /* a PetscErrorCode of the leader */
  int       reason = 0, failed = 0;
  long long its = 0, norms = 0;
  double    rnorm     = 0;
  char      text[256] = "";
};

class Meeting {
public:
  /* Collective over the members. leaders: on the leader alone; first: the number of the first member in messages. *why not, the same on all */
  PetscErrorCode Create(MPI_Comm members, MPI_Comm leaders, int leader, int first, std::string *why);
  void           Free()
  {
    window.Free();
    control = nullptr;
  }

  /* Each process, once in each meeting; the leader's Collect() follows, of the others Await(). what they store before is seen by the leader; why: see Collect() */
  PetscErrorCode Arrive(unsigned flags, const std::string &why);
  /* Leader: the flags of all members of all groups, and the text of the first process that has one. An error on all leaders if anyone is missing */
  PetscErrorCode Collect(unsigned *flags, std::string *why);
  /* Leader: what it has stored before is seen by the others */
  void Answer(const MeetingAnswer &);
  /* Others: sleeps until the answer. An error if the leader does not come, has ended, or answers with one */
  PetscErrorCode Await(MeetingAnswer *);
  /* Leaders: the largest of their codes */
  PetscErrorCode AgreeOnCode(int *code) const;
  /* In the place of a meeting: this process has an error, and the others need not wait for it. They have one too */
  PetscErrorCode Fail();
  /* A meeting has failed in which this process has taken part: there will be no other one */
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
  bool          pids  = false; /* processes see each other by their ids */
  std::uint32_t round = 0;
};

} // namespace heptane
