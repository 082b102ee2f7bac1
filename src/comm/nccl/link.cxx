/*
   NCCL's communicators: created on first use, destroyed with the MPI communicator that they belong to.
*/
#include "link.hpp"
#include "../../sys/collective.hpp"
#include "../../sys/comm_attribute.hpp"
#include "../peer_gpus.hpp"
#include "../peer_memory.hpp"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <sched.h>
#include <thread>

namespace heptane
{

namespace
{

constexpr NcclType type_of_scalar = sizeof(Scalar) == sizeof(double) ? nccl_double : nccl_float;

std::atomic<int> aborts{0}; /* that run on other threads */

/* State of an MPI communicator */
struct CachedLinks {
  /* PetscFinalize() may unload this library, in which the threads of aborts end. An abort that hangs is not waited for */
  ~CachedLinks()
  {
    for (int ms = 0; ms < 5000 && aborts; ms++) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  struct OfSide {
    std::shared_ptr<NcclLink> link;
    const NcclLibrary        *library = nullptr;
    std::string               refused;
    std::uint64_t             made = 0;
  } side[2];
};

int number_of(Where side)
{
  return side == Where::host ? 0 : 1;
}

/* Seconds that ranks are given to join: with many ranks NCCL takes long, whatever the limit is later. Tests need not wait. */
PetscErrorCode SecondsToJoin(double limit, double *seconds)
{
  PetscReal least = 30;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-heptane_test_nccl_join", &least, NULL));
  *seconds = std::max(limit, static_cast<double>(least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective: the same library on all ranks, or the same reason. A file that the user has named must be one. */
PetscErrorCode FindOnAll(MPI_Comm comm, Where side, const NcclLibrary **library, std::string *why)
{
  bool        given;
  std::string wrong;

  PetscFunctionBegin;
  PetscCall(NcclFind(library, &given, why));
  if (given && !*library) wrong = *why;
  PetscCall(PeerAgree(comm, &wrong));
  PetscCheck(wrong.empty(), comm, PETSC_ERR_FILE_OPEN, "%s names no library of NCCL that can be used: %s", nccl_library_option, wrong.c_str());
  if (*library && (*library)->on_host != (side == Where::host)) *why = side == Where::host ? "NCCL is for GPUs alone" : "this library of NCCL is for the host";
  PetscCall(PeerAgree(comm, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode NcclLink::Get(MPI_Comm comm, Where side, double seconds, std::shared_ptr<NcclLink> *link, std::string *why)
{
  const NcclLibrary *library;
  CachedLinks       *kept;
  double             to_join = 0;

  PetscFunctionBegin;
  link->reset();
  why->clear();
  PetscCall(FindOnAll(comm, side, &library, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CommAttribute<CachedLinks>::Get(comm, &kept));
  CachedLinks::OfSide &of = kept->side[number_of(side)];
  if (of.library != library) of = {nullptr, library, {}, of.made};
  int missing = !(of.link && !of.link->Failed()); /* another rank may have seen an error that this rank has not */

  *why = of.refused;
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CollectiveReduce(comm, &missing, 1, MPI_INT, MPI_MAX));
  if (missing) {
    if (of.link) of.link->Fail();
    PetscCall(SecondsToJoin(seconds, &to_join));
    of.link = std::make_shared<NcclLink>(*library, to_join);
    PetscCall(of.link->Join(comm, side, why));
    of.refused = *why;
    if (!why->empty()) of.link.reset();
    if (of.link) of.made = of.link->Number();
  }
  if (of.link) of.link->seconds = seconds;
  *link = of.link;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NcclLink::Made(MPI_Comm comm, Where side, std::uint64_t *number)
{
  CachedLinks *kept;

  PetscFunctionBegin;
  *number = 0;
  PetscCall(CommAttribute<CachedLinks>::Find(comm, &kept));
  if (kept) *number = kept->side[number_of(side)].made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NcclLink::Join(MPI_Comm of, Where side, std::string *why)
{
  static std::uint64_t made = 0;
  struct {
    NcclId id;
    int    result;
  } first = {};
  PetscMPIInt rank;
  NcclConfig  config;
  NcclComm    joined = nullptr;
  bool        late   = false;
  std::string shared;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(of, &ranks));
  PetscCallMPI(MPI_Comm_rank(of, &rank));
  if (side == Where::device && !library.shares_gpus) PetscCall(PeerGpusShared(of, &shared, why));
  if (why->empty()) *why = shared; /* NCCL accepts one rank per GPU, and reports a violation late */
  PetscCall(PeerAgree(of, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  if (rank == 0) first.result = library.call.GetUniqueId(&first.id);
  PetscCall(CollectiveBroadcast(of, 0, &first, sizeof(first)));
  int result = first.result;
  if (result == nccl_success) {
    result = library.call.CommInitRankConfig(&joined, ranks, first.id, rank, &config);
    comm   = joined;
    if (comm) result = Await(result, &late);
  }
  if (result != nccl_success && !late) *why = std::string(library.call.GetErrorString(result)) + " (NCCL_DEBUG=WARN tells more)";
  PetscCall(PeerAgree(of, why));
  if (late && why->empty()) *why = "a process did not join within " + std::to_string(std::lround(seconds)) + " seconds";
  PetscCall(PeerAgree(of, why));
  if (!why->empty()) Fail();
  else PetscCallMPI(MPI_Comm_split(of, 0, rank, &voters));
  if (why->empty()) PetscCall(PetscInfo(NULL, "NCCL %s joins %d processes\n", library.Version().c_str(), ranks));
  number = ++made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The final result of a call */
int NcclLink::Await(int result, bool *late)
{
  PetscLogDouble begun = 0, now;

  while (result == nccl_in_progress && !*late) {
    (void)PetscTime(&now);
    if (!begun) begun = now;
    *late = now - begun > seconds;
    (void)sched_yield();
    if (library.call.CommGetAsyncError(comm, &result) != nccl_success) return -1;
  }
  return result;
}

PetscErrorCode NcclLink::CheckJoined() const
{
  PetscFunctionBegin;
  PetscCheck(comm, PETSC_COMM_SELF, PETSC_ERR_LIB, "NCCL has failed before: another process has ended, or was not there in time; see -heptane_comm_timeout");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Always an error */
PetscErrorCode NcclLink::PeerMissing() const
{
  PetscFunctionBegin;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB,
          "Another process was not there within %g seconds: it has ended, or it does something else; raise -heptane_comm_timeout if it is only late, or use "
          "-heptane_comm mpi",
          seconds);
}

PetscErrorCode NcclLink::Done(int result, const char what[])
{
  bool late = false;

  PetscFunctionBegin;
  result = Await(result, &late);
  if (result == nccl_success) PetscFunctionReturn(PETSC_SUCCESS);
  const std::string last = late || result < 0 ? "" : library.call.GetLastError(comm);

  Fail();
  if (late) PetscCall(PeerMissing());
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB,
          "NCCL, %s: %s %s: another process has ended, or its network has failed; NCCL_DEBUG=WARN tells more, -heptane_comm mpi does without NCCL", what,
          library.call.GetErrorString(result), last.c_str());
}

PetscErrorCode NcclLink::Check()
{
  int result = -1;

  PetscFunctionBegin;
  PetscCall(CheckJoined());
  if (library.call.CommGetAsyncError(comm, &result) != nccl_success) result = -1;
  PetscCall(Done(result, "between calls"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NcclLink::Late(PetscLogDouble since)
{
  PetscLogDouble now;

  PetscFunctionBegin;
  PetscCall(Check());
  PetscCall(PetscTime(&now));
  if (now - since <= seconds) PetscFunctionReturn(PETSC_SUCCESS);
  Fail();
  PetscCall(PeerMissing());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NcclLink::Sum(const Scalar parts[], Scalar sums[], int count, NcclStream stream)
{
  PetscFunctionBegin;
  PetscCall(CheckJoined());
  PetscCall(Done(library.call.AllReduce(parts, sums, static_cast<std::size_t>(count), type_of_scalar, nccl_sum, comm, stream), "sums"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NcclLink::Exchange(const std::vector<NcclMessage> &messages, const Scalar sent[], Scalar received[], NcclStream stream)
{
  const NcclApi &call   = library.call;
  int            result = nccl_success;
  const auto     keep   = [&](int r) { result = result == nccl_success && r != nccl_in_progress ? r : result; };

  PetscFunctionBegin;
  PetscCall(CheckJoined());
  if (messages.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  keep(call.GroupStart());
  for (const NcclMessage &m : messages) {
    if (m.sends) keep(call.Send(sent + m.at, static_cast<std::size_t>(m.sends), type_of_scalar, m.rank, comm, stream));
    if (m.receives) keep(call.Recv(received, static_cast<std::size_t>(m.receives), type_of_scalar, m.rank, comm, stream));
    received += m.receives;
  }
  const int ended = call.GroupEnd();

  PetscCall(Done(result == nccl_success ? ended : result, "messages"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* NCCL may wait until all graphs that have recorded its calls are destroyed, which is done by this thread */
void NcclLink::Fail()
{
  if (!comm) return;
  if (!voted && voters != MPI_COMM_NULL) (void)Vote(1); /* first: other ranks learn it even if their work completes */
  aborts++;
  std::thread([abort = library.call.CommAbort, of = comm] {
    (void)abort(of);
    aborts--;
  }).detach();
  comm = nullptr;
}

int NcclLink::Vote(int failed)
{
  voted      = true;
  any_failed = std::make_unique<int>(failed);
  return MPI_Iallreduce(MPI_IN_PLACE, any_failed.get(), 1, MPI_INT, MPI_MAX, voters, &asked);
}

PetscErrorCode NcclLink::Agree()
{
  bool done;

  PetscFunctionBegin;
  PetscCall(CheckJoined());
  PetscCallMPI(Vote(0));
  PetscCall(CollectiveWait(&asked, seconds, &done));
  if (!done || *any_failed) Fail();
  if (!done) PetscCall(PeerMissing());
  PetscCall(CheckJoined());
  voted = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective; a rank whose wait times out abandons its resources until the process ends */
void NcclLink::End()
{
  bool late = false;

  if (!comm) return;
  if (Await(library.call.CommFinalize(comm), &late) == nccl_success) (void)library.call.CommDestroy(comm);
  else if (!late) Fail();
  comm = nullptr;
}

NcclLink::~NcclLink()
{
  int done = 1;

  End();
  if (voters == MPI_COMM_NULL) return;
  if (asked != MPI_REQUEST_NULL) (void)MPI_Test(&asked, &done, MPI_STATUS_IGNORE);
  if (done) (void)MPI_Comm_free(&voters);
  else (void)any_failed.release();
}

} // namespace heptane
