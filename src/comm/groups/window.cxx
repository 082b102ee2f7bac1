/*
   Shared memory of the host by MPI, all of it from the leader, and memory of the leader's GPU by CUDA, which the members
   open.
*/
#include "window.hpp"
#include "../../sys/collective.hpp"
#include "../../sys/device.hpp"
#include "../peer_memory.hpp"
#include <cstring>
#include <sys/statvfs.h>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

PetscErrorCode GroupWindow::Make(MPI_Comm members, int leader, Where where, std::size_t wanted, std::string *why)
{
  PetscFunctionBegin;
  Free();
  side = where;
  PetscCall(where == Where::host ? MakeShared(members, leader, wanted, why) : MakeOpened(members, leader, wanted, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupWindow::MakeShared(MPI_Comm members, int leader, std::size_t wanted, std::string *why)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
  PetscMPIInt    rank;
  MPI_Aint       of_leader;
  int            unit;
  void          *owned = nullptr;
  MPI_Errhandler until = MPI_ERRHANDLER_NULL;
  struct statvfs room;

  PetscCallMPI(MPI_Comm_rank(members, &rank));
  /* MPICH does not check the free memory of the file system: the first access would end the program */
  if (rank == leader && !statvfs("/dev/shm", &room) && (double)wanted > (double)room.f_bavail * (double)room.f_frsize)
    *why = "/dev/shm has no room for " + std::to_string((double)wanted / 1e6) + " MB that processes share";
  PetscCall(PeerAgree(members, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_get_errhandler(members, &until));
  PetscCallMPI(MPI_Comm_set_errhandler(members, MPI_ERRORS_RETURN));
  if (MPI_Win_allocate_shared(rank == leader ? (MPI_Aint)wanted : 0, 1, MPI_INFO_NULL, members, &owned, &window) != MPI_SUCCESS)
    *why = "MPI gives no " + std::to_string(wanted) + " bytes of shared memory";
  PetscCallMPI(MPI_Comm_set_errhandler(members, until));
  PetscCallMPI(MPI_Errhandler_free(&until));
  PetscCall(PeerAgree(members, why));
  if (!why->empty()) {
    if (window != MPI_WIN_NULL) PetscCallMPI(MPI_Win_free(&window));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, window));
  PetscCallMPI(MPI_Win_shared_query(window, leader, &of_leader, &unit, &at));
  bytes = wanted;
  PetscCallMPI(MPI_Win_sync(window));
  PetscCall(CollectiveBarrier(members));
#else
  (void)members, (void)leader, (void)wanted;
  *why = "PETSc's MPI has no shared memory between processes";
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Members close the memory before the leader frees it */
void GroupWindow::FreeOpened()
{
#if PetscDefined(HAVE_CUDA)
  if (of == MPI_COMM_NULL) return;
  if (at && !owned) (void)cudaIpcCloseMemHandle(at);
  (void)MPI_Barrier(of);
  if (at && owned) (void)cudaFree(at);
  (void)cudaGetLastError();
  of = MPI_COMM_NULL;
  at = nullptr;
#endif
}

PetscErrorCode GroupWindow::MakeOpened(MPI_Comm members, int leader, std::size_t wanted, std::string *why)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  constexpr std::size_t least  = 2 * 1024 * 1024; /* CUDA puts no other allocation into these 2 MiB, which members could read */
  cudaIpcMemHandle_t    handle = {};
  cudaError_t           err    = cudaSuccess;
  void                 *memory = nullptr;
  PetscMPIInt           rank;

  PetscCallMPI(MPI_Comm_rank(members, &rank));
  of    = members;
  owned = rank == leader;
  if (owned) {
    err = cudaMalloc(&memory, PetscMax(wanted, least)); /* memory of cudaMallocAsync() cannot be exported */
    if (err == cudaSuccess) err = cudaIpcGetMemHandle(&handle, memory);
    at = static_cast<char *>(memory);
  }
  if (err != cudaSuccess) *why = std::string("the leader cannot export memory of its GPU: ") + cudaGetErrorString(err);
  PetscCall(PeerAgree(members, why));
  if (why->empty()) {
    PetscCall(CollectiveBroadcast(members, leader, &handle, sizeof(handle)));
    if (!owned) err = cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess);
    if (err != cudaSuccess) *why = std::string("a process cannot open memory of its leader's GPU (CUDA IPC): ") + cudaGetErrorString(err);
    else at = static_cast<char *>(memory);
    PetscCall(PeerAgree(members, why));
  }
  (void)cudaGetLastError();
  if (why->empty()) bytes = wanted;
  else FreeOpened();
#else
  (void)members, (void)leader, (void)wanted;
  *why = "PETSc was configured without CUDA";
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

void GroupWindow::Free()
{
  FreeOpened();
#if PetscDefined(HAVE_CUDA)
  if (pinned) (void)cudaHostUnregister(at);
#endif
#if PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
  if (window != MPI_WIN_NULL) {
    (void)MPI_Win_unlock_all(window);
    (void)MPI_Win_free(&window);
  }
#endif
  at    = nullptr;
  bytes = 0;
  asked = pinned = false;
}

PetscErrorCode GroupWindow::Pin()
{
  PetscBool usable;

  PetscFunctionBegin;
  if (asked || !at || side == Where::device) PetscFunctionReturn(PETSC_SUCCESS);
  asked = true;
  PetscCall(DeviceUsable(&usable));
#if PetscDefined(HAVE_CUDA)
  if (usable) {
    const cudaError_t err = cudaHostRegister(at, bytes, cudaHostRegisterDefault);

    pinned = err == cudaSuccess;
    if (!pinned) PetscCall(PetscInfo(NULL, "Memory that processes share is not pinned: %s\n", cudaGetErrorString(err)));
    (void)cudaGetLastError();
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
