/*
   A launch on PETSc's current stream, from code that has no launch syntax.
*/
#pragma once

#include <petscdevice.h>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

/* launch(stream), a generic lambda that returns a CUDA error; not compiled without CUDA */
template <class Launch>
PetscErrorCode LaunchOnStream(Launch &&launch)
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  cudaStream_t stream;

  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(launch(stream));
#else
  (void)launch;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
