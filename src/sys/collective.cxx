/*
   Nonblocking collective calls of MPI, each polled until it has completed or its time is over.
*/
#include "collective.hpp"
#include "number_options.hpp"
#include <algorithm>
#include <memory>
#include <petsctime.h>
#include <sched.h>

namespace heptane
{

/* Seconds, 116 days: collective_patience times this limit must fit into nanoseconds of 64 bits */
constexpr double longest = 1e7;
static_assert(1e9 * collective_patience * longest < 1e19, "fits");

PetscErrorCode CommTimeout(double *seconds)
{
  PetscReal late = 30;

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Heptane options: communication", NULL);
  PetscCall(OptionReal(PetscOptionsObject, "-heptane_comm_timeout", "Seconds that a process may be late", NULL, 1e-9, no_bound, &late));
  PetscOptionsEnd();
  *seconds = std::min(static_cast<double>(late), longest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CollectiveWait(MPI_Request *request, double seconds, bool *done)
{
  constexpr unsigned polls     = 64; /* from reading to reading of the clock, each with a yield: another process may need the core */
  PetscLogDouble     begun     = 0, now;
  int                completed = 0;

  PetscFunctionBegin;
  *done = false;
  for (unsigned k = 1; !completed; k++) {
    PetscCallMPI(MPI_Test(request, &completed, MPI_STATUS_IGNORE));
    if (completed || k % polls) continue;
    (void)sched_yield();
    PetscCall(PetscTime(&now));
    if (!begun) begun = now;
    if (now - begun > seconds) PetscFunctionReturn(PETSC_SUCCESS);
  }
  *done = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

/*
   start(buffer, request) starts the call on a copy of the data. After a timeout MPI may still write to the copy, so that
   it stays allocated
*/
template <class Start>
PetscErrorCode Complete(void *data, std::size_t bytes, Start start)
{
  std::unique_ptr<char[]> buffer(new char[bytes + 1]);
  MPI_Request             request;
  double                  limit;
  bool                    done;

  PetscFunctionBegin;
  std::copy_n(static_cast<char *>(data), bytes, buffer.get());
  PetscCallMPI(start(buffer.get(), &request));
  PetscCall(CollectiveWait(&request, 1e-2, &done));
  if (!done) { /* the limit is read only after a long wait */
    PetscCall(CommTimeout(&limit));
    limit *= collective_patience;
    PetscCall(CollectiveWait(&request, limit, &done));
    if (!done) (void)buffer.release();
    PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_LIB,
               "Another process did not come within %g seconds: it has ended, or it does something else; raise -heptane_comm_timeout, of which this is %g "
               "times, if it is only late",
               limit, collective_patience);
  }
  std::copy_n(buffer.get(), bytes, static_cast<char *>(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode CollectiveReduce(MPI_Comm comm, void *data, int count, MPI_Datatype type, MPI_Op op)
{
  PetscMPIInt ranks, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (ranks == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Type_size(type, &size));
  const std::size_t bytes = static_cast<std::size_t>(size) * static_cast<std::size_t>(count);

  PetscCall(Complete(data, bytes, [&](char *buffer, MPI_Request *request) { return MPI_Iallreduce(MPI_IN_PLACE, buffer, count, type, op, comm, request); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CollectiveGather(MPI_Comm comm, const void *mine, std::size_t bytes, void *all)
{
  PetscMPIInt ranks, rank, count;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(PetscMPIIntCast(static_cast<PetscCount>(bytes), &count));
  std::copy_n(static_cast<const char *>(mine), bytes, static_cast<char *>(all) + bytes * static_cast<std::size_t>(rank));
  const std::size_t room = bytes * static_cast<std::size_t>(ranks);

  PetscCall(Complete(
    all, room, [&](char *buffer, MPI_Request *request) { return MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, count, MPI_BYTE, comm, request); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CollectiveBroadcast(MPI_Comm comm, int root, void *data, std::size_t bytes)
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(static_cast<PetscCount>(bytes), &count));
  PetscCall(Complete(data, bytes, [&](char *buffer, MPI_Request *request) { return MPI_Ibcast(buffer, count, MPI_BYTE, root, comm, request); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CollectiveBarrier(MPI_Comm comm)
{
  char none;

  PetscFunctionBegin;
  PetscCall(Complete(&none, 0, [&](char *, MPI_Request *request) { return MPI_Ibarrier(comm, request); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
