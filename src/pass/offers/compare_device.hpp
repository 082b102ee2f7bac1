/*
   Compares two arrays in a kernel and returns the result; synchronizes the stream. For the operators of all formats,
   and independent of them.
*/
#pragma once

#include "../../device/memory.hpp"

namespace heptane
{

/* launch(stream) sets *differs to 1 on the device */
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
