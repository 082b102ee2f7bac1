/*
   Rounds of arrivals and answers, in words of shared memory on which processes sleep. A process that has ended is found
   by its process id, one that does not arrive by the time limit.
*/
#include "rendezvous.hpp"
#include "../../sys/collective.hpp"
#include "../peer_memory.hpp"
#include "../peer_options.hpp"
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heptane
{

struct Rendezvous::Control {
  struct alignas(64) Member {
    std::uint32_t arrived; /* its last round */
    unsigned      flags;
    long          pid;
    char          why[256];
  };

  alignas(64) std::uint32_t failed;   /* the round in which a process was missing; 0: none */
  alignas(64) std::uint32_t entered;  /* the leader's last round */
  alignas(64) std::uint32_t answered; /* ... that has an answer */
  RendezvousAnswer answer;
  Member           member[1];
};

namespace
{

constexpr unsigned missing_flag = 1u << 31;
constexpr long     sleep_ms     = 100; /* ms: longest sleep before a check of the other process */
constexpr int      polls        = 200; /* before the first sleep: some 20 us */

std::uint32_t load(const std::uint32_t *word)
{
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Stores, and wakes the processes that sleep on the word */
void post(std::uint32_t *word, std::uint32_t value)
{
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
  (void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/* While the word has that value, at most sleep_ms */
void sleep_on(std::uint32_t *word, std::uint32_t seen)
{
  const struct timespec most = {sleep_ms / 1000, sleep_ms % 1000 * 1000000};

  (void)syscall(SYS_futex, word, FUTEX_WAIT, seen, &most, nullptr, 0);
}

double now()
{
  struct timespec t;

  (void)clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The process has ended, possibly as a zombie */
bool ended(long pid)
{
  char  name[32], state = 'R';
  FILE *stat;

  if (kill((pid_t)pid, 0) && errno == ESRCH) return true;
  (void)std::snprintf(name, sizeof(name), "/proc/%ld/stat", pid);
  stat = std::fopen(name, "r");
  if (!stat) return false;
  if (std::fscanf(stat, "%*d (%*[^)]) %c", &state) != 1) state = 'R';
  (void)std::fclose(stat);
  return state == 'Z' || state == 'X';
}

} // namespace

PetscErrorCode Rendezvous::Create(MPI_Comm members, MPI_Comm of_leaders, int which, int first_member, std::string *why)
{
  PetscMPIInt see = 1;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(members, &size));
  PetscCallMPI(MPI_Comm_rank(members, &rank));
  leader  = which;
  first   = first_member;
  leaders = rank == leader ? of_leaders : MPI_COMM_NULL;
  round   = 0;
  PetscCall(window.Make(members, leader, Where::host, sizeof(Control) + (std::size_t)(size - 1) * sizeof(Control::Member), why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  control = reinterpret_cast<Control *>(window.At());
  if (rank == leader) std::memset(window.At(), 0, window.Bytes()); /* MPI may return memory that was freed */
  PetscCall(CollectiveBarrier(members));
  control->member[rank].pid = (long)getpid();
  PetscCall(CollectiveBarrier(members));
  for (int m = 0; m < size; m++)
    if (ended(control->member[m].pid)) see = 0; /* containers: process ids differ here */
  PetscCall(CollectiveReduce(members, &see, 1, MPI_INT, MPI_MIN));
  pids = see;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A process that has not entered the failed meeting yet fails in it */
bool Rendezvous::Failed() const
{
  const std::uint32_t failed = control ? load(&control->failed) : 0;

  return failed && (std::int32_t)(round - failed) >= 0;
}

PetscErrorCode Rendezvous::Fail()
{
  unsigned flags = missing_flag;

  PetscFunctionBegin;
  round++;
  (void)Missing(Waited::failed, rank);
  if (rank == leader) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &flags, 1, MPI_UNSIGNED, MPI_BOR, leaders));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool Rendezvous::Ended(int whose) const
{
  return pids && ended(control->member[whose].pid);
}

/* Until the word has this round; whose: the member that stores it; seconds: 0: as long as the member runs */
Rendezvous::Waited Rendezvous::WaitFor(std::uint32_t *word, double seconds, int whose) const
{
  const double begun = now();

  for (int k = 0;; k++) {
    const std::uint32_t seen = load(word);

    if ((std::int32_t)(seen - round) >= 0) return Waited::there;
    if (Failed()) return Waited::failed;
    if (k < polls) {
      (void)sched_yield();
      continue;
    }
    sleep_on(word, seen);
    if (load(word) != seen) continue;
    if (Ended(whose)) return Waited::ended;
    if (seconds > 0 && now() - begun > seconds) return Waited::late;
  }
}

/* Marks the meeting as failed, so that the other processes of the group stop waiting */
std::string Rendezvous::Missing(Waited waited, int whose)
{
  const std::string process = "Process " + std::to_string(first + whose);

  if (!load(&control->failed)) __atomic_store_n(&control->failed, round ? round : 1u, __ATOMIC_RELEASE);
  post(&control->entered, load(&control->entered)); /* wakes sleeping processes */
  post(&control->answered, load(&control->answered));
  if (waited == Waited::ended) return process + ", which shares a GPU with this one, has ended";
  if (waited == Waited::late)
    return process +
           ", which shares a GPU with this one, was not there in time: it has ended, or it does something else; raise -heptane_comm_timeout if it is only late, or use "
           "-heptane_groups no";
  return "Another process was missing where those that share a GPU meet";
}

PetscErrorCode Rendezvous::Arrive(unsigned flags, const std::string &why)
{
  Control::Member &mine = control->member[rank];

  PetscFunctionBegin;
  round++;
  mine.flags = flags;
  (void)std::snprintf(mine.why, sizeof(mine.why), "%s", why.c_str());
  post(&mine.arrived, round);
  if (rank == leader) post(&control->entered, round);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Rendezvous::Collect(unsigned *flags, std::string *why)
{
  PeerOptions options;
  std::string missing;

  PetscFunctionBegin;
  PetscCall(PeerOptionsGet(Where::host, &options));
  *flags = 0;
  for (int m = 0; m < size && missing.empty(); m++) {
    const Control::Member &of     = control->member[m];
    const Waited           waited = WaitFor(&control->member[m].arrived, options.seconds * collective_patience, m);

    if (waited != Waited::there) missing = Missing(waited, m);
    else *flags |= of.flags;
    if (waited == Waited::there && why && why->empty()) *why = of.why;
  }
  if (missing.empty() && load(&control->failed)) missing = Missing(Waited::failed, 0); /* a process has given up before this one arrived */
  if (!missing.empty()) *flags |= missing_flag;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, flags, 1, MPI_UNSIGNED, MPI_BOR, leaders)); /* no time limit: all leaders learn which group is late */
  if (*flags & missing_flag && missing.empty()) missing = Missing(Waited::failed, 0);
  PetscCheck(missing.empty(), PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", missing.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Rendezvous::Answer(const RendezvousAnswer &answer)
{
  if (Failed()) return; /* a member may still read the last one */
  control->answer = answer;
  post(&control->answered, round);
}

PetscErrorCode Rendezvous::Await(RendezvousAnswer *answer)
{
  PeerOptions options;

  PetscFunctionBegin;
  PetscCall(PeerOptionsGet(Where::host, &options));
  Waited waited = WaitFor(&control->entered, options.seconds * collective_patience, leader);

  if (waited == Waited::there) waited = WaitFor(&control->answered, 0, leader); /* the work has no time limit */
  if (waited != Waited::there) {
    const std::string missing = Missing(waited, leader);

    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", missing.c_str());
  }
  *answer = control->answer;
  PetscCheck(!answer->code, PETSC_COMM_SELF, (PetscErrorCode)answer->code, "Process %d, which solves for this one, reports an error: %s", first + leader,
             answer->text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
