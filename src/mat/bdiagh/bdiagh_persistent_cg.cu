/*
   The persistent kernels of CG on one GPU.
*/
#include "bdiagh_persistent_cg.cuh"

namespace heptane
{

const BdiaghPersistentKernel *bdiagh_persistent_cg_kernels(int *number)
{
  return bdiagh_persistent_cg_table<BdiaghPersistentCgVariants>(number);
}

} // namespace heptane
