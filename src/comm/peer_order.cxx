/*
   Orders kernels that wait for other ranks.
*/
#include "peer_order.hpp"
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

PetscErrorCode PeerInOrder()
{
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  static bool         launched = false;
  static cudaStream_t last;
  cudaStream_t        stream;

  PetscCall(PetscGetCurrentCUDAStream(&stream));
  /* the other stream may have been destroyed, so that no event can be recorded there */
  if (launched && stream != last) PetscCallCUDA(cudaDeviceSynchronize());
  launched = true;
  last     = stream;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
