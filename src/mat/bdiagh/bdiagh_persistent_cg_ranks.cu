/*
   The persistent kernels of CG on several GPUs, one rank each.
*/
#include "bdiagh_persistent_cg.cuh"

namespace heptane
{

const BdiaghPersistentKernel *bdiagh_persistent_cg_ranks_kernels(int *number)
{
  return bdiagh_persistent_cg_table<BdiaghPersistentCgRanksVariants>(number);
}

} // namespace heptane
