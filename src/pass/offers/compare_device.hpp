/*
   Asks a kernel whether two things differ, and waits for the answer. For the operators of all formats; knows none.
*/
#pragma once

#include "../../device/memory.hpp"

namespace heptane
{

/* launch(stream) raises *differs, on the device */
template <class Launch>
PetscErrorCode CompareOnDevice(Launch &&launch, int *differs, PetscBool *same)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  cudaStream_t stream;
  int          found;

  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(cudaMemsetAsync(differs, 0, sizeof(*differs), stream));
  PetscCallCUDA(launch(stream));
  PetscCall(CopyToHost(&found, differs, 1));
  *same = (PetscBool)!found;
#else
  (void)launch, (void)differs, (void)same;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
