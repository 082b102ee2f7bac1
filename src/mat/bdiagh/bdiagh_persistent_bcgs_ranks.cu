/*
   The persistent kernels of BiCGStab on several GPUs, one rank each.
*/
#include "bdiagh_persistent_bcgs.cuh"

namespace heptane
{

const BdiaghPersistentKernel *bdiagh_persistent_bcgs_ranks_kernels(int *number)
{
  return bdiagh_persistent_bcgs_table<BdiaghPersistentBcgsRanksVariants>(number);
}

} // namespace heptane
