/*
   Which GPUs can access each other's memory, also if each process sees only its own (CUDA_VISIBLE_DEVICES per process).
*/
#pragma once

#include "../sys/places.hpp"
#include <string>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

#if PetscDefined(HAVE_CUDA)
/* Clears the error, which is handled here */
std::string peer_text_of(cudaError_t err);
#endif
/* Collective, the same on all ranks. *why: a rank has no GPU; *shared: two ranks share one, empty: none do */
PetscErrorCode PeerGpusShared(MPI_Comm comm, std::string *shared, std::string *why);
/* PeerReachable() of devices */
PetscErrorCode PeerReachableGpus(MPI_Comm comm, const std::vector<RankPlace> &all, bool may_share, bool *share, std::string *why);

} // namespace heptane
