/*
   The persistent kernels of CG on several GPUs, one rank each, of rows with entries off the diagonals.
*/
#include "bdiagh_persistent_cg.cuh"

namespace heptane
{

const BdiaghPersistentKernel *bdiagh_persistent_cg_ranks_rest_kernels(int *number)
{
  return bdiagh_persistent_cg_table<BdiaghPersistentCgRanksRestVariants>(number);
}

} // namespace heptane
