/*
   Memory of all processes of a communicator, and where they meet: their hosts in a barrier of MPI, or their devices in the order of a stream.
*/
#pragma once

#include "../../comm/peer_memory.hpp"
#include "../../comm/peer_options.hpp"
#include "../../comm/peer_order.hpp"
#include "../../comm/peer_setup.hpp"
#include <petsctime.h>
#include <petscvec.h>
#include <atomic>
#include <cstring>
#if PetscDefined(HAVE_CUDA)
  #include "../../comm/peer_meet.hpp"
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

struct GridReach {
  MPI_Comm       comm = MPI_COMM_NULL, slabs = MPI_COMM_NULL; /* of all processes, of those that have a slab */
  PeerMemory     memory;
  PeerLink       of_comm, of_slabs; /* devices: where they meet */
  double         seconds = 0;       /* that they wait */
  PetscLogDouble looked  = 0;       /* when it was read last whether a wait has failed */

  ~GridReach() { PetscCallAbort(PETSC_COMM_SELF, Free()); }
  PetscErrorCode Free()
  {
    PetscFunctionBegin;
    if (memory.bytes) PetscCall(PeerMemoryFree(comm, &memory));
    if (slabs != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_free(&slabs));
    if (comm != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_free(&comm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* Collective; why: they do not, the same on all */
  PetscErrorCode Make(MPI_Comm of, Where where, int with_slab, std::size_t bytes, std::string *why)
  {
    PetscMPIInt        ranks, rank, here = 0;
    bool               share = false;
    PeerOptions        options;
    unsigned long long most = bytes;

    PetscFunctionBegin;
    PetscCall(PeerOptionsGet(where, &options));
    if (!options.wanted) *why = "-heptane_comm";
    if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCallMPI(MPI_Comm_dup(of, &comm));
    PetscCallMPI(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
    PetscCallMPI(MPI_Comm_size(comm, &ranks));
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    PetscCallMPI(MPI_Comm_split(comm, rank < with_slab ? 0 : MPI_UNDEFINED, rank, &slabs));
    MPI_Comm node;
    PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
    PetscCallMPI(MPI_Comm_size(node, &here));
    PetscCallMPI(MPI_Comm_free(&node));
    if (ranks > PeerSums::most_ranks) *why = "there are too many processes";
    else if (here < ranks) *why = "processes are on several nodes";
    PetscCall(PeerAgree(comm, why));
    if (why->empty()) PetscCall(PeerReachable(comm, where, options.may_share, &share, why));
    if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, comm));
    constexpr std::size_t unit = PeerMemory::device_bytes;
    PetscCall(PeerMemoryMake(comm, where, (static_cast<std::size_t>(most) + unit - 1) / unit * unit, &memory, why));
    if (!why->empty()) memory.bytes = 0; /* it was freed */
    else if (where == Where::device) PetscCall(Link(options, why));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* Collective; why: there is no window */
  PetscErrorCode Link(const PeerOptions &options, std::string *why)
  {
    PetscFunctionBegin;
    seconds = PeerOptions::patience * options.seconds;
    PetscCall(PetscTime(&looked));
    PetscCall(of_comm.Create(comm, Where::device, PeerLists(), seconds, why));
    if (slabs != MPI_COMM_NULL && why->empty()) PetscCall(of_slabs.Create(slabs, Where::device, PeerLists(), seconds, why));
    PetscCall(PeerAgree(comm, why));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* All, or those that have a slab, meet: their hosts where the memory is that of the host, else their devices */
  PetscErrorCode Cross(bool all)
  {
    PetscFunctionBegin;
    if (memory.side == Where::host) PetscCall(Meet(all ? comm : slabs));
#if PetscDefined(HAVE_CUDA)
    else {
      cudaStream_t stream;

      PetscCall(PeerInOrder());
      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(launch_peer_meet((all ? of_comm : of_slabs).Sums(), stream));
    }
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* Before an application. A wait that fails ends long after it began, and its result is not a number: it is enough to look from time to time. */
  PetscErrorCode Check()
  {
    PetscLogDouble now;

    PetscFunctionBegin;
    if (memory.side == Where::host) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscTime(&now));
    if (now - looked < PetscMin(1.0, seconds / 2) && !of_comm.Failed() && !of_slabs.Failed()) PetscFunctionReturn(PETSC_SUCCESS);
    looked = now;
    PetscCall(of_comm.Check());
    PetscCall(of_slabs.Check());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* The result of an application, on the device, is not a number where a wait has failed */
  PetscErrorCode Mark(Vec y, Scalar *yy) const
  {
    PetscInt n;

    PetscFunctionBegin;
    PetscCall(VecGetLocalSize(y, &n));
#if PetscDefined(HAVE_CUDA)
    if (memory.side == Where::device && n) {
      cudaStream_t stream;

      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(launch_peer_mark(of_comm.Sums().limit, yy, stream));
      if (of_slabs.Usable()) PetscCallCUDA(launch_peer_mark(of_slabs.Sums().limit, yy, stream));
    }
#endif
    (void)yy;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Meet(MPI_Comm all) const
  {
    PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
    if (memory.side == Where::device) {
      cudaStream_t stream;

      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(cudaStreamSynchronize(stream));
    }
#endif
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (all != MPI_COMM_SELF) PetscCallMPI(MPI_Barrier(all));
    std::atomic_thread_fence(std::memory_order_seq_cst);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* `height` lines of `width` bytes each */
  PetscErrorCode Copy(void *to, std::size_t to_pitch, const void *from, std::size_t from_pitch, std::size_t width, std::size_t height) const
  {
    PetscFunctionBegin;
    if (!width || !height) PetscFunctionReturn(PETSC_SUCCESS);
    if (memory.side == Where::host)
      for (std::size_t k = 0; k < height; k++) std::memcpy(static_cast<char *>(to) + k * to_pitch, static_cast<const char *>(from) + k * from_pitch, width);
#if PetscDefined(HAVE_CUDA)
    else {
      cudaStream_t stream;

      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, cudaMemcpyDefault, stream));
    }
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

} // namespace heptane
