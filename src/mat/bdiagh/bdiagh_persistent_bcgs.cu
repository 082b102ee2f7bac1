/*
   The persistent kernels of BiCGStab on one GPU.
*/
#include "bdiagh_persistent_bcgs.cuh"

namespace heptane
{

const BdiaghPersistentKernel *bdiagh_persistent_bcgs_kernels(int *number)
{
  return bdiagh_persistent_bcgs_table<BdiaghPersistentBcgsVariants>(number);
}

} // namespace heptane
