/* Which GPUs can access each other's memory, also if each process sees only its own (CUDA_VISIBLE_DEVICES per process). */
#pragma once

#include <petscsys.h>
#include <string>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

#if PetscDefined(HAVE_CUDA)
/* Clears the error: it is dealt with */
std::string peer_text_of(cudaError_t err);
#endif
/*
   Collective, the same on all ranks. *why: some rank has no GPU; *shared: two ranks have the same one, empty: each has its
   own
*/
PetscErrorCode PeerGpusShared(MPI_Comm comm, std::string *shared, std::string *why);
/* PeerReachable() of devices */
PetscErrorCode PeerReachableGpus(MPI_Comm comm, bool may_share, bool *share, std::string *why);

} // namespace heptane
