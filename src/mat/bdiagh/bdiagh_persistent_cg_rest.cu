/*
   The persistent kernels of CG on one GPU for rows with a remainder.
*/
#include "bdiagh_persistent_cg.cuh"

namespace heptane
{

const BdiaghPersistentKernel *bdiagh_persistent_cg_rest_kernels(int *number)
{
  return bdiagh_persistent_cg_table<BdiaghPersistentCgRestVariants>(number);
}

} // namespace heptane
