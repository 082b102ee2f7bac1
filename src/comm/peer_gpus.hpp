/*
   Which GPUs reach each other's memory, also where a process does not see those of others (CUDA_VISIBLE_DEVICES for each process).
*/
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
/* PeerReachable() of devices */
PetscErrorCode PeerReachableGpus(MPI_Comm comm, bool may_share, bool *share, std::string *why);
#endif

} // namespace heptane
