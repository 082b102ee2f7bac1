/*
   The persistent kernels of CG with one sum per iteration, on one GPU and on several.
*/
#include "bdiagh_persistent_cg_one_sum.cuh"

namespace heptane
{

const BdiaghPersistentKernel *bdiagh_persistent_cg_one_sum_kernels(int *number)
{
  return bdiagh_persistent_cg_one_sum_table<BdiaghPersistentCgOneSumVariants>(number);
}

const BdiaghPersistentKernel *bdiagh_persistent_cg_one_sum_ranks_kernels(int *number)
{
  return bdiagh_persistent_cg_one_sum_table<BdiaghPersistentCgOneSumRanksVariants>(number);
}

} // namespace heptane
