/*
   Allocates and frees memory that all ranks of one node can access.
*/
#include "peer_memory.hpp"
#include "../sys/collective.hpp"
#include "peer_gpus.hpp"
#include "peer_sums.hpp"
#include <algorithm>
#include <cstring>
#include <sys/statvfs.h>

namespace heptane
{

PetscErrorCode PeerAgree(MPI_Comm comm, std::string *why)
{
  PetscMPIInt size, rank, first;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  first = why->empty() ? size : rank;
  PetscCall(CollectiveReduce(comm, &first, 1, MPI_INT, MPI_MIN));
  if (first < size) {
    PetscMPIInt length = static_cast<PetscMPIInt>(why->size());

    PetscCall(CollectiveBroadcast(comm, first, &length, sizeof(length)));
    why->resize(length);
    PetscCall(CollectiveBroadcast(comm, first, &(*why)[0], why->size()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

std::string numbered(int rank)
{
  return "rank " + std::to_string(rank);
}

#if PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
/* MPICH maps memory of a file system without a check for free space: the first access would end the program */
std::string no_room(const PeerMemory &M)
{
  const char *const at    = "/dev/shm";
  const double      wants = static_cast<double>(M.bytes) * M.ranks;
  struct statvfs    room;

  if (statvfs(at, &room) || wants <= static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize)) return "";
  return std::string(at) + " has no room for " + std::to_string(wants / 1e6) + " MB that processes share";
}

PetscErrorCode MakeShared(MPI_Comm comm, PeerMemory *M, std::string *why)
{
  MPI_Info info;
  void    *local = nullptr;

  PetscFunctionBegin;
  *why = no_room(*M);
  PetscCall(PeerAgree(comm, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Info_create(&info));
  PetscCallMPI(MPI_Info_set(info, "alloc_shared_noncontig", "true")); /* each piece begins at a page */
  if (MPI_Win_allocate_shared(static_cast<MPI_Aint>(M->bytes), 1, info, comm, &local, &M->shared) != MPI_SUCCESS)
    *why = "MPI gives " + numbered(M->rank) + " no " + std::to_string(M->bytes) + " bytes of shared memory";
  PetscCallMPI(MPI_Info_free(&info));
  PetscCall(PeerAgree(comm, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, M->shared));
  for (int r = 0; r < M->ranks; r++) {
    MPI_Aint bytes;
    int      unit;
    PetscCallMPI(MPI_Win_shared_query(M->shared, r, &bytes, &unit, &M->at[r]));
    if (!M->at[r] || reinterpret_cast<std::uintptr_t>(M->at[r]) % alignof(PeerWord)) *why = "MPI's shared memory is not aligned to words of 16 bytes";
  }
  std::memset(M->at[M->rank], 0, M->bytes);
  PetscCallMPI(MPI_Win_sync(M->shared));
  PetscCall(PeerAgree(comm, why)); /* all pieces are zero */
  PetscCallMPI(MPI_Win_sync(M->shared));
  if (!why->empty()) PetscCall(PeerMemoryFree(comm, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

#if PetscDefined(HAVE_CUDA)
/*
   Closes the pieces of other ranks, and frees the own one when all ranks have closed it. Continues after errors, as the
   barriers must be reached.
*/
PetscErrorCode FreeExported(MPI_Comm comm, PeerMemory *M)
{
  PetscFunctionBegin;
  (void)cudaDeviceSynchronize();
  PetscCallMPI(MPI_Barrier(comm)); /* after this no kernel of another rank writes there */
  for (int r = 0; r < M->ranks; r++)
    if (r != M->rank && M->at[r]) (void)cudaIpcCloseMemHandle(M->at[r]);
  PetscCallMPI(MPI_Barrier(comm));
  if (M->at[M->rank]) (void)cudaFree(M->at[M->rank]);
  (void)cudaGetLastError();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Collective: each rank stores a word in the piece of every rank, and reads the words of all ranks in every piece,
   since mapped memory is not always reachable. Zeros before and after.
*/
PetscErrorCode CheckHandshake(MPI_Comm comm, const PeerMemory &M, std::string *why)
{
  const PeerWord        mine = {1. + M.rank, 1};
  std::vector<PeerWord> found(M.ranks);
  cudaError_t           err = cudaSuccess;

  PetscFunctionBegin;
  for (int r = 0; r < M.ranks && err == cudaSuccess; r++) err = cudaMemcpy(M.at[r] + M.rank * sizeof(mine), &mine, sizeof(mine), cudaMemcpyHostToDevice);
  if (err == cudaSuccess) err = cudaDeviceSynchronize(); /* the copies may return before the words have arrived */
  if (err != cudaSuccess) *why = numbered(M.rank) + " cannot write to the GPU memory of all others: " + peer_text_of(err);
  PetscCall(PeerAgree(comm, why));
  for (int r = 0; r < M.ranks && why->empty(); r++) {
    err = cudaMemcpy(found.data(), M.at[r], found.size() * sizeof(mine), cudaMemcpyDeviceToHost);
    if (err != cudaSuccess) *why = numbered(M.rank) + " cannot read the GPU memory of " + numbered(r) + ": " + peer_text_of(err);
    for (int s = 0; s < M.ranks && why->empty(); s++)
      if (found[s].value != 1. + s || found[s].epoch != 1)
        *why = numbered(M.rank) + " does not find in the GPU memory of " + numbered(r) + " what " + numbered(s) + " wrote there";
  }
  PetscCall(PeerAgree(comm, why));
  err = cudaMemset(M.at[M.rank], 0, found.size() * sizeof(mine));
  if (err == cudaSuccess) err = cudaDeviceSynchronize();
  if (err != cudaSuccess && why->empty()) *why = numbered(M.rank) + " cannot write to its GPU memory: " + peer_text_of(err);
  PetscCall(PeerAgree(comm, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeExported(MPI_Comm comm, PeerMemory *M, std::string *why)
{
  cudaIpcMemHandle_t              mine = {};
  std::vector<cudaIpcMemHandle_t> all(M->ranks);
  void                           *local = nullptr;

  PetscFunctionBegin;
  cudaError_t err = cudaMalloc(&local, M->bytes); /* memory of cudaMallocAsync() cannot be exported */
  if (err == cudaSuccess) {
    M->at[M->rank] = static_cast<char *>(local);
    err            = cudaMemset(local, 0, M->bytes);
    if (err == cudaSuccess) err = cudaDeviceSynchronize();
    if (err == cudaSuccess && M->ranks > 1) err = cudaIpcGetMemHandle(&mine, local);
  }
  if (err != cudaSuccess) *why = numbered(M->rank) + " cannot export " + std::to_string(M->bytes) + " bytes of GPU memory: " + peer_text_of(err);
  PetscCall(PeerAgree(comm, why));
  if (why->empty()) {
    PetscCall(CollectiveGather(comm, &mine, sizeof(mine), all.data()));
    for (int r = 0; r < M->ranks && why->empty(); r++) {
      void *opened = nullptr;
      if (r == M->rank) continue;
      err = cudaIpcOpenMemHandle(&opened, all[r], cudaIpcMemLazyEnablePeerAccess);
      if (err == cudaSuccess) M->at[r] = static_cast<char *>(opened);
      else *why = numbered(M->rank) + " cannot open the GPU memory of " + numbered(r) + " (CUDA IPC): " + peer_text_of(err);
    }
    PetscCall(PeerAgree(comm, why));
  }
  if (why->empty()) PetscCall(CheckHandshake(comm, *M, why));
  if (!why->empty()) PetscCall(FreeExported(comm, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace

std::string peer_too_many(int ranks)
{
  if (ranks <= PeerSums::most_ranks) return "";
  return std::to_string(ranks) + " ranks, and at most " + std::to_string(PeerSums::most_ranks) + " can exchange words";
}

PetscErrorCode PeerReachable(MPI_Comm comm, Where side, bool may_share, bool *share, std::string *why)
{
  std::vector<RankPlace> all;

  PetscFunctionBegin;
  *share = false;
  PetscCall(RankPlaces(comm, side == Where::device, &all));
  if (!PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)) *why = "PETSc's MPI has no shared memory between processes";
  else if (std::any_of(all.begin(), all.end(), [&](const RankPlace &p) { return p.node != all[0].node; })) *why = "processes are on several nodes";
  if (why->empty() && side == Where::device) PetscCall(PeerReachableGpus(comm, all, may_share, share, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerMemoryMake(MPI_Comm comm, Where side, std::size_t bytes, PeerMemory *memory, std::string *why)
{
  PetscMPIInt ranks, rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  *memory       = {};
  memory->side  = side;
  memory->bytes = bytes;
  memory->ranks = ranks;
  memory->rank  = rank;
  memory->at.resize(ranks);
#if PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
  if (side == Where::host) PetscCall(MakeShared(comm, memory, why));
#endif
#if PetscDefined(HAVE_CUDA)
  if (side == Where::device) PetscCall(MakeExported(comm, memory, why));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerMemoryFree(MPI_Comm comm, PeerMemory *memory)
{
  PetscFunctionBegin;
  (void)comm;
#if PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
  if (memory->side == Where::host && memory->shared != MPI_WIN_NULL) {
    PetscCallMPI(MPI_Win_unlock_all(memory->shared));
    PetscCallMPI(MPI_Win_free(&memory->shared));
  }
#endif
#if PetscDefined(HAVE_CUDA)
  if (memory->side == Where::device) PetscCall(FreeExported(comm, memory));
#endif
  *memory = {};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerMemoryRead(const PeerMemory &memory, std::size_t at, std::size_t bytes, void *to)
{
  PetscFunctionBegin;
  if (memory.side == Where::host) std::memcpy(to, memory.at[memory.rank] + at, bytes);
#if PetscDefined(HAVE_CUDA)
  else PetscCallCUDA(cudaMemcpy(to, memory.at[memory.rank] + at, bytes, cudaMemcpyDeviceToHost));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerMemoryWrite(const PeerMemory &memory, int rank, std::size_t at, std::size_t bytes, const void *from)
{
  PetscFunctionBegin;
  if (memory.side == Where::host) std::memcpy(memory.at[rank] + at, from, bytes);
#if PetscDefined(HAVE_CUDA)
  else {
    PetscCallCUDA(cudaMemcpy(memory.at[rank] + at, from, bytes, cudaMemcpyHostToDevice));
    PetscCallCUDA(cudaDeviceSynchronize()); /* it may return before the bytes have arrived */
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerQuiet(Where side)
{
  PetscFunctionBegin;
  (void)side;
#if PetscDefined(HAVE_CUDA)
  if (side == Where::device) PetscCallCUDA(cudaDeviceSynchronize());
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
