/*
   Results for the host of a persistent kernel that makes updates in mixed precision: host memory that the device
   writes. Glue.
*/
#pragma once

#include "../../pass/offers/mixed_updates.hpp"

namespace heptane
{

class MixedResultMemory {
public:
  MixedResultMemory()                                     = default;
  MixedResultMemory(const MixedResultMemory &)            = delete;
  MixedResultMemory &operator=(const MixedResultMemory &) = delete;
  ~MixedResultMemory() { Free(); }

  /* Null before Make() */
  MixedResult   *Get() const { return memory; }
  PetscErrorCode Make()
  {
    PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
    if (!memory) PetscCallCUDA(cudaMallocHost((void **)&memory, sizeof(MixedResult)));
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  void Free()
  {
#if PetscDefined(HAVE_CUDA)
    if (memory) (void)cudaFreeHost(memory);
#endif
    memory = nullptr;
  }

private:
  MixedResult *memory = nullptr;
};

} // namespace heptane
