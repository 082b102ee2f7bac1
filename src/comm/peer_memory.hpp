/*
   Memory that all ranks of one node can access, a piece of the same size for each: shared by MPI on the host, exported
   by CUDA IPC on the device. Independent of its contents and users.
*/
#pragma once

#include "../device/space.hpp"
#include <petscsys.h>
#include <string>
#include <vector>

namespace heptane
{

struct PeerMemory {
  static constexpr std::size_t host_bytes = 64 * 1024,
                               /*
                                  least size; on the device large enough that CUDA puts no other allocation next to it
                               */
    device_bytes = 2 * 1024 * 1024;

  Where               side  = Where::host;
  std::size_t         bytes = 0; /* of each rank */
  int                 ranks = 1;
  int                 rank  = 0;
  std::vector<char *> at; /* [ranks]: the piece of rank r, as an address of this process */
#if PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
  MPI_Win shared = MPI_WIN_NULL;
#endif
};

/* Collective: *why becomes on all ranks the first nonempty *why in rank order */
PetscErrorCode PeerAgree(MPI_Comm comm, std::string *why);
/* Why this number of ranks cannot exchange sums and halos by words; empty: it can */
std::string peer_too_many(int ranks);
/*
   Collective: whether the ranks are on one node and can access each other's memory; *why is the reason if not, the same
   on all ranks, and otherwise empty. share: whether ranks share a GPU, which is such a reason unless may_share
*/
PetscErrorCode PeerReachable(MPI_Comm comm, Where side, bool may_share, bool *share, std::string *why);
/*
   Collective: zeros, ready for all ranks on return; *why: the reason if not, the same on all ranks. The error handler
   of comm must be MPI_ERRORS_RETURN.
*/
PetscErrorCode PeerMemoryMake(MPI_Comm comm, Where side, std::size_t bytes, PeerMemory *memory, std::string *why);
/* Collective: memory is freed after all ranks have closed it */
PetscErrorCode PeerMemoryFree(MPI_Comm comm, PeerMemory *memory);
/* Reads own memory, or memory of any rank by its address in at[]; synchronous */
PetscErrorCode PeerMemoryRead(const PeerMemory &memory, std::size_t at, std::size_t bytes, void *to);
PetscErrorCode PeerMemoryWrite(const PeerMemory &memory, int rank, std::size_t at, std::size_t bytes, const void *from);
/* Synchronizes the device of this process */
PetscErrorCode PeerQuiet(Where side);

} // namespace heptane
