/*
   Makes and frees memory that all ranks of one node can reach, and what stands for that of ranks on other nodes.
*/
#include "peer_memory.hpp"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sys/statvfs.h>
#include <vector>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

PetscErrorCode PeerAgree(MPI_Comm comm, std::string *why)
{
  PetscMPIInt size, rank, first;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  first = why->empty() ? size : rank;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first < size) {
    PetscMPIInt length = static_cast<PetscMPIInt>(why->size());

    PetscCallMPI(MPI_Bcast(&length, 1, MPI_INT, first, comm));
    why->resize(length);
    PetscCallMPI(MPI_Bcast(&(*why)[0], length, MPI_CHAR, first, comm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

std::string numbered(int rank)
{
  return "rank " + std::to_string(rank);
}

/* What stands for the pieces of ranks on other nodes; collective */
PetscErrorCode MakeAway(MPI_Comm comm, PeerMemory *M, std::string *why)
{
  PetscFunctionBegin;
  for (int r = 0; r < M->ranks; r++) {
    void *piece = nullptr;

    if (M->nodes.here[r]) continue;
    if (M->side == Where::host) piece = std::aligned_alloc(64, (M->bytes + 63) / 64 * 64);
#if PetscDefined(HAVE_CUDA)
    else if (cudaHostAlloc(&piece, M->bytes, cudaHostAllocPortable | cudaHostAllocMapped) != cudaSuccess) {
      piece = nullptr;
      (void)cudaGetLastError();
    }
#endif
    if (piece) std::memset(piece, 0, M->bytes);
    else *why = numbered(M->rank) + " has no " + std::to_string(M->bytes) + " bytes of memory for what it sends to other nodes";
    M->at[r] = static_cast<char *>(piece);
  }
  PetscCall(PeerAgree(comm, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void free_away(PeerMemory *M)
{
  for (int r = 0; r < M->ranks; r++) {
    if (M->nodes.here[r] || !M->at[r]) continue;
    if (M->side == Where::host) std::free(M->at[r]);
#if PetscDefined(HAVE_CUDA)
    else (void)cudaFreeHost(M->at[r]);
#endif
    M->at[r] = nullptr;
  }
}

#if PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
/* MPICH takes memory of a file system without asking whether there is any: the first access would end the program */
std::string no_room(const PeerMemory &M)
{
  const char *const at    = "/dev/shm";
  const double      wants = static_cast<double>(M.bytes) * static_cast<double>(std::count(M.nodes.here.begin(), M.nodes.here.end(), true));
  struct statvfs    room;

  if (statvfs(at, &room) || wants <= static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize)) return "";
  return std::string(at) + " has no room for " + std::to_string(wants / 1e6) + " MB that processes share";
}

PetscErrorCode MakeShared(MPI_Comm comm, PeerMemory *M, std::string *why)
{
  MPI_Info info;
  MPI_Comm node;
  void    *own   = nullptr;
  int      first = 0, in_node = 0;

  PetscFunctionBegin;
  *why = no_room(*M);
  PetscCall(PeerAgree(comm, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  while (!M->nodes.here[first]) first++;
  PetscCallMPI(MPI_Comm_split(comm, first, M->rank, &node));
  PetscCallMPI(MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN));
  PetscCallMPI(MPI_Info_create(&info));
  PetscCallMPI(MPI_Info_set(info, "alloc_shared_noncontig", "true")); /* each piece begins a page */
  if (MPI_Win_allocate_shared(static_cast<MPI_Aint>(M->bytes), 1, info, node, &own, &M->shared) != MPI_SUCCESS)
    *why = "MPI gives " + numbered(M->rank) + " no " + std::to_string(M->bytes) + " bytes of shared memory";
  PetscCallMPI(MPI_Info_free(&info));
  PetscCallMPI(MPI_Comm_free(&node));
  PetscCall(PeerAgree(comm, why));
  if (!why->empty() && M->shared != MPI_WIN_NULL) PetscCallMPI(MPI_Win_free(&M->shared)); /* that of another node was refused */
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, M->shared));
  for (int r = 0; r < M->ranks; r++) {
    MPI_Aint bytes;
    int      unit;
    if (!M->nodes.here[r]) continue;
    PetscCallMPI(MPI_Win_shared_query(M->shared, in_node++, &bytes, &unit, &M->at[r]));
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
/* What the ranks tell each other about their GPU */
struct Gpu {
  char uuid[16];
  char bus[32];
};

/* Clears the error: it is dealt with */
std::string text_of(cudaError_t err)
{
  (void)cudaGetLastError();
  return cudaGetErrorString(err);
}

/* Whether this rank can reach that GPU, and words of 16 bytes get there whole, which CUDA promises for links with native atomics */
void reach(const Gpu &from, const Gpu &to, int rank_of_it, std::string *why)
{
  int               mine = 0, other = 0, access = 0, atomics = 0;
  const std::string gpu = "the GPU " + std::string(to.bus) + " of " + numbered(rank_of_it);

  if (!std::memcmp(from.uuid, to.uuid, sizeof(to.uuid))) return;
  cudaError_t err = cudaDeviceGetByPCIBusId(&other, to.bus);
  if (err != cudaSuccess) {
    *why = gpu + " is not visible to all ranks (" + text_of(err) + "): start each rank with all GPUs of the node, without CUDA_VISIBLE_DEVICES or --gpu-bind";
    return;
  }
  err = cudaGetDevice(&mine);
  if (err == cudaSuccess) err = cudaDeviceCanAccessPeer(&access, mine, other);
  if (err == cudaSuccess && access) err = cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, mine, other);
  if (err != cudaSuccess) *why = gpu + ": " + text_of(err);
  else if (!access) *why = gpu + " has no peer access from " + std::string(from.bus);
  else if (!atomics) *why = gpu + " has no link with native atomics (NVLink) from " + std::string(from.bus);
}

PetscErrorCode ReachableGpus(MPI_Comm comm, const PeerNodes &nodes, bool may_share, bool *share, std::string *why)
{
  PetscMPIInt      ranks, rank;
  int              device;
  Gpu              mine = {};
  cudaDeviceProp   properties;
  std::vector<Gpu> all;
  std::string      buses;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  cudaError_t err = cudaGetDevice(&device);
  if (err == cudaSuccess) err = cudaGetDeviceProperties(&properties, device);
  if (err == cudaSuccess) err = cudaDeviceGetPCIBusId(mine.bus, sizeof(mine.bus), device);
  if (err == cudaSuccess) std::memcpy(mine.uuid, &properties.uuid, sizeof(mine.uuid));
  else *why = numbered(rank) + " has no GPU: " + text_of(err);
  PetscCall(PeerAgree(comm, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  all.resize(ranks);
  PetscCallMPI(MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all.data(), sizeof(mine), MPI_BYTE, comm));
  for (int r = 0; r < ranks; r++) {
    buses += std::string(" ") + all[r].bus;
    for (int s = 0; s < r && why->empty(); s++) {
      if (std::memcmp(all[r].uuid, all[s].uuid, sizeof(mine.uuid))) continue;
      *share = true;
      if (!may_share) *why = "ranks " + std::to_string(s) + " and " + std::to_string(r) + " share the GPU " + all[r].bus + ": use as many processes as GPUs";
    }
  }
  for (int r = 0; r < ranks && why->empty(); r++)
    if (nodes.here[r]) reach(mine, all[r], r, why);
  PetscCall(PeerAgree(comm, why));
  if (rank == 0)
    PetscCall(PetscInfo(NULL, "GPUs of ranks 0 to %d:%s; %s\n", ranks - 1, buses.c_str(),
                        !why->empty()     ? why->c_str()
                        : nodes.Several() ? "each reaches all others of its node"
                                          : "each reaches all others"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Closes the pieces of others, and frees the own one when all have done so. Errors change nothing: the barriers must be reached. */
PetscErrorCode FreeExported(MPI_Comm comm, PeerMemory *M)
{
  PetscFunctionBegin;
  (void)cudaDeviceSynchronize();
  PetscCallMPI(MPI_Barrier(comm)); /* nobody's kernels write there any more */
  for (int r = 0; r < M->ranks; r++)
    if (r != M->rank && M->nodes.here[r] && M->at[r]) (void)cudaIpcCloseMemHandle(M->at[r]);
  PetscCallMPI(MPI_Barrier(comm));
  if (M->at[M->rank]) (void)cudaFree(M->at[M->rank]);
  (void)cudaGetLastError();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeExported(MPI_Comm comm, PeerMemory *M, std::string *why)
{
  cudaIpcMemHandle_t              mine = {};
  std::vector<cudaIpcMemHandle_t> all(M->ranks);
  void                           *own = nullptr;

  PetscFunctionBegin;
  cudaError_t err = cudaMalloc(&own, M->bytes); /* memory of cudaMallocAsync() cannot be exported */
  if (err == cudaSuccess) {
    M->at[M->rank] = static_cast<char *>(own);
    err            = cudaMemset(own, 0, M->bytes);
    if (err == cudaSuccess) err = cudaDeviceSynchronize();
    if (err == cudaSuccess && M->ranks > 1) err = cudaIpcGetMemHandle(&mine, own);
  }
  if (err != cudaSuccess) *why = numbered(M->rank) + " cannot export " + std::to_string(M->bytes) + " bytes of GPU memory: " + text_of(err);
  PetscCall(PeerAgree(comm, why));
  if (why->empty()) {
    PetscCallMPI(MPI_Allgather(&mine, sizeof(mine), MPI_BYTE, all.data(), sizeof(mine), MPI_BYTE, comm));
    for (int r = 0; r < M->ranks && why->empty(); r++) {
      void *opened = nullptr;
      if (r == M->rank || !M->nodes.here[r]) continue;
      err = cudaIpcOpenMemHandle(&opened, all[r], cudaIpcMemLazyEnablePeerAccess);
      if (err == cudaSuccess) M->at[r] = static_cast<char *>(opened);
      else *why = numbered(M->rank) + " cannot open the GPU memory of " + numbered(r) + " (CUDA IPC): " + text_of(err);
    }
    PetscCall(PeerAgree(comm, why));
  }
  if (!why->empty()) PetscCall(FreeExported(comm, M));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif

} // namespace

PetscErrorCode PeerReachable(MPI_Comm comm, const PeerNodes &nodes, Where side, bool may_share, bool *share, std::string *why)
{
  PetscFunctionBegin;
  (void)comm, (void)nodes, (void)may_share;
  *share = false;
#if PetscDefined(HAVE_CUDA)
  if (side == Where::device) PetscCall(ReachableGpus(comm, nodes, may_share, share, why));
#else
  if (side == Where::device) *why = "no GPU: PETSc was configured without CUDA";
#endif
#if !PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
  if (side == Where::host) *why = "PETSc's MPI has no shared memory between processes";
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PeerMemoryMake(MPI_Comm comm, const PeerNodes &nodes, Where side, std::size_t bytes, PeerMemory *memory, std::string *why)
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
  memory->nodes = nodes;
  memory->at.resize(ranks);
  if (nodes.Several()) PetscCall(MakeAway(comm, memory, why));
#if PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
  if (side == Where::host && why->empty()) PetscCall(MakeShared(comm, memory, why));
#endif
#if PetscDefined(HAVE_CUDA)
  if (side == Where::device && why->empty()) PetscCall(MakeExported(comm, memory, why));
#endif
  if (!why->empty()) free_away(memory);
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
  free_away(memory); /* no kernel of this process stores there any more */
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
  if (memory.side == Where::host || !memory.nodes.here[rank]) std::memcpy(memory.at[rank] + at, from, bytes);
#if PetscDefined(HAVE_CUDA)
  else {
    PetscCallCUDA(cudaMemcpy(memory.at[rank] + at, from, bytes, cudaMemcpyHostToDevice));
    PetscCallCUDA(cudaDeviceSynchronize()); /* it may return before the bytes are there */
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
