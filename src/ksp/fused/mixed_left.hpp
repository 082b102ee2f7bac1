/*
   Results for the host of a persistent kernel that makes updates in mixed precision: host memory that the device
   writes. Glue.
*/
#pragma once

#include "../../pass/offers/mixed_updates.hpp"

namespace heptane
{

class MixedLeftMemory {
public:
  MixedLeftMemory()                                   = default;
  MixedLeftMemory(const MixedLeftMemory &)            = delete;
  MixedLeftMemory &operator=(const MixedLeftMemory &) = delete;
  ~MixedLeftMemory() { Free(); }

  /* Null before Make() */
  MixedLeft     *Get() const { return memory; }
  PetscErrorCode Make()
  {
    PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
    if (!memory) PetscCallCUDA(cudaMallocHost((void **)&memory, sizeof(MixedLeft)));
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
  MixedLeft *memory = nullptr;
};

} // namespace heptane
