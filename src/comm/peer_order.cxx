/*
   Keeps the order of kernels that wait for other ranks.
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
  if (launched && stream != last) PetscCallCUDA(cudaDeviceSynchronize()); /* the other stream may be gone, so that no event can be recorded there */
  launched = true;
  last     = stream;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
