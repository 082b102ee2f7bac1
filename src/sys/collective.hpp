/*
   Collective calls of MPI with a time limit: if a process does not arrive, the other processes get an error of PETSc.
   The limit is long, since MPI has none: a process may compute by itself before it arrives.
*/
#pragma once

#include <cstddef>
#include <petscsys.h>

namespace heptane
{

/* The limit is -heptane_comm_timeout times this: by default 50 minutes */
inline constexpr double collective_patience = 100;

/* -heptane_comm_timeout in seconds; not collective */
PetscErrorCode CommTimeout(double *seconds);
/* Polls a request until it has completed (done), or this time is over */
PetscErrorCode CollectiveWait(MPI_Request *request, double seconds, bool *done);
/* In place, as MPI_Allreduce() */
PetscErrorCode CollectiveReduce(MPI_Comm comm, void *data, int count, MPI_Datatype type, MPI_Op op);
/* The bytes of each process, in the order of the ranks */
PetscErrorCode CollectiveGather(MPI_Comm comm, const void *mine, std::size_t bytes, void *all);
PetscErrorCode CollectiveBroadcast(MPI_Comm comm, int root, void *data, std::size_t bytes);
/* Before calls that have no limit: MPI_Comm_split() and its relatives, MPI_Gatherv(), PetscSF */
PetscErrorCode CollectiveBarrier(MPI_Comm comm);

} // namespace heptane
